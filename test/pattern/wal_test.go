package pattern_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/outbox"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// BenchmarkWAL measures how much write-ahead log an event with a payload of 200 bytes makes, for docs/pattern.md, each
// in a transaction of its own, without the full images of pages that follow a checkpoint:
//
//	go test ./test/pattern -run '^$' -bench WAL -benchtime 20000x
func BenchmarkWAL(b *testing.B) {
	tables := []struct {
		name  string
		table outbox.Table
	}{
		{"written", outbox.Table{}},
		{"written and deleted at once", outbox.Table{DeleteAtOnce: true}},
		{"written with a counted number", outbox.Table{Sequence: "sequence", Counters: "outbox_sequence"}},
	}
	for _, c := range tables {
		b.Run(c.name, func(b *testing.B) {
			db := pgtest.NewDB(b)
			db.Exec(b, schema.DDL+schema.DDLSequence)
			conn, ctx := db.Connect(b), b.Context()
			e := outbox.Event{AggregateType: "Order", AggregateID: "order-42", Type: "OrderChanged", Payload: map[string]string{"text": strings.Repeat("x", 188)}}
			from, err := one[string](ctx, conn, `SELECT pg_current_wal_insert_lsn()::text`)
			must(b, "ask for the position", err)
			for b.Loop() {
				err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return c.table.Write(ctx, tx, e) })
				must(b, "write", err)
			}
			bytes, err := one[float64](ctx, conn, `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1::pg_lsn)::float8`, from)
			must(b, "ask for the position", err)
			b.ReportMetric(bytes/float64(b.N), "WAL-bytes/event")
		})
	}
}
