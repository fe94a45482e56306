package compat_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/test/compat/records"
	"github.com/outbox-relay/outbox-relay/test/debezium"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// lab is the servers around the comparison. Each side has a Kafka cluster, so that both can be given the same
// configuration and write topics of the same names.
type lab struct {
	postgres *pgserver.Server
	theirs   *kafkaserver.Cluster // Debezium's
	ours     *kafkaserver.Cluster // the relay's
	java     int                  // version of Java that Debezium runs on
}

func newLab(t *testing.T) *lab {
	t.Helper()
	java, err := debezium.JavaVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &lab{
		java: java,
		postgres: pgtest.New(t, pgserver.Config{Settings: map[string]string{
			"max_wal_senders": "200", "max_replication_slots": "200", "max_connections": "600",
		}}),
		// Records with an event's own time may be years old: no broker may take them for expired.
		theirs: kafkatest.New(t, kafkaserver.Config{Settings: map[string]string{
			"auto.create.topics.enable": "true", "num.partitions": strconv.Itoa(partitions), "log.retention.ms": "-1",
		}}),
		ours: kafkatest.New(t, kafkaserver.Config{Settings: map[string]string{"log.retention.ms": "-1"}}),
	}
}

// run plays some configurations on both sides, all at once, and returns what came of them.
func (l *lab) run(t *testing.T, batch []configuration) []*trial {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), batchTimeout)
	defer cancel()
	trials := make([]*trial, len(batch))
	for i, c := range batch {
		trials[i] = &trial{configuration: c, java: l.java}
		trials[i].prepare(ctx, t, l)
	}
	window := records.Window{From: time.Now()}
	worker := l.startDebezium(ctx, t, trials)
	l.startRelays(ctx, t, trials)
	seen := l.watchMarkers(t)
	for _, tr := range trials {
		tr.fill(ctx, t)
	}
	for _, tr := range trials {
		l.awaitRelay(ctx, t, tr)
		l.awaitDebezium(ctx, t, worker, tr, seen)
	}
	l.stop(ctx, t, worker, trials)
	window.To = time.Now()
	for _, tr := range trials {
		tr.debezium = l.read(ctx, t, l.theirs, tr.name, window)
		tr.relayed = l.read(ctx, t, l.ours, tr.name, window)
	}
	return trials
}

