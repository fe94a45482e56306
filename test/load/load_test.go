package load_test

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.WithShared(m)) }

// byID sorts rows and drops what only the writer knows.
func byID(rows []judge.Committed) []judge.Committed {
	sorted := slices.Clone(rows)
	for i := range sorted {
		sorted[i].At = time.Time{}
	}
	slices.SortFunc(sorted, func(a, b judge.Committed) int { return strings.Compare(a.ID, b.ID) })
	return sorted
}

func table(t *testing.T, ctx context.Context, dsn string) []judge.Committed {
	t.Helper()
	rows, err := load.ReadTable(ctx, dsn, "")
	if err != nil {
		t.Fatal(err)
	}
	return byID(rows)
}

func TestAccountIsWhatTheTableHolds(t *testing.T) {
	t.Parallel()
	ctx := wait.Context(t, time.Minute)
	db := pgtest.NewDB(t)
	l := load.New(load.Config{
		DSN: db.DSN, Writers: 8, MaxRows: 50, Rows: 5000, Keys: 20, RollbackShare: 0.2, SavepointShare: 0.3, Seed: 1,
		HugeShare: 0.05, HugeRows: 300, LargestPayload: 20_000,
	})
	if err := l.Run(ctx); err != nil {
		t.Fatal(err)
	}
	a := l.Account()
	if len(a.Committed) < 5000 || l.Rows() != len(a.Committed) {
		t.Errorf("%d rows in the account, %d counted, want at least 5000 in both", len(a.Committed), l.Rows())
	}
	if len(a.Unknown) != 0 || a.Interrupted != 0 {
		t.Errorf("%d unknown rows, %d interrupted transactions, want none on a quiet server", len(a.Unknown), a.Interrupted)
	}
	if a.RolledBack == 0 || a.RolledBackRows == 0 || a.Transactions == 0 {
		t.Errorf("account %d committed, %d rolled back (%d rows), want some of each", a.Transactions, a.RolledBack, a.RolledBackRows)
	}
	checkExtremes(t, ctx, db.Connect(t))
	if diff := gocmp.Diff(byID(a.Committed), table(t, ctx, db.DSN)); diff != "" {
		t.Errorf("account (-) and table (+) differ:\n%.2000s", diff)
	}
}

var decoded = regexp.MustCompile(`outbox: INSERT: id\[uuid\]:'([^']+)' aggregatetype\[[^]]+\]:'([^']+)' aggregateid\[[^]]+\]:'([^']+)'.* payload\[jsonb\]:'(.*)'$`)

// decode reads a slot with the plugin test_decoding as if each row had become a record: what a perfect relay does.
func decode(t *testing.T, ctx context.Context, conn *pgx.Conn, slot string) []judge.Record {
	t.Helper()
	found, err := conn.Query(ctx, `SELECT data FROM pg_logical_slot_get_changes($1, NULL, NULL) WHERE data LIKE 'table public.outbox:%'`, slot)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	records := make([]judge.Record, len(lines))
	for i, line := range lines {
		m := decoded.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("unexpected change %q", line)
		}
		records[i] = judge.Record{ID: m[1], Topic: load.Topic(m[2]), Key: m[3], Hash: judge.Hash([]byte(m[4])), Offset: int64(i)}
	}
	return records
}

func TestVersionsRiseInCommitOrder(t *testing.T) {
	t.Parallel()
	ctx := wait.Context(t, time.Minute)
	db := pgtest.NewDB(t)
	conn := db.Connect(t)
	db.Exec(t, `SELECT pg_create_logical_replication_slot($1, 'test_decoding')`, db.Name)
	// Few keys, so that the writers meet on them all the time.
	l := load.New(load.Config{DSN: db.DSN, Writers: 8, MaxRows: 30, Rows: 5000, Keys: 5, RollbackShare: 0.2, SavepointShare: 0.5, Seed: 2})
	if err := l.Run(ctx); err != nil {
		t.Fatal(err)
	}
	records := decode(t, ctx, conn, db.Name)
	if err := judge.Judge(l.Account().Committed, nil, records).ExactlyOnce(); err != nil {
		t.Errorf("the WAL against the account: %v", err)
	}
	slices.Reverse(records)
	for i := range records {
		records[i].Offset = int64(i)
	}
	if got := judge.Judge(l.Account().Committed, nil, records); len(got.Inversions) == 0 {
		t.Error("no inversions found in the reversed WAL: this test proves nothing")
	}
}

func TestTransactionsInterleave(t *testing.T) {
	t.Parallel()
	ctx := wait.Context(t, time.Minute)
	db := pgtest.NewDB(t)
	l := load.New(load.Config{DSN: db.DSN, Writers: 8, MaxRows: 100, Rows: 3000, Seed: 3})
	if err := l.Run(ctx); err != nil {
		t.Fatal(err)
	}
	// Two transactions overlap in the heap if the rows of one lie between those of another.
	var overlapping int
	err := db.Connect(t).QueryRow(ctx, `
		WITH tx AS (SELECT xmin::text AS x, min(ctid) AS low, max(ctid) AS high FROM outbox GROUP BY xmin::text)
		SELECT count(*) FROM tx a JOIN tx b ON a.x <> b.x AND a.low > b.low AND a.low < b.high`).Scan(&overlapping)
	if err != nil {
		t.Fatal(err)
	}
	if overlapping == 0 {
		t.Error("no two transactions overlap: the writers take turns")
	}
}

