package compat_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/compat/records"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

const (
	batchSize    = 30              // configurations at once, all in one Connect worker
	batchTimeout = 8 * time.Minute // the first one may fetch the jars
	partitions   = 4               // of every topic
)

// TestDifferential gives each configuration of the matrix to Debezium and to the relay, each with a slot of its own on
// the same tables and a Kafka cluster of its own, and demands the same records: topic, partition, order, timestamp, key,
// value, headers.
func TestDifferential(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts Debezium and compares for minutes")
	}
	t.Logf("rows by chance are made from -seed=%d", *seed)
	lab := newLab(t)
	number := 0
	for batch := range slices.Chunk(selected(t), batchSize) {
		number++
		t.Run(fmt.Sprintf("batch %d", number), func(t *testing.T) { // at its end slots and databases are dropped
			for _, trial := range lab.run(t, batch) {
				t.Run(trial.name, trial.judge)
			}
		})
	}
}

// selected are the configurations that the command line wants.
func selected(t *testing.T) []configuration {
	t.Helper()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(matrix(), func(c configuration) bool {
		return c.full && !*full || !wanted.MatchString(c.name)
	})
}

// trial is one configuration being compared.
type trial struct {
	configuration
	db       *pgtest.DB
	conn     *pgx.Conn
	relay    *procs.Proc
	java     int    // version of Java that Debezium runs on
	code     int    // the relay's exit code
	failure  string // Debezium's stack trace, if it failed
	debezium []records.Record
	relayed  []records.Record
}

func (tr *trial) slot(side string) string {
	return side + "_" + strings.NewReplacer("-", "_", ".", "_").Replace(tr.name)
}

// prepare makes the database and its tables.
func (tr *trial) prepare(ctx context.Context, t *testing.T, lab *lab) {
	t.Helper()
	tr.db = pgtest.CreateDB(t, lab.postgres)
	tr.conn = tr.db.Connect(t)
	tr.exec(ctx, t, preamble)
	var tables []table
	for _, table := range tr.tables {
		if table, ok := table.withDefaults().on(lab.postgres.Major()); ok {
			tr.exec(ctx, t, table.ddl())
			tables = append(tables, table)
		}
	}
	tr.tables = tables
	for _, sql := range tr.before {
		tr.exec(ctx, t, sql)
	}
	if tr.early {
		tr.insert(ctx, t, 1000)
	}
}

func (tr *trial) exec(ctx context.Context, t *testing.T, sql string) {
	t.Helper()
	if _, err := tr.conn.Exec(ctx, sql); err != nil {
		t.Fatalf("%s: %v\n%.2000s", tr.name, err, sql)
	}
}

// fill inserts the rows of all tables, mixed, and the marker at the end.
func (tr *trial) fill(ctx context.Context, t *testing.T) {
	t.Helper()
	tr.insert(ctx, t, 0)
	for _, sql := range tr.later {
		tr.exec(ctx, t, sql)
	}
	tr.exec(ctx, t, tr.tables[0].marker())
}

// insert inserts rows whose ids have the numbers of the tables from first on.
func (tr *trial) insert(ctx context.Context, t *testing.T, first int) {
	t.Helper()
	r := rand.New(rand.NewPCG(*seed, uint64(len(tr.name)+first)))
	chance := 20
	if *full {
		chance = 200
	}
	var rows []string
	for i, table := range tr.tables {
		rows = append(rows, table.rows(first+i, r, chance/len(tr.tables), tr.unfit)...)
	}
	if len(tr.tables) > 1 {
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
	for _, sql := range transactions(rows, r) {
		tr.exec(ctx, t, sql)
	}
}

// judge compares the two sides. Debezium must not have failed: what makes it fail is not compared but listed, as a
// golden case.
func (tr *trial) judge(t *testing.T) {
	if tr.failure != "" {
		t.Errorf("Debezium failed: %s", brief(tr.failure))
	}
	tr.debezium, tr.relayed = oneBeat(tr.debezium), oneBeat(tr.relayed)
	oneRun(t, tr.debezium)
	oneRun(t, tr.relayed)
	if tr.java < shortestFloats {
		modernize(tr.debezium, tr.relayed)
	}
	if diff := records.Diff(anywhere(tr.debezium), anywhere(tr.relayed)); diff != "" {
		t.Error(diff)
		tr.dump(t)
	}
	if len(tr.debezium) == 0 {
		t.Error("Debezium has sent nothing")
	}
	if tr.code != 0 {
		t.Errorf("the relay ended with exit code %d:\n%s", tr.code, tr.relay.Tail(5))
	}
}

// dump writes the records of both sides into files, to be looked at with other tools.
func (tr *trial) dump(t *testing.T) {
	t.Helper()
	if *dump == "" {
		return
	}
	for side, list := range map[string][]records.Record{"debezium": tr.debezium, "relay": tr.relayed} {
		var b bytes.Buffer
		for _, r := range list {
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		if err := os.WriteFile(filepath.Join(*dump, tr.name+"."+side+".jsonl"), b.Bytes(), 0o600); err != nil {
			t.Error(err)
		}
	}
}

// anyPartition is where records are put that may be in any.
const anyPartition = -1

// anywhere puts records without a key into anyPartition, because a producer may send them where it likes, and sorts that
// one by the ids.
func anywhere(list []records.Record) []records.Record {
	var placed, free []records.Record
	for _, r := range list {
		if r.Key != nil && r.Partition != anyPartition {
			placed = append(placed, r)
			continue
		}
		r.Partition = anyPartition
		free = append(free, r)
	}
	slices.SortStableFunc(free, func(a, b records.Record) int { return strings.Compare(a.ID(), b.ID()) })
	return append(placed, free...)
}

// runID is the header that tells one start of a task from another, a UUID of version 7.
const runID = "__debezium.context.runId"

var uuid7 = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)

// oneRun demands that all records were sent by one run, and replaces its id.
func oneRun(t *testing.T, list []records.Record) {
	t.Helper()
	id := ""
	for _, r := range list {
		for i, h := range r.Headers {
			if h.Key != runID {
				continue
			}
			found := string(uuid7.Find(h.Value))
			if id == "" {
				id = found
			}
			if found == "" || found != id {
				t.Fatalf("header %s is %q, want the UUID of one run, %q", runID, h.Value, id)
			}
			r.Headers[i].Value = uuid7.ReplaceAll(h.Value, []byte("RUN"))
		}
	}
}

// brief is a stack trace without the places.
func brief(trace string) string {
	var causes []string
	for line := range strings.Lines(trace) {
		if !strings.HasPrefix(line, "\t") {
			causes = append(causes, strings.TrimSpace(line))
		}
	}
	return strings.Join(causes, "\n  ")
}
