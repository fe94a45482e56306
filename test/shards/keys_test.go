package shards_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// silent is told what happens while a session opens, and keeps it to itself.
type silent struct{}

func (silent) SlotCreated(string, pglogrepl.LSN, int64)                    {}
func (silent) WaitingForSlot(string, int32, string)                        {}
func (silent) WaitingForTransaction(int32, string, string, time.Duration)  {}
func (silent) SnapshotBegins(string, pglogrepl.LSN, bool)                  {}
func (silent) StandbyBehind(string, string)                                {}
func (silent) HistoryChanged(before, now replication.Position)             {}
func (silent) SlotMoved(slot string, from pglogrepl.LSN, to pglogrepl.LSN) {}

const shardCount = 3

// prepare opens a session as a start of a shard does.
func prepare(ctx context.Context, db *pgtest.DB, index int, key string) error {
	tables, err := replication.ParseList("public.outbox")
	if err != nil {
		return err
	}
	config := replication.Config{
		Connect: func() (*pgx.ConnConfig, error) { return pgx.ParseConfig(db.DSN) },
		Slot:    db.Name, Publication: db.Name, Tables: replication.Filter{IncludeTables: tables}, CreateSlot: true,
	}
	config.Divide(replication.Shard{Index: index, Count: shardCount, Key: key})
	if err := config.Validate(); err != nil {
		return err
	}
	session, err := replication.Prepare(ctx, config, replication.Position{}, silent{})
	if err != nil {
		return err
	}
	session.Close()
	return nil
}

// TestKeyTypes finds out by PostgreSQL itself which types of key can be divided: the publications can be made, the next
// start knows their filters again, and each row comes through exactly one slot, that without a key too.
func TestKeyTypes(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, column, kind, value string }{
		{"text", "aggregateid", "text", `'k' || n`},
		{"varchar", "aggregateid", "varchar(40)", `'k' || n`},
		{"char", "aggregateid", "char(12)", `'k' || n`},
		{"uuid", "aggregateid", "uuid", `gen_random_uuid()`},
		{"smallint", "aggregateid", "smallint", `-n`},
		{"integer", "aggregateid", "integer", `n`},
		{"bigint", "aggregateid", "bigint", `n * 10000000000`},
		{"numeric", "aggregateid", "numeric(20,2)", `n / 7.0`},
		{"quoted", `Key"s Column`, "varchar", `'k' || n`},
		{"keyword", "order", "text", `'k' || n`},
		{"collation", "aggregateid", `text COLLATE "C"`, `'k' || n`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			column := pgx.Identifier{test.column}.Sanitize()
			r.db.Exec(t, fmt.Sprintf(`CREATE TABLE outbox (id int, %s %s)`, column, test.kind))
			for i := range shardCount {
				if err := prepare(wait.Context(t, patience), r.db, i, test.column); err != nil {
					t.Fatalf("shard %d: %v", i, err)
				}
			}
			r.db.Exec(t, fmt.Sprintf(`INSERT INTO outbox SELECT n, CASE WHEN n > 0 THEN %s END FROM generate_series(0, 200) n`, test.value))
			total := 0
			for i := range shardCount {
				name := r.name(i, shardCount)
				n := scalar[int](t, r, `SELECT count(*)::int FROM pg_logical_slot_peek_binary_changes($1::text::name, NULL, NULL, 'proto_version', '1', 'publication_names', quote_ident($1::text)) WHERE get_byte(data, 0) = ascii('I')`, name)
				if n < 20 {
					t.Errorf("%d rows come through slot %s: they are not spread", n, name)
				}
				total += n
			}
			if total != 201 {
				t.Errorf("%d rows come through the slots, want each of 201 once", total)
			}
			for i := range shardCount { // what the catalog shows of a filter is one that a pruner understands
				shown := scalar[string](t, r, `SELECT rowfilter FROM pg_publication_tables WHERE pubname = $1`, r.name(i, shardCount))
				if s, ok := replication.ParseShardFilter(shown); !ok || s.Index != i || s.Count != shardCount {
					t.Errorf("filter %s is read as %+v, %t", shown, s, ok)
				}
			}
		})
	}
}

// TestRefusedKeys: what PostgreSQL cannot filter by is refused by name, before anything is made.
func TestRefusedKeys(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, ddl, key, want string }{
		{"domain", `CREATE DOMAIN d AS text; CREATE TABLE outbox (id int, aggregateid d)`, "aggregateid", "has the type d"},
		{"enum", `CREATE TYPE e AS ENUM ('a'); CREATE TABLE outbox (id int, aggregateid e)`, "aggregateid", "has the type e"},
		{"bytea", `CREATE TABLE outbox (id int, aggregateid bytea)`, "aggregateid", "has the type bytea"},
		{"jsonb", `CREATE TABLE outbox (id int, aggregateid jsonb)`, "aggregateid", "has the type jsonb"},
		{"array", `CREATE TABLE outbox (id int, aggregateid text[])`, "aggregateid", "has the type text[]"},
		{"missing", `CREATE TABLE outbox (id int, aggregateid text)`, "other", `has no column "other"`},
		{"another case", `CREATE TABLE outbox (id int, aggregateid text)`, "AggregateID", `has no column "AggregateID"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, test.ddl)
			err := prepare(wait.Context(t, patience), r.db, 0, test.key)
			if err == nil || !strings.Contains(err.Error(), test.want) || replication.ClassOf(err) != replication.Configuration {
				t.Errorf("got %v, want a mistake of the configuration with %q", err, test.want)
			}
			if n := scalar[int](t, r, `SELECT count(*)::int FROM pg_publication`); n != 0 || r.slots(t) != "" {
				t.Errorf("%d publications and the slots %q were made", n, r.slots(t))
			}
		})
	}
}
