package replication

import (
	"context"
	"fmt"

	"github.com/jackc/pglogrepl"
)

// serverEnd is where the server's WAL ends, as SQL. A standby's is what it has
// replayed.
const serverEnd = `(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END)::text`

// refuseAhead refuses a slot that is confirmed to where its server has not written
// yet. PostgreSQL keeps any position that a client confirms, and would skip all
// events up to it without a word. at must have been read before the call: a server's
// WAL only grows.
func (o *opener) refuseAhead(ctx context.Context, at pglogrepl.LSN) error {
	text, err := bounded(ctx, func(ctx context.Context) (lsn string, err error) {
		err = o.sql.QueryRow(ctx, `SELECT `+serverEnd).Scan(&lsn)
		return lsn, err
	})
	if err != nil {
		return fmt.Errorf("ask where the server's WAL ends: %w", err)
	}
	end, err := pglogrepl.ParseLSN(text)
	if err != nil {
		return fmt.Errorf("ask where the server's WAL ends: %w", err)
	}
	return slotAhead(o.cfg.Slot, at, end)
}

// slotAhead is nil where the slot is not ahead of the server.
func slotAhead(name string, at, end pglogrepl.LSN) error {
	if at <= end {
		return nil
	}
	return human("slot_ahead", fmt.Errorf("replication slot %q is confirmed to %s, but the server's WAL ends at %s: the server was reset or restored, or something else confirmed through the slot, "+
		"and every event up to that position would be skipped without a trace. Find the rows whose events did not arrive, send them again, "+
		"then drop the slot (SELECT pg_drop_replication_slot(%s)) and start once with -slot.create", name, at, end, quoteLiteral(name)))
}
