package load

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/judge"
)

// DefaultTable is the name Debezium's documentation uses.
const DefaultTable = "outbox"

// identifier quotes a table name that may have a schema before a dot.
func identifier(table string) string { return pgx.Identifier(strings.Split(table, ".")).Sanitize() }

// counters is the table of the versions that belongs to an outbox table. It must not be part of a publication.
func counters(table string) string { return identifier(table + "_load_counters") }

// CreateTable creates an outbox table with Debezium's default columns, if it is missing. An empty table means
// DefaultTable.
func CreateTable(ctx context.Context, dsn, table string) error {
	if table == "" {
		table = DefaultTable
	}
	return withConn(ctx, dsn, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `CREATE TABLE IF NOT EXISTS `+identifier(table)+` (
			id uuid PRIMARY KEY,
			aggregatetype varchar(255) NOT NULL,
			aggregateid varchar(255) NOT NULL,
			type varchar(255) NOT NULL,
			payload jsonb
		)`)
		if err != nil {
			return fmt.Errorf("create outbox table %s: %w", table, err)
		}
		return nil
	})
}

// prepare creates the outbox table and the version counters, one for each aggregate type and key.
func prepare(ctx context.Context, config Config) error {
	if err := CreateTable(ctx, config.DSN, config.Table); err != nil {
		return err
	}
	return withConn(ctx, config.DSN, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `CREATE TABLE IF NOT EXISTS `+counters(config.Table)+` (
			aggregatetype text, aggregateid text, version bigint NOT NULL DEFAULT 0,
			PRIMARY KEY (aggregatetype, aggregateid))`)
		if err != nil {
			return fmt.Errorf("create the counters of outbox table %s: %w", config.Table, err)
		}
		_, err = conn.Exec(ctx, `INSERT INTO `+counters(config.Table)+` (aggregatetype, aggregateid)
			SELECT t, 'key-' || k FROM unnest($1::text[]) t, generate_series(0, $2 - 1) k
			ON CONFLICT DO NOTHING`, config.AggregateTypes, config.Keys)
		if err != nil {
			return fmt.Errorf("fill the counters of outbox table %s: %w", config.Table, err)
		}
		return nil
	})
}

// ReadTable returns what an outbox table holds now as the rows that must arrive, with the hash of the payload's text
// and the topic by Debezium's default rule, outbox.event.TYPE. The payload must have a member "version", as Load and
// Backlog write it. It is the other way to know what was committed, independent of what a writer has noted.
func ReadTable(ctx context.Context, dsn, table string) ([]judge.Committed, error) {
	if table == "" {
		table = DefaultTable
	}
	var rows []judge.Committed
	err := withConn(ctx, dsn, func(conn *pgx.Conn) error {
		found, err := conn.Query(ctx, `SELECT id::text, aggregateid, (payload->>'version')::bigint, aggregatetype, payload::text
			FROM `+identifier(table))
		if err != nil {
			return err
		}
		rows, err = pgx.CollectRows(found, func(row pgx.CollectableRow) (judge.Committed, error) {
			var c judge.Committed
			var aggregateType string
			var payload []byte
			err := row.Scan(&c.ID, &c.Key, &c.Seq, &aggregateType, &payload)
			c.Topic, c.Hash = Topic(aggregateType), judge.Hash(payload)
			return c, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read outbox table %s: %w", table, err)
	}
	return rows, nil
}

// Topic is where Debezium's default rule sends rows of an aggregate type.
func Topic(aggregateType string) string { return "outbox.event." + aggregateType }

func withConn(ctx context.Context, dsn string, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err // pgx names server and database, and leaves the password out
	}
	return errors.Join(do(conn), conn.Close(context.WithoutCancel(ctx)))
}
