package compat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/debezium"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

const (
	takeoverTimeout = 3 * time.Minute
	phaseRows       = 1500 // that must arrive in each phase before the next one begins
	rowsPerSecond   = 400  // of all writers together, through all phases
)

// TestTakeover goes the way of docs/migrating-from-debezium.md and back, while applications write: Debezium streams, the
// relay takes its slot and publication over with Debezium's own configuration files, Debezium continues. Every committed
// row must arrive, in order, and a row may arrive from both only if the first of them had not confirmed it to the slot.
func TestTakeover(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts Debezium twice for each case")
	}
	tests := []struct {
		name       string
		autocreate string // publication.autocreate.mode
		how        handover
	}{
		{"filtered publication, connector stopped", "filtered", connectorStopped},
		{"publication for all tables, worker stopped", "all_tables", workerStopped},
		{"filtered publication, worker killed", "filtered", workerKilled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMigration(t, tt.autocreate)
			m.startDebezium(t)
			stopLoad := m.write(t)
			m.awaitRows(t, phaseRows)
			m.endDebezium(t, tt.how)
			m.confirmed[0] = m.confirmedLSN(t)

			relay := m.startRelay(t)
			m.awaitRows(t, phaseRows)
			if code, err := relay.Stop(m.ctx); err != nil || code != 0 {
				t.Fatalf("the relay ended with exit code %d, error %v, after SIGTERM; its last lines:\n%s", code, err, relay.Tail(10))
			}
			m.confirmed[1] = m.confirmedLSN(t)

			m.resumeDebezium(t, tt.how)
			m.awaitRows(t, phaseRows)
			stopLoad()
			m.awaitAll(t)
			m.endDebezium(t, tt.how)
			m.judge(t)
		})
	}
}

// handover is how Debezium is ended before the relay takes over.
type handover int

const (
	connectorStopped handover = iota // by Connect's REST interface, the worker runs on
	workerStopped                    // by SIGTERM
	workerKilled                     // by SIGKILL
)

// migration is one database whose outbox changes hands.
type migration struct {
	ctx       context.Context
	cluster   *kafkaserver.Cluster
	db        *pgtest.DB
	conn      *pgx.Conn
	config    debezium.Config
	connector debezium.Connector
	load      *load.Load
	ledger    *ledger
	worker    *debezium.Worker
	types     []string  // aggregate types
	confirmed [2]string // LSN of the slot at the first and the second change of hands
}

const (
	migrationSlot = "debezium"
	referenceSlot = "reference" // decodes the same WAL for the test, to know where each row was committed
)

func newMigration(t *testing.T, autocreate string) *migration {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), takeoverTimeout)
	t.Cleanup(cancel)
	prefix := kafkatest.UniquePrefix(t)
	m := &migration{
		ctx: ctx, cluster: kafkatest.Shared(t), db: pgtest.CreateDB(t, pgtest.Shared(t)),
		types: []string{prefix + "order", prefix + "customer"},
	}
	m.conn = m.db.Connect(t)
	for _, kind := range m.types {
		kafkatest.Topic(t, m.cluster, load.Topic(kind), partitions)
	}
	if err := load.CreateTable(ctx, m.db.DSN, ""); err != nil {
		t.Fatal(err)
	}
	m.exec(t, `SELECT pg_create_logical_replication_slot('`+referenceSlot+`', 'test_decoding')`)
	m.connector = connectorOf(m.db, autocreate)
	m.config = debezium.Config{
		Bootstrap: m.cluster.Bootstrap(), Dir: t.TempDir(), Connectors: []debezium.Connector{m.connector},
		Settings: map[string]string{"offset.flush.interval.ms": "1000"}, // the default of a minute is as long as the test
	}
	m.ledger = newLedger(t, m.cluster.Addrs(), m.types)
	return m
}

// connectorOf is an ordinary configuration of Debezium's outbox: what it leaves out has its default.
func connectorOf(db *pgtest.DB, autocreate string) debezium.Connector {
	return debezium.Connector{Name: "outbox", Config: map[string]string{
		"connector.class":             "io.debezium.connector.postgresql.PostgresConnector",
		"plugin.name":                 "pgoutput",
		"database.hostname":           "127.0.0.1",
		"database.port":               fmt.Sprint(db.Server.Port()),
		"database.user":               "postgres",
		"database.password":           "postgres",
		"database.dbname":             db.Name,
		"topic.prefix":                "shop",
		"slot.name":                   migrationSlot,
		"publication.name":            "dbz_publication",
		"publication.autocreate.mode": autocreate,
		"table.include.list":          "public.outbox",
		"snapshot.mode":               "no_data",
		"tombstones.on.delete":        "false",
		"transforms":                  "outbox",
		"transforms.outbox.type":      "io.debezium.transforms.outbox.EventRouter",
		"transforms.outbox.table.fields.additional.placement": "type:header:eventType",
	}}
}

