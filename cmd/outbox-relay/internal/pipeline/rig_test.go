package pipeline_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// deadline bounds every wait of these tests.
const deadline = 60 * time.Second

// rig is a real database and a broker in this process, with one topic of one
// partition, and the settings of relays between them.
type rig struct {
	db      *pgtest.DB
	topic   string
	brokers []string
	cluster *kfake.Cluster

	router      router.Options
	replication replication.Config
	relay       pipeline.Config // what a test sets beyond that
	kafka       kafka.Config    // likewise
}

const outboxTable = `CREATE TABLE outbox (
	id uuid PRIMARY KEY, aggregatetype varchar(255) NOT NULL, aggregateid varchar(255) NOT NULL, type varchar(255) NOT NULL, payload jsonb)`

func newRig(t *testing.T, ddl ...string) *rig {
	t.Helper()
	return newRigOn(t, pgtest.NewDB(t), ddl...)
}

func newRigOn(t *testing.T, db *pgtest.DB, ddl ...string) *rig {
	t.Helper()
	r := &rig{db: db, topic: "events", router: router.DefaultOptions()}
	for _, sql := range ddl {
		r.db.Exec(t, sql)
	}
	bootstrap, cluster := kfaketest.New(t, 1, []string{r.topic, "__debezium-heartbeat.srv"})
	r.brokers, r.cluster = strings.Split(bootstrap, ","), cluster
	r.router.RouteTopicReplacement, r.router.TopicPrefix = r.topic, "srv"
	r.replication = replication.Config{
		Connect:         func() (*pgx.ConnConfig, error) { return pgx.ParseConfig(r.db.DSN) },
		ApplicationName: "relay under test", Slot: r.db.Name, Publication: "outbox",
		Tables: replication.Filter{IncludeTables: list(t, "public.outbox")},
	}
	return r
}

func list(t *testing.T, text string) replication.List {
	t.Helper()
	l, err := replication.ParseList(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// running is a relay that has been started.
type running struct {
	*pipeline.Relay
	cancel context.CancelFunc
	done   chan error
	log    *logs
	reg    *prometheus.Registry
}

// start runs a relay. It is stopped when the test ends, if not before.
func (r *rig) start(t *testing.T) *running {
	t.Helper()
	run := &running{done: make(chan error, 1), log: newLogs(), reg: prometheus.NewRegistry()}
	log := zerolog.New(run.log)
	route, err := router.New(r.router)
	if err != nil {
		t.Fatal(err)
	}
	config := r.relay
	config.Metrics = pipeline.NewMetrics(run.reg, r.replication.Slot)
	settings := r.kafka
	settings.BootstrapServers = r.brokers
	producer, err := kafka.New(settings, log, config.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	config.Replication, config.Router, config.Producer, config.Log = r.replication, route, producer, log
	config.Limits = pipeline.Limits{Records: 1024, Bytes: 8 << 20}
	config.Columns = r.router.Columns()
	config.ReadyMaxAge = time.Minute
	if config.ShutdownTimeout == 0 {
		config.ShutdownTimeout = 20 * time.Second
	}
	if config.Unavailable == nil {
		config.Unavailable = []byte("__debezium_unavailable_value")
	}
	run.Relay = pipeline.New(config)
	ctx, cancel := context.WithCancel(context.Background())
	run.cancel = cancel
	go func() {
		defer producer.Close()
		run.done <- run.Relay.Run(ctx)
		close(run.done)
	}()
	t.Cleanup(func() {
		cancel()
		for range run.done {
		}
		if t.Failed() {
			t.Logf("log of the relay:\n%s", run.log)
		}
	})
	return run
}

// stop ends the relay in good order.
func (r *running) stop(t *testing.T) {
	t.Helper()
	r.cancel()
	if err := r.wait(t); err != nil {
		t.Errorf("stop: %v", err)
	}
}

// wait returns what the relay ended with.
func (r *running) wait(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(deadline):
		t.Fatal("the relay does not end")
		return nil
	}
}

// streaming waits until the relay streams.
func (r *running) streaming(t *testing.T) {
	t.Helper()
	r.log.await(t, `"message":"streaming"`)
}

// count is the value of a counter, all labels together.
func (r *running) count(t *testing.T, name string) float64 {
	t.Helper()
	if n, err := testutil.GatherAndCount(r.reg, name); err != nil || n == 0 {
		t.Fatalf("no metric %s: %v", name, err)
	}
	return r.total(t, name)
}

// total is the same, and 0 for a counter that has no series yet.
func (r *running) total(t *testing.T, name string) float64 {
	t.Helper()
	families, err := r.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name {
				total += m.GetCounter().GetValue()
			}
		}
	}
	return total
}

