package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/floor"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/load"
)

// publication as the relay's operators are told to make it.
const publication = "bench"

// database holds an outbox table with its publication. Its slots are dropped one by one, and it at last.
type database struct {
	stand *stand
	name  string
	conn  *pgx.Conn
}

func (s *stand) newDatabase(ctx context.Context, name string) (*database, error) {
	db := &database{stand: s, name: name}
	dsn := s.postgres.DSN(name)
	if err := s.postgres.CreateDatabase(ctx, name); err != nil {
		return nil, err
	}
	if err := load.CreateTable(ctx, dsn, ""); err != nil {
		return nil, err
	}
	var err error
	if db.conn, err = pgx.Connect(ctx, dsn); err != nil {
		return nil, err
	}
	if err := db.exec(ctx, "CREATE PUBLICATION "+publication+" FOR TABLE outbox WITH (publish = 'insert')"); err != nil {
		return nil, errors.Join(err, db.drop())
	}
	return db, nil
}

func (db *database) source(slot string) floor.Source {
	return floor.Source{DSN: db.stand.postgres.DSN(db.name), Slot: slot, Publication: publication}
}

func (db *database) exec(ctx context.Context, sql string, args ...any) error {
	if _, err := db.conn.Exec(ctx, sql, args...); err != nil {
		return fmt.Errorf("database %s: %w", db.name, err)
	}
	return nil
}

// createSlot makes a slot that will see what is committed from now on.
func (db *database) createSlot(ctx context.Context, slot string) error {
	return db.exec(ctx, "SELECT pg_create_logical_replication_slot($1, 'pgoutput')", slot)
}

const objectInUse = "55006" // SQLSTATE: the walsender of a killed process has not noticed yet

// dropSlot drops a slot whose reader was killed a moment ago.
func (db *database) dropSlot(slot string) error {
	ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
	defer cancel()
	return poll.Until(ctx, 10*time.Millisecond, func(ctx context.Context) error {
		err := db.exec(ctx, "SELECT pg_drop_replication_slot($1)", slot)
		var pgErr *pgconn.PgError
		if errors.As(err, &pgErr) && pgErr.Code != objectInUse {
			return nil // there is no such slot, as after a failure; nothing is left to do
		}
		return err
	})
}

// position is where the WAL that is on disk ends.
func (db *database) position(ctx context.Context) (string, error) {
	var lsn string
	if err := db.conn.QueryRow(ctx, "SELECT pg_current_wal_flush_lsn()::text").Scan(&lsn); err != nil {
		return "", fmt.Errorf("ask for the end of the WAL: %w", err)
	}
	return lsn, nil
}

// drop removes the database with all that is in it, slots included.
func (db *database) drop() error {
	ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
	defer cancel()
	errs := []error{db.conn.Close(ctx)}
	admin, err := pgx.Connect(ctx, db.stand.postgres.DSN("postgres"))
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	_, err = admin.Exec(ctx, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = $1", db.name)
	if err == nil {
		_, err = admin.Exec(ctx, "DROP DATABASE "+pgx.Identifier{db.name}.Sanitize()+" WITH (FORCE)")
	}
	if err != nil {
		err = fmt.Errorf("drop database %s: %w", db.name, err)
	}
	return errors.Join(append(errs, err, admin.Close(ctx))...)
}
