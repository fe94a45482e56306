package pipeline_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/replication"
)

// emit writes a message, and returns the end of its WAL record.
func (r *rig) emit(t *testing.T, transactional bool, prefix, content string) (lsn string) {
	t.Helper()
	if err := r.db.Connect(t).QueryRow(t.Context(), `SELECT pg_logical_emit_message($1, $2, $3)`, transactional, prefix, content).Scan(&lsn); err != nil {
		t.Fatal(err)
	}
	return lsn
}

func eventText(n int) string {
	return fmt.Sprintf(`{"id": "%s", "aggregatetype": "all", "aggregateid": "k", "payload": "m%d"}`, rowID(n), n)
}

// confirmed waits until the slot is at a position or behind it.
func (r *rig) confirmed(t *testing.T, lsn string) {
	t.Helper()
	conn := r.db.Connect(t)
	for done := false; !done; {
		if err := conn.QueryRow(t.Context(), `SELECT confirmed_flush_lsn >= $2::pg_lsn FROM pg_replication_slots, pg_sleep(0.02) WHERE slot_name = $1`, r.replication.Slot, lsn).Scan(&done); err != nil {
			t.Fatal(err)
		}
	}
}

// An outbox without a table: the events are messages of a prefix. What was confirmed does not come again.
func TestMessages(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.replication.Tables = replication.Filter{None: true}
	r.replication.Messages = replication.Prefixes{Include: list(t, "outbox")}
	run := r.start(t)
	run.streaming(t)
	r.emit(t, true, "outbox", eventText(1))
	r.emit(t, false, "outbox", eventText(2))
	r.emit(t, false, "other", "no event")
	r.emit(t, true, "other", "no event")
	last := r.emit(t, false, "outbox", eventText(3))
	got := r.records(t, r.topic, 3)
	r.confirmed(t, last)
	run.stop(t)
	run = r.start(t)
	run.streaming(t)
	r.emit(t, true, "outbox", eventText(4))
	got = append(got, r.records(t, r.topic, 4)[3:]...)
	run.stop(t)
	wantTexts(t, got, "k m1 id="+rowID(1), "k m2 id="+rowID(2), "k m3 id="+rowID(3), "k m4 id="+rowID(4))
}

// Messages and rows of one transaction keep their order; a message that is not transactional goes before, also if the
// transaction is rolled back.
func TestMessagesBesideRows(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.replication.Messages = replication.Prefixes{Exclude: list(t, "other")}
	run := r.start(t)
	run.streaming(t)
	row := func(n int) string {
		return fmt.Sprintf(`INSERT INTO outbox VALUES ('%s', 'all', 'k', 'T', '{}')`, rowID(n))
	}
	message := func(n int, transactional bool) string {
		return fmt.Sprintf(`SELECT pg_logical_emit_message(%t, 'p', '%s')`, transactional, eventText(n))
	}
	r.db.Exec(t, "BEGIN; "+row(1)+"; "+message(2, true)+"; "+message(3, false)+"; "+row(4)+"; COMMIT")
	r.db.Exec(t, "BEGIN; "+row(5)+"; "+message(6, true)+"; "+message(7, false)+"; ROLLBACK")
	got := r.records(t, r.topic, 5)
	run.stop(t)
	wantTexts(t, got, "k m3 id="+rowID(3), "k {} id="+rowID(1), "k m2 id="+rowID(2), "k {} id="+rowID(4), "k m7 id="+rowID(7))
}

// advance is the command that gives a transaction up.
var advance = regexp.MustCompile(`SELECT pg_replication_slot_advance\('\w+', '\w+/\w+'\)`)

// A message that can never be relayed stops the relay. The way out that it names skips that message alone, although the
// next one follows without a gap in the WAL.
func TestMessagePoison(t *testing.T) {
	t.Parallel()
	for _, transactional := range []bool{true, false} {
		t.Run(fmt.Sprintf("transactional %t", transactional), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.replication.Tables = replication.Filter{None: true}
			r.replication.Messages = replication.Prefixes{Include: list(t, "outbox")}
			run := r.start(t)
			run.streaming(t)
			r.db.Exec(t, fmt.Sprintf(`DO $$ BEGIN PERFORM pg_logical_emit_message(%t, 'outbox', 'geheim'); COMMIT; PERFORM pg_logical_emit_message(false, 'outbox', '%s'); END $$`, transactional, eventText(1)))
			err := run.wait(t)
			wantProblem(t, err, replication.Human, "its content is no JSON object")
			if err == nil || strings.Contains(err.Error(), "geheim") {
				t.Fatalf("the message's content is in the error: %v", err)
			}
			r.db.Exec(t, advance.FindString(err.Error()))
			run = r.start(t)
			got := r.records(t, r.topic, 1)
			run.stop(t)
			wantTexts(t, got, "k m1 id="+rowID(1))
		})
	}
}

// Debezium's default is a snapshot at the first start. Without tables there is nothing in it.
func TestMessagesAfterSnapshot(t *testing.T) {
	t.Parallel()
	for name, tables := range map[string]replication.Filter{"no table": {None: true}, "no table that matches": {IncludeTables: list(t, "public.nothing")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.replication.Tables, r.replication.Autocreate = tables, replication.AllTables
			r.replication.Messages = replication.Prefixes{Include: list(t, ".*")}
			r.replication.Snapshot = replication.Initial
			run := r.start(t)
			run.streaming(t)
			r.emit(t, true, "outbox", eventText(1))
			got := r.records(t, r.topic, 1)
			run.stop(t)
			wantTexts(t, got, "k m1 id="+rowID(1))
		})
	}
}
