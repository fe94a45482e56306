package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/load"
)

// mixture writes rows of which some can never be events, by lot.
type mixture struct {
	rig    *rig
	conn   *pgx.Conn
	random *rand.Rand
	small  string // an aggregate type whose topic takes small records only
	good   []judge.Committed
	poison []string // ids
}

// write commits a transaction of a few rows.
func (m *mixture) write(t testing.TB) {
	t.Helper()
	ctx := wait.Context(t, arriveTimeout)
	tx, err := m.conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for range 1 + m.random.IntN(6) {
		id, kind, payload, good := m.row()
		key := fmt.Sprintf("key-%d", m.random.IntN(8))
		if _, err := tx.Exec(ctx, `INSERT INTO outbox VALUES ($1, nullif($2, ''), $3, 'Changed', $4)`, id, kind, key, payload); err != nil {
			t.Fatal(err)
		}
		if good {
			m.good = append(m.good, judge.Committed{ID: id, Key: key, Topic: load.Topic(kind), Hash: judge.Hash([]byte(payload))})
		} else {
			m.poison = append(m.poison, id)
		}
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
}

// row draws one.
func (m *mixture) row() (id, kind, payload string, good bool) {
	id = newID()
	switch m.random.IntN(60) {
	case 0:
		return id, "", id, false
	case 1:
		return id, "Order Item", id, false
	case 2:
		return id, m.rig.types[0] + ".ghost", id, false
	case 3:
		return id, m.rig.types[1], id + strings.Repeat("x", 1<<20), false
	case 4, 5:
		return id, m.small, id + strings.Repeat("x", 30_000), false
	}
	return id, []string{m.rig.types[0], m.rig.types[1], m.small}[m.random.IntN(3)], id, true
}

// TestPoisonNeitherStopsNorOvertakes writes events of which about one in ten can never be sent, and ends the relay with
// SIGKILL again and again meanwhile. The others arrive in the order of their keys, and all the rest is in the
// dead-letter topic; what comes twice is the same.
func TestPoisonNeitherStopsNorOvertakes(t *testing.T) {
	random := lots(t)
	r := newRig(t, setup{table: laxTable})
	dead, args := r.aside(t)
	m := &mixture{rig: r, conn: r.db.Connect(t), random: random, small: r.types[0] + ".small"}
	r.smallTopic(t, load.Topic(m.small))
	consumer := r.consume(t, append(r.topics(), load.Topic(m.small))...)
	lost := r.consume(t, dead)
	r.stream(t, args...).stop(t) // which makes the dead-letter topic and the slot
	p := r.launch(t, args...)
	for range 8 {
		_, before := lost.Count()
		for range 20 + random.IntN(150) {
			m.write(t)
		}
		if random.IntN(3) > 0 { // not always before it has sent anything
			if err := lost.WaitIDs(p.whileRunning(t, arriveTimeout), min(before+1, len(m.poison))); err != nil {
				t.Fatal(err)
			}
		}
		p.kill(t)
		p = r.launch(t, args...)
	}
	renumber(m.good)
	arrived(t, consumer, m.good)
	buried := make([]judge.Committed, len(m.poison))
	for i, id := range m.poison {
		buried[i] = judge.Committed{ID: id}
	}
	arrived(t, lost, buried)
	p.stop(t)
	before := len(lost.Records())
	r.stream(t, args...).stop(t) // to which nothing is left
	r.types = append(r.types, m.small)
	nothingLost(t, r.verdict(t, consumer, m.good))
	m.checkParted(t, consumer, lost)
	if n := len(lost.Records()); n != before {
		t.Errorf("%d dead letters came after everything was confirmed", n-before)
	}
	t.Logf("%d events, %d of them poison, %d dead letters", len(m.good)+len(m.poison), len(m.poison), before)
}

// checkParted demands that no poison is in a topic of events, and no good event in the dead-letter topic.
func (m *mixture) checkParted(t testing.TB, consumer, lost *judge.Consumer) {
	t.Helper()
	poison := make(map[string]bool)
	for _, id := range m.poison {
		poison[id] = true
	}
	for _, record := range consumer.Records() {
		if poison[record.ID] {
			t.Errorf("poison %s is in topic %s", record.ID, record.Topic)
		}
	}
	for _, record := range lost.Records() {
		if !poison[record.ID] {
			t.Errorf("event %s is in the dead-letter topic", record.ID)
		}
	}
}