func TestSurvivesServerFailures(t *testing.T) {
	t.Parallel()
	ctx := wait.Context(t, 3*time.Minute)
	server := pgtest.New(t, pgserver.Config{})
	db := pgtest.CreateDB(t, server)
	l := load.New(load.Config{DSN: db.DSN, Writers: 4, MaxRows: 5, Seed: 4})
	writing, stop := context.WithCancel(ctx)
	result := make(chan error, 1)
	go func() { result <- l.Run(writing) }()
	failures := []struct {
		name string
		fail func() error
	}{
		{"fast", func() error { return server.Restart(ctx, pgserver.Fast) }},
		{"immediate", func() error { return server.Restart(ctx, pgserver.Immediate) }},
		{"killed", func() error {
			if err := server.Kill(); err != nil {
				return err
			}
			return server.Start(ctx)
		}},
	}
	for _, f := range failures {
		if err := l.WaitRows(ctx, l.Rows()+200); err != nil {
			t.Fatalf("before %s: %v", f.name, err)
		}
		if err := f.fail(); err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
	}
	if err := l.WaitRows(ctx, l.Rows()+200); err != nil {
		t.Fatalf("after the failures: %v", err)
	}
	stop()
	if err := <-result; err != nil {
		t.Fatalf("the load: %v", err)
	}
	a := l.Account()
	if a.Interrupted+len(a.Unknown) == 0 {
		t.Error("no transaction was hurt by three failures of the server: this test proves nothing")
	}
	checkSubset(t, a, table(t, ctx, db.DSN))
}

// checkSubset checks that the table holds all committed rows and besides them unknown ones only.
func checkSubset(t *testing.T, a load.Account, rows []judge.Committed) {
	t.Helper()
	unknown := map[string]bool{}
	for _, c := range a.Unknown {
		unknown[c.ID] = true
	}
	sure := slices.DeleteFunc(rows, func(c judge.Committed) bool { return unknown[c.ID] })
	if diff := gocmp.Diff(byID(a.Committed), sure); diff != "" {
		t.Errorf("account (-) and table without the unknown (+) differ:\n%.2000s", diff)
	}
}

func TestRefusedStatementsAreAnError(t *testing.T) {
	t.Parallel()
	ctx := wait.Context(t, time.Minute)
	db := pgtest.NewDB(t)
	db.Exec(t, `CREATE TABLE outbox (id int)`) // not what the load writes
	err := load.New(load.Config{DSN: db.DSN, Rows: 10}).Run(ctx)
	if err == nil || !strings.Contains(err.Error(), "insert") {
		t.Errorf("got error %v, want one about the insert", err)
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	ctx := wait.Context(t, time.Minute)
	db := pgtest.NewDB(t)
	l := load.New(load.Config{DSN: db.DSN, Writers: 2, MaxRows: 1, Rows: 100, RowsPerSecond: 200})
	start := time.Now()
	if err := l.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took < 450*time.Millisecond {
		t.Errorf("100 rows at 200 per second took %v, want about 0.5 s", took)
	}
}

func TestBacklog(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		config       load.BacklogConfig
		transactions int
	}{
		{"one row each", load.BacklogConfig{Rows: 300, Keys: 7}, 300},
		{"uneven", load.BacklogConfig{Rows: 1000, RowsPerTxn: 300, AggregateTypes: []string{"order", "line item"}}, 4},
		{"one transaction", load.BacklogConfig{Rows: 2000, RowsPerTxn: 2000, PayloadBytes: 50}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkBacklog(t, test.config, test.transactions)
		})
	}
}

func checkBacklog(t *testing.T, config load.BacklogConfig, transactions int) {
	t.Helper()
	ctx := wait.Context(t, time.Minute)
	db := pgtest.NewDB(t)
	conn := db.Connect(t)
	db.Exec(t, `SELECT pg_create_logical_replication_slot($1, 'test_decoding')`, db.Name)
	config.DSN = db.DSN
	if err := load.Backlog(ctx, config); err != nil {
		t.Fatal(err)
	}
	var rows, xids, size int
	err := conn.QueryRow(ctx, `SELECT count(*), count(DISTINCT xmin::text), max(length(payload::text)) FROM outbox`).Scan(&rows, &xids, &size)
	if err != nil {
		t.Fatal(err)
	}
	want := cmp.Or(config.PayloadBytes, 300)
	if rows != config.Rows || xids != transactions || size < want-8 || size > want {
		t.Errorf("%d rows in %d transactions of up to %d bytes, want %d in %d of about %d",
			rows, xids, size, config.Rows, transactions, want)
	}
	records := decode(t, ctx, conn, db.Name)
	if err := judge.Judge(table(t, ctx, db.DSN), nil, records).ExactlyOnce(); err != nil {
		t.Errorf("the WAL against the table: %v", err)
	}
}

func TestPayloadIsAsPostgreSQLPrintsIt(t *testing.T) {
	t.Parallel()
	conn := pgtest.NewDB(t).Connect(t)
	for _, size := range []int{0, 20, 28, 100, 5000} {
		want := load.Payload(42, size)
		var got string
		if err := conn.QueryRow(t.Context(), `SELECT $1::text::jsonb::text`, want).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("size %d: printed as %.100s, made as %.100s", size, got, want)
		}
		if size > 30 && len(want) > size {
			t.Errorf("asked for %d bytes, got %d", size, len(want))
		}
	}
}
