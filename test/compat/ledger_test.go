package compat_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pglogrepl"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/load"
)

// ledger notes which run of Debezium or of the relay has sent which row: the header with the run's id tells.
type ledger struct {
	consumer *judge.Consumer

	mu   sync.Mutex
	runs []string         // ids, in the order of their first record
	sent map[string][]int // by row: the runs that have sent it, as indexes
}

func newLedger(t *testing.T, brokers, types []string) *ledger {
	t.Helper()
	l := &ledger{sent: make(map[string][]int)}
	var topics []string
	for _, kind := range types {
		topics = append(topics, load.Topic(kind))
	}
	consumer, err := judge.NewConsumer(judge.ConsumerConfig{Brokers: brokers, Topics: topics, Observe: l.observe})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(consumer.Close)
	l.consumer = consumer
	return l
}

func (l *ledger) observe(r *kgo.Record) {
	var id, run string
	for _, h := range r.Headers {
		switch h.Key {
		case "id":
			id = string(h.Value)
		case runID:
			run = string(h.Value)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	n := slices.Index(l.runs, run)
	if n < 0 {
		n = len(l.runs)
		l.runs = append(l.runs, run)
	}
	l.sent[id] = append(l.sent[id], n)
}

// positions returns where each row was committed: the end of its transaction's commit record in the WAL.
func (m *migration) positions(t *testing.T) map[string]pglogrepl.LSN {
	t.Helper()
	rows, err := m.conn.Query(m.ctx, `SELECT lsn::text, data FROM pg_logical_slot_get_changes($1, NULL, NULL)`, referenceSlot)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	found := make(map[string]pglogrepl.LSN)
	var ids []string
	for rows.Next() {
		var at, data string
		if err := rows.Scan(&at, &data); err != nil {
			t.Fatal(err)
		}
		if _, row, ok := strings.Cut(data, "table public.outbox: INSERT: id[uuid]:'"); ok {
			id, _, _ := strings.Cut(row, "'")
			ids = append(ids, id)
		}
		if strings.HasPrefix(data, "COMMIT") {
			for _, id := range ids {
				found[id] = lsn(t, at)
			}
			ids = nil
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

func lsn(t *testing.T, text string) pglogrepl.LSN {
	t.Helper()
	at, err := pglogrepl.ParseLSN(text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// judge looks at the whole migration: nothing missing, in order, and repeats only of what was not confirmed.
func (m *migration) judge(t *testing.T) {
	t.Helper()
	account := m.load.Account()
	report := judge.Judge(account.Committed, account.Unknown, m.ledger.consumer.Records())
	if err := report.AtLeastOnce(); err != nil {
		t.Error(err)
	}
	l := m.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.runs) != 3 {
		t.Fatalf("records are of %d runs, want those of Debezium, the relay and Debezium: %q", len(l.runs), l.runs)
	}
	counts := [3]int{}
	positions := m.positions(t)
	for id, runs := range l.sent {
		for _, run := range runs {
			counts[run]++
		}
		if err := m.allowed(runs, positions[id], t); err != nil {
			t.Errorf("row %s, committed at %s: %v", id, positions[id], err)
		}
	}
	t.Logf("%d rows; %d records of Debezium, %d of the relay, %d of Debezium again; %d were sent twice; confirmed at the changes: %s",
		len(account.Committed), counts[0], counts[1], counts[2], report.Repeats(), m.confirmed)
}

// allowed errs when a row was sent by several runs although the first had confirmed it, or twice by one.
func (m *migration) allowed(runs []int, committed pglogrepl.LSN, t *testing.T) error {
	slices.Sort(runs)
	if len(slices.Compact(slices.Clone(runs))) != len(runs) {
		return fmt.Errorf("a run has sent it twice: %v", runs)
	}
	for _, run := range runs[1:] {
		if confirmed := lsn(t, m.confirmed[run-1]); committed <= confirmed {
			return fmt.Errorf("it was confirmed at %s, and sent by runs %v", confirmed, runs)
		}
	}
	return nil
}
