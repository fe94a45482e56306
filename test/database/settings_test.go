package database_test

import "testing"

// TestTableNeedsOtherSettings changes the table so that new rows fit the relay's options no more. It delivers all before
// them, ends with exit code 2 and says why; with other options it goes on where it was.
func TestTableNeedsOtherSettings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		steps       []string // between the rows r1 and r2
		second      string   // the row r2
		word        string
		stoppedWord string // where a start sees it otherwise than a stream does
		then        []string
	}{
		{
			name: "needed column renamed", steps: []string{`ALTER TABLE outbox RENAME payload TO body`}, word: `payload`,
			second: `INSERT INTO outbox (id, aggregatetype, aggregateid, body) VALUES ('r2', 'all', 'k', 'x')`,
			then:   []string{"-table.field.event.payload", "body"},
		},
		{
			name: "type that a topic cannot be made of", steps: []string{`ALTER TABLE outbox ALTER aggregatetype TYPE int USING 1`, `ALTER TABLE outbox ADD kind text DEFAULT 'all'`}, word: "route.by.field",
			second: `INSERT INTO outbox (id, aggregatetype, aggregateid, payload) VALUES ('r2', 7, 'k', 'x')`,
			then:   []string{"-route.by.field", "kind"},
		},
		{
			name: "table renamed", steps: []string{`ALTER TABLE outbox RENAME TO events`}, word: "is now public.events", stoppedWord: "no table of database",
			second: `INSERT INTO events (id, aggregatetype, aggregateid, payload) VALUES ('r2', 'all', 'k', 'x')`,
			then:   []string{"-table.include.list", "public.outbox,public.events"},
		},
	}
	for _, test := range tests {
		t.Run(test.name+", while it streams", func(t *testing.T) {
			t.Parallel()
			r := newRig(t, outboxTable)
			p := r.stream(t)
			r.insert(t, "r1")
			execAt(t, r.db.DSN, append(test.steps, test.second)...)
			p.mustEnd(t, exitConfig, test.word)
			p = r.stream(t, test.then...)
			r.records(t, "r1", "r2")
			p.stop(t)
		})
		t.Run(test.name+", while it is stopped", func(t *testing.T) {
			t.Parallel()
			r := newRig(t, outboxTable)
			r.stream(t).stop(t)
			r.insert(t, "r1")
			execAt(t, r.db.DSN, append(test.steps, test.second)...)
			if test.stoppedWord != "" {
				r.launch(t).mustEnd(t, exitConfig, test.stoppedWord)
			} else {
				r.launch(t).mustEnd(t, exitConfig, test.word)
				r.records(t, "r1") // what came before was delivered
			}
			p := r.stream(t, test.then...)
			r.records(t, "r1", "r2")
			p.stop(t)
		})
	}
}

// TestRowsFromBeforeARename lets the operator name only the table's new name, while rows are still to come that were
// written under the old one. To skip them as another table's would lose them.
func TestRowsFromBeforeARename(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.stream(t).stop(t)
	r.insert(t, "r1")
	r.db.Exec(t, `ALTER TABLE outbox RENAME TO events`)
	r.launch(t, "-table.include.list", "public.events").mustEnd(t, exitConfig, "public.outbox", "public.events", "table.include.list")
	p := r.stream(t, "-table.include.list", "public.outbox,public.events")
	r.records(t, "r1")
	r.awaitConfirmed(t)
	p.stop(t)
	p = r.stream(t, "-table.include.list", "public.events") // they have come, so the old name can go
	r.db.Exec(t, `INSERT INTO events (id, aggregatetype, aggregateid, payload) VALUES ('r2', 'all', 'k', 'x')`)
	r.records(t, "r1", "r2")
	p.stop(t)
}

// TestNeededColumnIsGoneForAWhile drops the payload, writes a row, and brings the column back: that row has no payload
// in the WAL, whatever is done to the table.
func TestNeededColumnIsGoneForAWhile(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	p := r.stream(t)
	r.insert(t, "r1")
	execAt(t, r.db.DSN, `ALTER TABLE outbox DROP payload`, `INSERT INTO outbox (id, aggregatetype, aggregateid) VALUES ('r2', 'all', 'k')`)
	p.mustEnd(t, exitConfig, `payload`, "-snapshot.mode when_needed")
	r.records(t, "r1")
	r.db.Exec(t, `ALTER TABLE outbox ADD payload text`)
	r.launch(t).mustEnd(t, exitConfig, `payload`, "-snapshot.mode when_needed")
	r.dropSlot(t)
	p = r.stream(t, "-snapshot.mode", "when_needed")
	r.records(t, "r1", "r2")
	p.stop(t)
}
