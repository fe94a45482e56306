package debezium_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/debezium"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(kafkatest.WithShared(pgtest.WithShared(m)))
}

// startTimeout is enough to fetch the jars once.
const startTimeout = 8 * time.Minute

func start(t *testing.T, config debezium.Config) *debezium.Worker {
	t.Helper()
	w, err := debezium.Start(wait.Context(t, startTimeout), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func connector(name string, db *pgtest.DB) debezium.Connector {
	return debezium.Connector{Name: name, Config: map[string]string{
		"connector.class":             "io.debezium.connector.postgresql.PostgresConnector",
		"plugin.name":                 "pgoutput",
		"database.hostname":           "127.0.0.1",
		"database.port":               strconv.Itoa(db.Server.Port()),
		"database.user":               "postgres",
		"database.password":           "postgres",
		"database.dbname":             db.Name,
		"topic.prefix":                name,
		"slot.name":                   name,
		"publication.name":            name,
		"publication.autocreate.mode": "filtered",
		"table.include.list":          "public.outbox",
		"snapshot.mode":               "no_data",
		"transforms":                  "outbox",
		"transforms.outbox.type":      "io.debezium.transforms.outbox.EventRouter",
	}}
}

// TestWorker takes a worker through a life: a connector at the start and one later, records, a stop in order, a start
// that goes on where the last one was, a kill.
func TestWorker(t *testing.T) {
	db, cluster := pgtest.NewDB(t), kafkatest.Shared(t)
	kind := strings.TrimSuffix(kafkatest.UniquePrefix(t), ".")
	kafkatest.Topic(t, cluster, load.Topic(kind), 3)
	if err := load.CreateTable(t.Context(), db.DSN, ""); err != nil {
		t.Fatal(err)
	}
	config := debezium.Config{Bootstrap: cluster.Bootstrap(), Dir: t.TempDir(), Connectors: []debezium.Connector{connector("first", db)}}
	w := start(t, config)
	conn := db.Connect(t)
	ctx := wait.Context(t, 3*time.Minute)
	if err := w.AwaitStreaming(ctx, "first", "first", conn); err != nil {
		t.Fatal(err)
	}
	insert(t, db, kind, "1")
	awaitRecords(t, cluster.Addrs(), kind, 1)

	if err := w.Create(ctx, connector("second", db)); err != nil {
		t.Fatal(err)
	}
	if err := w.AwaitStreaming(ctx, "second", "second", conn); err != nil {
		t.Fatal(err)
	}
	insert(t, db, kind, "2")
	awaitRecords(t, cluster.Addrs(), kind, 3) // the first row, and the second row twice

	// A connector that was stopped and has no offsets goes on at its slot's position.
	if err := errors.Join(w.StopConnector(ctx, "second"), w.ForgetOffsets(ctx, "second"), w.ResumeConnector(ctx, "second")); err != nil {
		t.Fatal(err)
	}
	if err := w.AwaitStreaming(ctx, "second", "second", conn); err != nil {
		t.Fatal(err)
	}

	// SIGTERM makes Connect commit its offsets; Java's exit code for it is 143.
	if code, err := w.Stop(ctx); err != nil || code != 143 {
		t.Fatalf("exit code %d, error %v, want 143", code, err)
	}
	if info, err := os.Stat(config.OffsetsFile()); err != nil || info.Size() == 0 {
		t.Fatalf("no offsets were committed: %v", err)
	}
	insert(t, db, kind, "3")
	w = start(t, config)
	awaitRecords(t, cluster.Addrs(), kind, 4)
	if err := w.Kill(); err != nil || w.Running() {
		t.Errorf("running %v after a kill, error %v", w.Running(), err)
	}
}

func TestCreateTellsWhatConnectSays(t *testing.T) {
	w := start(t, debezium.Config{Bootstrap: kafkatest.Shared(t).Bootstrap(), Dir: t.TempDir()})
	err := w.Create(wait.Context(t, time.Minute), debezium.Connector{Name: "wrong", Config: map[string]string{"a": "b"}})
	if err == nil || !strings.Contains(err.Error(), "status 400") || !strings.Contains(err.Error(), "contains no connector type") {
		t.Errorf("error %v, want Connect's about the missing class", err)
	}
	if _, err := w.Status(wait.Context(t, time.Minute), "wrong"); err == nil {
		t.Error("a connector that was refused has a status")
	}
}

func TestFailureIsTold(t *testing.T) {
	db, cluster := pgtest.NewDB(t), kafkatest.Shared(t)
	db.Exec(t, `CREATE TABLE outbox (id uuid PRIMARY KEY, aggregatetype text, aggregateid text, payload text)`)
	c := connector("failing", db)
	c.Config["transforms.outbox.table.field.event.payload"] = "missing"
	w := start(t, debezium.Config{Bootstrap: cluster.Bootstrap(), Dir: t.TempDir(), Connectors: []debezium.Connector{c}})
	ctx := wait.Context(t, 2*time.Minute)
	if err := w.AwaitStreaming(ctx, "failing", "failing", db.Connect(t)); err != nil {
		t.Fatal(err)
	}
	db.Exec(t, `INSERT INTO outbox VALUES (gen_random_uuid(), 'a', 'k', 'p')`)
	trace, err := w.AwaitFailure(ctx, "failing")
	if err != nil || !strings.Contains(trace, "Unable to find payload field missing in event") {
		t.Errorf("error %v, trace %.300q, want the router's", err, trace)
	}
}

func insert(t *testing.T, db *pgtest.DB, kind, key string) {
	t.Helper()
	db.Exec(t, `INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES (gen_random_uuid(), $1, $2, 'T', '{}')`, kind, key)
}

func awaitRecords(t *testing.T, brokers []string, kind string, n int) {
	t.Helper()
	enough := make(chan struct{})
	count := 0
	consumer, err := judge.NewConsumer(judge.ConsumerConfig{Brokers: brokers, Topics: []string{load.Topic(kind)}, Observe: func(*kgo.Record) {
		if count++; count == n {
			close(enough)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer consumer.Close()
	select {
	case <-enough:
	case <-wait.Context(t, time.Minute).Done():
		records, _ := consumer.Count()
		t.Fatalf("%d records have arrived, want %d", records, n)
	}
}
