package database_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// nowhere is an address at which no broker answers.
const nowhere = "127.0.0.1:1"

// drained is the query of docs/failure-modes.md: everything that was committed before a position is in Kafka.
const drained = `SELECT confirmed_flush_lsn >= '%s' FROM pg_replication_slots WHERE slot_name = '%s'`

// begin opens a transaction on a connection of its own.
func begin(t testing.TB, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(wait.Context(t, patience), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	do(t, conn, `BEGIN`)
	return conn
}

func do(t testing.TB, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, sql := range statements {
		if _, err := conn.Exec(wait.Context(t, patience), sql); err != nil {
			t.Fatalf("exec %q: %v", sql, err)
		}
	}
}

// TestCommitOrder commits transactions whose rows lie in the WAL in another order than their commits, share a position,
// or have another transaction's. Whoever compares positions to tell what is new loses some of them.
func TestCommitOrder(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{Settings: map[string]string{"max_prepared_transactions": "5"}})
	tests := []struct {
		name  string
		write func(t *testing.T, dsn string)
		want  string
	}{
		{"overlapping", func(t *testing.T, dsn string) {
			a := begin(t, dsn)
			do(t, a, row("a1"))
			execAt(t, dsn, row("b1"))
			do(t, a, row("a2"), `COMMIT`)
		}, "b1 a1 a2"},
		{"rows of one COPY, which have one position", func(t *testing.T, dsn string) {
			conn := begin(t, dsn)
			data := strings.NewReader("c1\tall\tk\nc2\tall\tk\nc3\tall\tk\n")
			if _, err := conn.PgConn().CopyFrom(wait.Context(t, patience), data, `COPY outbox (id, aggregatetype, aggregateid) FROM STDIN`); err != nil {
				t.Fatal(err)
			}
			do(t, conn, `COMMIT`)
		}, "c1 c2 c3"},
		{"prepared, and committed late", func(t *testing.T, dsn string) {
			a := begin(t, dsn)
			do(t, a, row("a1"), `PREPARE TRANSACTION 'late'`)
			execAt(t, dsn, row("b1"), `COMMIT PREPARED 'late'`)
		}, "b1 a1"},
		{"prepared, and rolled back", func(t *testing.T, dsn string) {
			a := begin(t, dsn)
			do(t, a, row("a1"), `PREPARE TRANSACTION 'never'`)
			execAt(t, dsn, row("b1"), `ROLLBACK PREPARED 'never'`, row("b2"))
		}, "b1 b2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { // one after the other, for the names of prepared transactions are the server's
			r := newRigOn(t, server, outboxTable)
			p := r.stream(t)
			test.write(t, r.db.DSN)
			want := strings.Fields(test.want)
			if diff := cmp.Diff(want, ids(r.records(t, want...))); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			r.awaitConfirmed(t)
			p.stop(t)
			p = r.stream(t)
			r.insert(t, "end")
			if diff := cmp.Diff(append(want, "end"), ids(r.records(t, "end"))); diff != "" {
				t.Errorf("records after another start (-want +got):\n%s", diff)
			}
			p.stop(t)
		})
	}
}

const everythingPublished = `CREATE PUBLICATION outbox_relay FOR TABLE outbox`

// TestTransactionsWithoutEvents are complete at once, and so free the WAL; but only behind those before them.
func TestTransactionsWithoutEvents(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, everythingPublished)
	p := r.stream(t, "-slot.create")
	r.db.Exec(t, `INSERT INTO outbox SELECT i::text, 'all', 'k' FROM generate_series(1, 2000) i`)
	r.records(t, "2000")
	execAt(t, r.db.DSN, `DELETE FROM outbox`, `TRUNCATE outbox`)
	r.awaitConfirmed(t)
	p.stop(t)

	r.insert(t, "old")
	good := r.bootstrap
	r.bootstrap = nowhere
	p = r.stream(t)
	r.insert(t, "new")
	end := scalar[string](t, r.db.DSN, `SELECT pg_current_wal_lsn()::text`)
	execAt(t, r.db.DSN, `DELETE FROM outbox WHERE id = 'old'`, `UPDATE outbox SET type = 'x'`)
	p.await(t, 0, "change of the outbox table is not an INSERT and was not relayed")
	stays(t, r.db.DSN, fmt.Sprintf(`SELECT NOT (`+drained+`)`, end, r.db.Name))
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	r.bootstrap = good
	p = r.stream(t)
	r.records(t, "old", "new")
	awaitTrue(t, r.db.DSN, "everything is in Kafka", fmt.Sprintf(drained, end, r.db.Name))
	p.stop(t)
}

// stays demands that a query says true for longer than the relay takes to confirm.
func stays(t testing.TB, dsn, sql string) {
	t.Helper()
	for range 20 { // each on a connection of its own, which takes some time
		if !scalar[bool](t, dsn, sql) {
			t.Fatalf("not true any more: %s", sql)
		}
		execAt(t, dsn, `SELECT pg_sleep(0.05)`)
	}
}

// TestSpilledTransactions lets the server spill transactions to its disk: a big one of another table, and an outbox's
// with a savepoint that is rolled back. Neither disturbs, and only what was rolled back is missing.
func TestSpilledTransactions(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, `CREATE TABLE other (id int PRIMARY KEY, t text)`)
	r.db.Exec(t, `ALTER DATABASE `+r.db.Name+` SET logical_decoding_work_mem = '64kB'`)
	p := r.stream(t)
	r.db.Exec(t, `INSERT INTO other SELECT i, repeat('x', 100) FROM generate_series(1, 20000) i`)
	const fill = `INSERT INTO outbox SELECT '%s' || i, 'all', 'k', NULL, repeat('y', 200) FROM generate_series(1, %d) i`
	conn := begin(t, r.db.DSN)
	do(t, conn, fmt.Sprintf(fill, "a", 500), `SAVEPOINT s`, fmt.Sprintf(fill, "b", 1000), `ROLLBACK TO s`, fmt.Sprintf(fill, "c", 5), `COMMIT`)
	r.insert(t, "end")
	got := ids(r.records(t, "end"))
	for i, id := range got {
		want := fmt.Sprintf("a%d", i+1)
		switch {
		case i == 505:
			want = "end"
		case i >= 500:
			want = fmt.Sprintf("c%d", i-499)
		}
		if id != want {
			t.Fatalf("record %d is %s, want %s", i, id, want)
		}
	}
	if len(got) != 506 {
		t.Errorf("%d records, want 506", len(got))
	}
	if spilled := scalar[bool](t, r.db.DSN, `SELECT sum(spill_txns) > 0 FROM pg_stat_replication_slots WHERE slot_name = current_database()`); !spilled {
		t.Error("the server has spilled nothing")
	}
	p.stop(t)
}
