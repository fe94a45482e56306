package pattern_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/outbox"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

const (
	bloatRows = 1_000_000 // written, and as many deleted
	bloatRate = 5_000     // a second
	bloatTick = 100 * time.Millisecond
	bloatKeep = bloatRows // rows that the table holds all the time, unless they are deleted at once
)

// advised are the settings of docs/pattern.md: those of the table, and of the server.
const advised = `ALTER TABLE outbox SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_limit = 2000)`

var advisedServer = map[string]string{"autovacuum_naptime": "15s"}

// BenchmarkBloat measures how large an outbox grows beyond what it holds while rows are written and deleted, for
// docs/pattern.md. It takes three and a half minutes a case, whatever b.N:
//
//	go test ./test/pattern -run '^$' -bench Bloat -benchtime 1x -timeout 30m
func BenchmarkBloat(b *testing.B) {
	cases := []struct {
		name   string
		server map[string]string
		table  string
		newID  func() string
		keep   int
	}{
		{"deleted later, default settings, random ids", nil, "", randomID, bloatKeep},
		{"deleted later, default settings", nil, "", outbox.NewID, bloatKeep},
		{"deleted later, advised settings", advisedServer, advised, outbox.NewID, bloatKeep},
		{"deleted at once, default settings", nil, "", outbox.NewID, 0},
		{"deleted at once, advised settings", advisedServer, advised, outbox.NewID, 0},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			db := pgtest.CreateDB(b, pgtest.New(b, pgserver.Config{Settings: c.server}))
			db.Exec(b, schema.DDL+c.table)
			m := &churn{conn: db.Connect(b), newID: c.newID}
			must(b, "fill the table", m.fill(b.Context(), c.keep))
			before, err := m.size(b.Context())
			must(b, "measure the table", err)
			for b.Loop() {
				must(b, "write and delete", m.run(b.Context()))
			}
			b.ReportMetric(megabytes(before.heap), "heap-MB-before")
			b.ReportMetric(megabytes(m.peak.heap), "heap-MB-peak")
			b.ReportMetric(megabytes(before.index), "index-MB-before")
			b.ReportMetric(megabytes(m.peak.index), "index-MB-peak")
			b.ReportMetric(float64(m.peak.dead), "dead-rows-peak")
			b.ReportMetric(float64(m.peak.vacuums), "vacuums")
		})
	}
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }

// size is that of the table, in bytes and rows.
type size struct{ heap, index, dead, vacuums int64 }

// churn writes rows and deletes the oldest.
type churn struct {
	conn  *pgx.Conn
	newID func() string
	ids   []string // of the rows in the table, oldest first
	peak  size
}

func (m *churn) size(ctx context.Context) (size, error) {
	const query = `SELECT pg_table_size('outbox'), pg_indexes_size('outbox'), n_dead_tup, autovacuum_count FROM pg_stat_user_tables WHERE relname = 'outbox'`
	var s size
	err := m.conn.QueryRow(ctx, query).Scan(&s.heap, &s.index, &s.dead, &s.vacuums)
	return s, err
}

// fill writes the rows that stay.
func (m *churn) fill(ctx context.Context, rows int) error {
	for len(m.ids) < rows {
		if err := m.write(ctx, m.conn, min(10_000, rows-len(m.ids))); err != nil {
			return err
		}
	}
	_, err := m.conn.Exec(ctx, `VACUUM ANALYZE outbox`)
	return err
}

// run writes bloatRows at bloatRate and looks at the size once a second.
func (m *churn) run(ctx context.Context) error {
	const perTick = int(bloatRate * bloatTick / time.Second)
	tick := time.NewTicker(bloatTick)
	defer tick.Stop()
	for n := range bloatRows / perTick {
		if err := pgx.BeginFunc(ctx, m.conn, func(tx pgx.Tx) error { return m.replace(ctx, tx, perTick) }); err != nil {
			return err
		}
		if n%int(time.Second/bloatTick) == 0 {
			s, err := m.size(ctx)
			if err != nil {
				return err
			}
			m.peak = size{max(m.peak.heap, s.heap), max(m.peak.index, s.index), max(m.peak.dead, s.dead), s.vacuums}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// replace writes rows and deletes as many, the oldest: its own, if the table is to stay empty.
func (m *churn) replace(ctx context.Context, tx pgx.Tx, rows int) error {
	if err := m.write(ctx, tx, rows); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM outbox WHERE id = ANY ($1::text[]::uuid[])`, m.ids[:rows])
	m.ids = m.ids[rows:]
	return err
}

// executor is a connection or a transaction.
type executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// write writes rows with a payload of 200 bytes.
func (m *churn) write(ctx context.Context, db executor, rows int) error {
	added := make([]string, rows)
	for i := range added {
		added[i] = m.newID()
	}
	m.ids = append(m.ids, added...)
	const insert = `INSERT INTO outbox SELECT id::uuid, 'Order', 'order-' || n, 'OrderChanged', jsonb_build_object('n', n, 'text', $2::text)
		FROM unnest($1::text[]) WITH ORDINALITY AS t (id, n)`
	_, err := db.Exec(ctx, insert, added, strings.Repeat("x", 180))
	return err
}

// randomID is a UUID of version 4, as gen_random_uuid makes them.
func randomID() string {
	var id [16]byte
	rand.Read(id[:])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