// reach waits until a counter has a value.
func (r *running) reach(t *testing.T, name string, value float64) {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	timeout := time.After(deadline)
	for r.total(t, name) < value {
		select {
		case <-ticker.C:
		case <-timeout:
			t.Fatalf("%s does not reach %v", name, value)
		}
	}
}

// logs keeps what is logged, and tells when something is.
type logs struct {
	mu    sync.Mutex
	text  strings.Builder
	fresh chan struct{} // closed and replaced at each line
}

func newLogs() *logs { return &logs{fresh: make(chan struct{})} }

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.fresh)
	l.fresh = make(chan struct{})
	return l.text.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// await waits until a text was logged.
func (l *logs) await(t *testing.T, text string) {
	t.Helper()
	timeout := time.After(deadline)
	for {
		l.mu.Lock()
		found, fresh := strings.Contains(l.text.String(), text), l.fresh
		l.mu.Unlock()
		if found {
			return
		}
		select {
		case <-fresh:
		case <-timeout:
			t.Fatalf("nothing logged with %s", text)
		}
	}
}

// records returns the first n records of a topic.
func (r *rig) records(t *testing.T, topic string, n int) []*kgo.Record {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(r.brokers...), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	var out []*kgo.Record
	for len(out) < n {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("%d of %d records of %s came: %v", len(out), n, topic, err)
		}
		out = append(out, fetches.Records()...)
	}
	return out[:n]
}

// held is how many records the one partition of a topic holds.
func (r *rig) held(topic string) int {
	if info := r.cluster.PartitionInfo(topic, 0); info != nil {
		return int(info.HighWatermark)
	}
	return 0
}

// text shows a record as key, value and headers.
func text(rec *kgo.Record) string {
	var b strings.Builder
	show := func(p []byte) string {
		if p == nil {
			return "null"
		}
		return string(p)
	}
	b.WriteString(show(rec.Key) + " " + show(rec.Value))
	for _, h := range rec.Headers {
		b.WriteString(" " + h.Key + "=" + show(h.Value))
	}
	return b.String()
}

func wantTexts(t *testing.T, records []*kgo.Record, want ...string) {
	t.Helper()
	for i, rec := range records {
		if got := text(rec); i < len(want) && got != want[i] {
			t.Errorf("record %d is\n%s\nwant\n%s", i, got, want[i])
		}
	}
	if len(records) != len(want) {
		t.Errorf("%d records, want %d", len(records), len(want))
	}
}

// insert adds rows to a table with the reference columns, each in a transaction:
// id and key are made of the number.
func (r *rig) insert(t *testing.T, table string, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		r.db.Exec(t, `INSERT INTO `+table+` (id, aggregatetype, aggregateid, type, payload) VALUES ($1, 'all', 'k', 'T', '{}')`, rowID(n))
	}
}

func rowID(n int) string {
	const digits = "0123456789abcdef"
	id := []byte("a0000000-0000-4000-8000-000000000000")
	for i := len(id) - 1; n > 0; i-- {
		id[i] = digits[n%16]
		n /= 16
	}
	return string(id)
}

func wantProblem(t *testing.T, err error, class replication.Class, text string) {
	t.Helper()
	var problem *replication.Problem
	if !errors.As(err, &problem) || problem.Class != class || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want class %d and %q", err, class, text)
	}
}

// newRole makes a role as the relay needs it, gone when the test ends.
func (r *rig) newRole(t *testing.T) string {
	t.Helper()
	role := r.db.Name + "_role"
	r.db.Exec(t, `CREATE ROLE `+role+` LOGIN REPLICATION`)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), deadline)
		defer cancel()
		conn, err := pgx.Connect(ctx, r.db.DSN)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close(ctx)
		if _, err := conn.PgConn().Exec(ctx, `DROP OWNED BY `+role+`; DROP ROLE `+role).ReadAll(); err != nil {
			t.Error(err)
		}
	})
	return role
}

// as lets the relays connect as another role.
func (r *rig) as(role string) {
	connect := r.replication.Connect
	r.replication.Connect = func() (*pgx.ConnConfig, error) {
		config, err := connect()
		config.User = role
		return config, err
	}
}
