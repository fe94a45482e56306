package load

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// BacklogConfig says how much to write at once.
type BacklogConfig struct {
	DSN   string
	Table string // Defaults to "outbox"; created if missing

	Rows           int
	RowsPerTxn     int      // the last transaction may have fewer. Defaults to 1
	PayloadBytes   int      // about the size of each payload. Defaults to 300
	Keys           int      // aggregate ids, used in turn. Defaults to 1000
	AggregateTypes []string // used in turn. Defaults to "order"
}

func (c BacklogConfig) withDefaults() BacklogConfig {
	if c.Table == "" {
		c.Table = DefaultTable
	}
	if c.RowsPerTxn == 0 {
		c.RowsPerTxn = 1
	}
	if c.PayloadBytes == 0 {
		c.PayloadBytes = 300
	}
	if c.Keys == 0 {
		c.Keys = 1000
	}
	if len(c.AggregateTypes) == 0 {
		c.AggregateTypes = []string{"order"}
	}
	return c
}

// Backlog writes rows inside the server, by one session and much faster than a client can: for benchmarks, and for
// transactions of any size. Versions rise per key, as with Load, and ReadTable tells what was written. Both must not
// write to one table. Commits are asynchronous while it runs; a checkpoint at the end, for which a superuser is needed, makes up for that.
func Backlog(ctx context.Context, config BacklogConfig) error {
	config = config.withDefaults()
	if err := CreateTable(ctx, config.DSN, config.Table); err != nil {
		return err
	}
	err := withConn(ctx, config.DSN, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "SET synchronous_commit = off"); err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, config.block()); err != nil {
			return err
		}
		// It flushes the WAL, without which walsenders do not see the last commits yet, and gets the writing of data
		// pages out of the way of a benchmark.
		_, err := conn.Exec(ctx, "CHECKPOINT")
		return err
	})
	if err != nil {
		return fmt.Errorf("write %d rows to outbox table %s: %w", config.Rows, config.Table, err)
	}
	return nil
}

// block is an anonymous plpgsql block: those may commit, and take no parameters. Row i has key i mod Keys. All rows of
// a type share the padding, of hexadecimal digits, because making it takes longer than writing the row.
func (c BacklogConfig) block() string {
	types := make([]string, len(c.AggregateTypes))
	for i, t := range c.AggregateTypes {
		types[i] = "'" + strings.ReplaceAll(t, "'", "''") + "'"
	}
	const frame = len(`{"pad": "", "version": 1234}`)
	return fmt.Sprintf(`DO $backlog$
DECLARE
	types constant text[] := ARRAY[%[2]s]::text[];
	kinds constant bigint := array_length(types, 1);
	pad constant text := left((SELECT string_agg(md5(random()::text), '') FROM generate_series(0, %[3]d / 32)), %[3]d);
BEGIN
	FOR i IN 0 .. %[4]d - 1 LOOP
		-- One row by VALUES, not SELECT ... FROM generate_series: four times as many small transactions per second.
		INSERT INTO %[1]s (id, aggregatetype, aggregateid, type, payload)
		VALUES (gen_random_uuid(), types[1 + i %% kinds], 'key-' || i / kinds %% %[6]d, 'Changed',
			('{"pad": "' || pad || '", "version": ' || 1 + i / kinds / %[6]d || '}')::jsonb);
		IF (i + 1) %% %[5]d = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
END
$backlog$`, identifier(c.Table), strings.Join(types, ", "), max(0, c.PayloadBytes-frame), c.Rows, c.RowsPerTxn, c.Keys)
}
