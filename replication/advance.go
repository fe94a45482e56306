package replication

import (
	"context"
	"fmt"

	"github.com/jackc/pglogrepl"
)

// Advance confirms a position on a slot that nobody reads any more, where the stream
// ended with an error before it could be told. It must be one up to which everything
// is done. PostgreSQL itself refuses one that it has not written yet.
func Advance(ctx context.Context, cfg Config, to pglogrepl.LSN) error {
	conn, err := cfg.Dial(ctx)
	if err != nil {
		return fmt.Errorf("confirm %s to slot %q: %w", to, cfg.Slot, err)
	}
	defer closeSQL(conn)
	for {
		_, err := conn.Exec(ctx, `SELECT pg_catalog.pg_replication_slot_advance(slot_name, $2::text::pg_lsn) FROM pg_catalog.pg_replication_slots
			WHERE slot_name = $1 AND confirmed_flush_lsn < $2::text::pg_lsn`, cfg.Slot, to.String())
		if err == nil {
			return nil
		}
		if Reason(err) != "slot_active" || pause(ctx, dropPoll) != nil {
			return fmt.Errorf("confirm %s to slot %q: %w", to, cfg.Slot, err)
		}
	}
}
