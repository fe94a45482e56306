package pipeline_test

import (
	"encoding/base64"
	"testing"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// everything is a publication as Debezium makes it: with all operations.
const everything = `CREATE PUBLICATION outbox FOR TABLE outbox`

// Golden case op-key-change-toast-expand: a changed key is a new event, and what
// is stored apart was not sent with it.
func TestKeyChange(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, everything)
	r.replication.CreateSlot = true
	r.router.ExpandJSONPayload = true
	r.router.ValueConverter = schema.Converter{Name: "json"}
	run := r.start(t)
	run.streaming(t)
	r.db.Exec(t, `INSERT INTO outbox SELECT $1, 'all', 'k', 'T', jsonb_build_object('x', string_agg(md5(i::text), '' ORDER BY i)) FROM generate_series(1, 3200) i`, rowID(1))
	r.db.Exec(t, `UPDATE outbox SET id = $1`, rowID(2))
	r.db.Exec(t, `UPDATE outbox SET aggregateid = 'other'`)
	r.db.Exec(t, `DELETE FROM outbox`)
	r.insert(t, "outbox", 3)
	got := r.records(t, r.topic, 3)
	run.stop(t)
	wantTexts(t, got[1:],
		`k "__debezium_unavailable_value" __debezium.oldkey={"id":"`+rowID(1)+`"} id=`+rowID(2),
		`k {} id=`+rowID(3))
	if n := run.count(t, "outbox_relay_rekeyed_events_total"); n != 1 {
		t.Errorf("counted %v changed keys, want 1", n)
	}
	if n := run.count(t, "outbox_relay_ignored_changes_total"); n != 2 {
		t.Errorf("counted %v other changes, want the update and the delete", n)
	}
	if n := r.held(r.topic); n != 3 {
		t.Errorf("%d records, want 3", n)
	}
}

func TestKeyChangeOfBytes(t *testing.T) {
	t.Parallel()
	r := newRig(t, `CREATE TABLE outbox (id uuid PRIMARY KEY, aggregatetype text NOT NULL, aggregateid text NOT NULL, payload bytea)`,
		`ALTER TABLE outbox ALTER payload SET STORAGE EXTERNAL`, everything)
	r.replication.CreateSlot = true
	r.relay.Unavailable = []byte{0, 0xff}
	r.router.ValueConverter = schema.Converter{Name: "json"}
	run := r.start(t)
	run.streaming(t)
	r.db.Exec(t, `INSERT INTO outbox VALUES ($1, 'all', 'k', decode(repeat('00', 5000), 'hex'))`, rowID(1))
	r.db.Exec(t, `UPDATE outbox SET id = $1`, rowID(2))
	got := r.records(t, r.topic, 2)
	run.stop(t)
	if want := `"` + base64.StdEncoding.EncodeToString(r.relay.Unavailable) + `"`; string(got[1].Value) != want {
		t.Errorf("value %s, want %s", got[1].Value, want)
	}
}

// With REPLICA IDENTITY FULL the old row holds what the new one leaves out, and
// the key is still the primary key alone.
func TestKeyChangeWithFullIdentity(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, `ALTER TABLE outbox REPLICA IDENTITY FULL`, `ALTER TABLE outbox ALTER payload SET STORAGE EXTERNAL`, everything)
	r.replication.CreateSlot = true
	run := r.start(t)
	run.streaming(t)
	r.db.Exec(t, `INSERT INTO outbox SELECT $1, 'all', 'k', 'T', to_jsonb(repeat('x', 5000))`, rowID(1))
	r.db.Exec(t, `UPDATE outbox SET type = 'U'`)
	r.db.Exec(t, `UPDATE outbox SET id = $1`, rowID(2))
	got := r.records(t, r.topic, 2)
	run.stop(t)
	if string(got[0].Value) != string(got[1].Value) || len(got[1].Value) != 5002 {
		t.Errorf("value of %d bytes, want that of the old row, %d bytes", len(got[1].Value), len(got[0].Value))
	}
	if h := got[1].Headers[0]; h.Key != "__debezium.oldkey" || string(h.Value) != `{"id":"`+rowID(1)+`"}` {
		t.Errorf("header %s=%s, want the old key", h.Key, h.Value)
	}
}

// A numeric is never sent as a placeholder: the row is refused, after what was
// before it has arrived.
func TestKeyChangeWithoutPlaceholder(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, `ALTER TABLE outbox ADD n numeric`, `ALTER TABLE outbox ALTER n SET STORAGE EXTERNAL`, everything)
	r.replication.CreateSlot = true
	r.router.AdditionalPlacement = "n:header"
	run := r.start(t)
	run.streaming(t)
	r.db.Exec(t, `INSERT INTO outbox VALUES ($1, 'all', 'k', 'T', '{}', repeat('7', 9000)::numeric)`, rowID(1))
	r.db.Exec(t, `UPDATE outbox SET id = $1`, rowID(2))
	wantProblem(t, run.wait(t), replication.Human, `column "n"`)
	if n := r.held(r.topic); n != 1 {
		t.Errorf("%d records, want the first", n)
	}
}

func TestContextHeaders(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.router.Context = []router.ContextHeader{{Key: "__debezium.context.taskId", Value: "0"}}
	r.router.AdditionalPlacement = "type:header:eventType"
	run := r.start(t)
	run.streaming(t)
	r.insert(t, "outbox", 1)
	wantTexts(t, r.records(t, r.topic, 1), `k {} __debezium.context.taskId=0 id=`+rowID(1)+` eventType=T`)
	run.stop(t)
}
