package prune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/proof"
	"github.com/outbox-relay/outbox-relay/replication"
)

// loadLedger reads what is known of a table; an empty ledger if nothing is.
func loadLedger(ctx context.Context, conn *pgx.Conn, state, table catalog.Name) (*proof.Ledger, error) {
	var text []byte
	err := conn.QueryRow(ctx, "SELECT state::text FROM "+state.SQL()+" WHERE name = $1", table.String()).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return &proof.Ledger{}, nil
	}
	if err != nil {
		return nil, stateError(conn, state, fmt.Errorf("read the pruner's state from %s: %w", state, err))
	}
	l := &proof.Ledger{}
	if err := json.Unmarshal(text, l); err != nil {
		return nil, &replication.Problem{Class: replication.Human, Reason: "state", Err: fmt.Errorf("the pruner's state of %s in %s cannot be read: %w; "+
			"delete that row, and the pruner starts anew: it keeps the rows that are there now (see -assume.relayed.before)", table, state, err)}
	}
	return l, nil
}

// saveLedger writes it.
func saveLedger(ctx context.Context, conn *pgx.Conn, state, table catalog.Name, l *proof.Ledger) error {
	text, err := json.Marshal(l)
	if err == nil {
		_, err = conn.Exec(ctx, "INSERT INTO "+state.SQL()+" AS s (name, state) VALUES ($1, $2::jsonb) ON CONFLICT (name) DO UPDATE SET state = excluded.state, updated_at = now()",
			table.String(), string(text))
	}
	if err != nil {
		return stateError(conn, state, fmt.Errorf("write the pruner's state to %s: %w", state, err))
	}
	return nil
}

// stateError adds what to do about a missing table or privilege.
func stateError(conn *pgx.Conn, state catalog.Name, err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return err
	}
	switch pg.Code {
	case "42P01", "3F000":
		err = fmt.Errorf("%w; it has to be made once: outbox-pruner -print-sql prints how, or name it with -state.table", err)
	case "42501":
		err = fmt.Errorf("%w; run: GRANT SELECT, INSERT, UPDATE ON %s TO %s", err, state.SQL(), catalog.Quote(conn.Config().User))
	default:
		return err
	}
	return &replication.Problem{Class: replication.Configuration, Reason: "state", Err: err}
}