// startDebezium starts a worker and waits until all connectors stream.
func (l *lab) startDebezium(ctx context.Context, t *testing.T, trials []*trial) *debezium.Worker {
	t.Helper()
	worker, err := debezium.Start(ctx, debezium.Config{Bootstrap: l.theirs.Bootstrap(), Dir: t.TempDir(), Settings: map[string]string{
		"producer.buffer.memory": "8388608", // each connector has a producer
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := worker.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, tr := range trials {
		if err := worker.Create(ctx, tr.connector(l.postgres.Port(), tr.db.Name, tr.slot("theirs"))); err != nil {
			t.Fatal(err)
		}
	}
	for _, tr := range trials {
		if err := worker.AwaitStreaming(ctx, tr.name, tr.slot("theirs"), tr.conn); err != nil {
			t.Fatal(err)
		}
	}
	return worker
}

// startRelays starts a relay for each configuration and waits until each streams, or has ended.
func (l *lab) startRelays(ctx context.Context, t *testing.T, trials []*trial) {
	t.Helper()
	dir := t.TempDir()
	for _, tr := range trials {
		content, err := text(tr.connector(l.postgres.Port(), tr.db.Name, tr.slot("theirs")))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, tr.name+".json")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		tr.relay = startRelay(t, []string{
			"-config", file, "-slot.name", tr.slot("ours"), "-publication.name", tr.slot("ours"),
			"-bootstrap.servers", l.ours.Bootstrap(), "-web.listen-address", "127.0.0.1:0",
			"-topic.creation.enable", "-topic.creation.default.partitions", strconv.Itoa(partitions),
		})
	}
	for _, tr := range trials {
		if _, err := tr.relay.WaitLog(ctx, 0, procs.Field("message", "streaming")); err != nil && ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

// startRelay is proctest.Start without the log of each relay in a test of many.
func startRelay(t *testing.T, args []string) *procs.Proc {
	t.Helper()
	relay, err := procs.Start(procs.Config{Path: proctest.Build(t, procs.RelayPackage), Args: args})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := relay.Close(); err != nil {
			t.Error(err)
		}
	})
	return relay
}

// markers tells for which configurations the last row has arrived.
type markers struct {
	mu   sync.Mutex
	seen map[string]bool // by name
}

func (m *markers) observe(r *kgo.Record) {
	name, _, _ := strings.Cut(r.Topic, ".")
	for _, h := range r.Headers {
		if h.Key == "id" && strings.Contains(string(h.Value), markerID) {
			m.mu.Lock()
			m.seen[name] = true
			m.mu.Unlock()
		}
	}
}

func (m *markers) has(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[name]
}

func (l *lab) watchMarkers(t *testing.T) *markers {
	t.Helper()
	m := &markers{seen: make(map[string]bool)}
	consumer, err := judge.NewConsumer(judge.ConsumerConfig{Brokers: l.theirs.Addrs(), Topics: []string{`^[a-z]`}, Regex: true, Observe: m.observe})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(consumer.Close)
	return m
}

// awaitRelay waits until a relay has confirmed everything that is committed now, or has ended.
func (l *lab) awaitRelay(ctx context.Context, t *testing.T, tr *trial) {
	t.Helper()
	var committed string
	if err := tr.conn.QueryRow(ctx, `SELECT pg_current_wal_lsn()::text`).Scan(&committed); err != nil {
		t.Fatal(err)
	}
	err := poll.Until(ctx, 50*time.Millisecond, func(ctx context.Context) error {
		if !tr.relay.Running() {
			return nil
		}
		var done bool
		err := tr.conn.QueryRow(ctx, `SELECT confirmed_flush_lsn >= $2::pg_lsn FROM pg_replication_slots WHERE slot_name = $1`,
			tr.slot("ours"), committed).Scan(&done)
		if err == nil && !done {
			err = errors.New("the slot is behind")
		}
		return err
	})
	if err != nil {
		t.Fatalf("%s: wait until the relay has confirmed %s: %v\n%s", tr.name, committed, err, tr.relay.Tail(10))
	}
}

// awaitDebezium waits until the last row has arrived, or the connector has failed. Other partitions may still lack some;
// the stop of the worker waits for them.
func (l *lab) awaitDebezium(ctx context.Context, t *testing.T, worker *debezium.Worker, tr *trial, seen *markers) {
	t.Helper()
	err := poll.Until(ctx, 100*time.Millisecond, func(ctx context.Context) error {
		if seen.has(tr.name) {
			return nil
		}
		status, err := worker.Status(ctx, tr.name)
		if err != nil {
			return err
		}
		if tr.failure = status.Failure(); tr.failure == "" {
			return fmt.Errorf("the last row has not arrived, status %+v", status)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: wait for Debezium: %v\n%s", tr.name, err, worker.Tail(40))
	}
}

// stop stops both sides in order, so that everything is sent.
func (l *lab) stop(ctx context.Context, t *testing.T, worker *debezium.Worker, trials []*trial) {
	t.Helper()
	if _, err := worker.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	for _, tr := range trials {
		code, err := tr.relay.Stop(ctx)
		if err != nil {
			t.Fatal(err)
		}
		tr.code = code
	}
}

func (l *lab) read(ctx context.Context, t *testing.T, cluster *kafkaserver.Cluster, name string, window records.Window) []records.Record {
	t.Helper()
	got, err := records.Read(ctx, cluster.Addrs(), func(topic string) bool { return strings.HasPrefix(topic, name+".") }, window)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