func (m *migration) exec(t *testing.T, sql string) {
	t.Helper()
	if _, err := m.conn.Exec(m.ctx, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// write lets applications write from now on, until the returned function is called.
func (m *migration) write(t *testing.T) (stop func()) {
	t.Helper()
	m.load = load.New(load.Config{
		DSN: m.db.DSN, AggregateTypes: m.types, Keys: 50, RowsPerSecond: rowsPerSecond, RollbackShare: 0.1, SavepointShare: 0.2, Seed: *seed,
	})
	ctx, cancel := context.WithCancel(m.ctx)
	done := make(chan error, 1)
	go func() { done <- m.load.Run(ctx) }()
	stopped := false
	stop = func() {
		cancel()
		if stopped {
			return
		}
		stopped = true
		if err := <-done; err != nil {
			t.Errorf("write rows: %v", err)
		}
	}
	t.Cleanup(stop)
	return stop
}

func (m *migration) startDebezium(t *testing.T) {
	t.Helper()
	worker, err := debezium.Start(m.ctx, m.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := worker.Close(); err != nil {
			t.Error(err)
		}
	})
	m.worker = worker
	if err := worker.AwaitStreaming(m.ctx, m.connector.Name, migrationSlot, m.conn); err != nil {
		t.Fatal(err)
	}
}

// endDebezium waits until the server has seen the end, too.
func (m *migration) endDebezium(t *testing.T, how handover) {
	t.Helper()
	var err error
	switch how {
	case connectorStopped:
		err = m.worker.StopConnector(m.ctx, m.connector.Name)
	case workerStopped:
		_, err = m.worker.Stop(m.ctx)
	case workerKilled:
		err = m.worker.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	err = poll.Until(m.ctx, 20*time.Millisecond, func(ctx context.Context) error {
		var active bool
		err := m.conn.QueryRow(ctx, slotInUse, migrationSlot).Scan(&active)
		if err == nil && active {
			err = fmt.Errorf("slot %q is still in use", migrationSlot)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// resumeDebezium lets Debezium continue where the slot is. What Connect remembers of the connector's position is
// removed: the slot has moved on without it.
func (m *migration) resumeDebezium(t *testing.T, how handover) {
	t.Helper()
	if how != connectorStopped {
		if err := os.Remove(m.config.OffsetsFile()); err != nil {
			t.Fatal(err)
		}
		m.startDebezium(t)
		return
	}
	name := m.connector.Name
	if err := errors.Join(m.worker.ForgetOffsets(m.ctx, name), m.worker.ResumeConnector(m.ctx, name)); err != nil {
		t.Fatal(err)
	}
	if err := m.worker.AwaitStreaming(m.ctx, name, migrationSlot, m.conn); err != nil {
		t.Fatal(err)
	}
}

// slotInUse is how the document says to look whether Debezium has let go of its slot.
const slotInUse = `SELECT active FROM pg_replication_slots WHERE slot_name = $1`

// startRelay starts the relay with the two files that Debezium ran with.
func (m *migration) startRelay(t *testing.T) *procs.Proc {
	t.Helper()
	content, err := json.MarshalIndent(m.connector, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "connector.json"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	properties, err := os.ReadFile(m.config.PropertiesFile())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "connect.properties"), properties, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(strings.Fields(takeoverArguments), "-web.listen-address", "127.0.0.1:0")
	relay := proctest.StartProgram(t, procs.Config{Path: proctest.Build(t, procs.RelayPackage), Args: args, Dir: dir})
	if _, err := relay.WaitLog(m.ctx, 0, procs.Field("message", "streaming")); err != nil {
		t.Fatal(err)
	}
	return relay
}

// takeoverArguments are those of the relay's command line in the document.
const takeoverArguments = "-config connector.json -config connect.properties"

func (m *migration) confirmedLSN(t *testing.T) string {
	t.Helper()
	var lsn string
	err := m.conn.QueryRow(m.ctx, `SELECT confirmed_flush_lsn::text FROM pg_replication_slots WHERE slot_name = $1`, migrationSlot).Scan(&lsn)
	if err != nil {
		t.Fatal(err)
	}
	return lsn
}

// awaitRows waits until so many more rows have been committed and have arrived.
func (m *migration) awaitRows(t *testing.T, n int) {
	t.Helper()
	if err := m.load.WaitRows(m.ctx, m.load.Rows()+n); err != nil {
		t.Fatal(err)
	}
	m.awaitAll(t)
}

// awaitAll waits until everything that is committed now has arrived.
func (m *migration) awaitAll(t *testing.T) {
	t.Helper()
	if err := m.ledger.consumer.WaitFor(m.ctx, m.load.Account().Committed); err != nil {
		t.Fatal(err)
	}
}
