package e2e_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// setup says what is special about a rig. The zero value is right for most tests.
type setup struct {
	server    *pgserver.Server     // nil for the shared one
	cluster   *kafkaserver.Cluster // nil for the shared one
	bootstrap string               // brokers that are no cluster: nothing is made or read there by the rig
	path      string               // the relay's program; empty for faultyRelay
	table     string               // DDL of the table outbox; empty for Debezium's default columns
}

// rig is what stands around the relays of one test: a database with an outbox, a slot nobody else uses, two aggregate
// types with topics of their own.
type rig struct {
	setup
	db    *pgtest.DB
	slot  string
	types []string // aggregate types
}

// partitions of each topic: more than one, so that order is a matter of keys.
const partitions = 4

func newRig(t testing.TB, s setup) *rig {
	t.Helper()
	if s.server == nil {
		s.server = pgtest.Shared(t)
	}
	if s.path == "" {
		s.path = faultyRelay(t)
	}
	prefix := kafkatest.UniquePrefix(t)
	r := &rig{setup: s, slot: "e2e_" + strings.ToLower(rand.Text()[:12]), types: []string{prefix + "order", prefix + "customer"}}
	r.db = pgtest.CreateDB(t, s.server)
	if s.table != "" {
		r.db.Exec(t, s.table)
	} else if err := load.CreateTable(wait.Context(t, time.Minute), r.db.DSN, ""); err != nil {
		t.Fatal(err)
	}
	if s.bootstrap == "" {
		r.makeTopics(t)
	}
	return r
}

func (r *rig) makeTopics(t testing.TB) {
	t.Helper()
	if r.cluster == nil {
		r.cluster = kafkatest.Shared(t)
	}
	r.bootstrap = r.cluster.Bootstrap()
	for _, topic := range r.topics() {
		kafkatest.Topic(t, r.cluster, topic, partitions)
	}
}

func (r *rig) topics() []string {
	topics := make([]string, len(r.types))
	for i, kind := range r.types {
		topics[i] = load.Topic(kind)
	}
	return topics
}

// insert commits one row of the first aggregate type and returns what must arrive of it.
func (r *rig) insert(t testing.TB, key string) judge.Committed {
	t.Helper()
	c := judge.Committed{ID: newID(), Key: key, Topic: load.Topic(r.types[0])}
	payload := `{"key": "` + key + `"}`
	c.Hash = judge.Hash([]byte(payload))
	r.db.Exec(t, `INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES ($1, $2, $3, 'Changed', $4)`,
		c.ID, r.types[0], key, payload)
	return c
}

// insertEach commits a row for each of the keys, each in a transaction of its own.
func (r *rig) insertEach(t testing.TB, keys ...string) []judge.Committed {
	t.Helper()
	var rows []judge.Committed
	for _, key := range keys {
		rows = append(rows, r.insert(t, key))
	}
	renumber(rows)
	return rows
}

// renumber gives rows that were committed in this order rising numbers.
func renumber(rows []judge.Committed) {
	for i := range rows {
		rows[i].Seq = int64(i)
	}
}

// newID returns a random UUID in PostgreSQL's notation.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
