package pipeline_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

const laxTable = `CREATE TABLE outbox (id text, aggregatetype text, aggregateid text, type text, payload text)`

const deadTopic = "dead"

// newAsideRig has a table that takes anything, and a dead-letter topic.
func newAsideRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, laxTable)
	r.relay.Errors.Aside = true
	r.kafka.DeadLetters = kafka.DeadLetters{Topic: deadTopic, Context: true, Connector: "srv"}
	return r
}

// reasons are what the headers of dead letters say.
func reasons(letters []*kgo.Record) []string {
	var out []string
	for _, l := range letters {
		for _, h := range l.Headers {
			if h.Key == "__connect.errors.exception.message" {
				reason, _, _ := strings.Cut(string(h.Value), ":")
				out = append(out, reason)
			}
		}
	}
	return out
}

// Rows of which no record can be made go aside as JSON, with id and key as far as
// they have them; the rows around them arrive, and the position is confirmed.
func TestRowsGoAside(t *testing.T) {
	t.Parallel()
	r := newAsideRig(t)
	run := r.start(t)
	run.streaming(t)
	r.db.Exec(t, `INSERT INTO outbox VALUES
		('1', 'all', 'k', 'T', 'a'),
		('2', NULL, 'k', 'T', '{"x": "<&>"}'),
		('3', 'all', 'k', 'T', 'b'),
		(NULL, 'all', 'k', 'T', 'no id'),
		(NULL, NULL, NULL, NULL, NULL),
		('4', 'all', 'k', 'T', 'c')`)
	got := r.records(t, r.topic, 3)
	letters := r.records(t, deadTopic, 3)
	run.stop(t)
	wantTexts(t, got, "k a id=1", "k b id=3", "k c id=4")
	for i, want := range []struct{ key, value, id string }{
		{"k", `{"id":"2","aggregatetype":null,"aggregateid":"k","type":"T","payload":"{\"x\": \"<&>\"}"}`, "2"},
		{"k", `{"id":null,"aggregatetype":"all","aggregateid":"k","type":"T","payload":"no id"}`, ""},
		{"", `{"id":null,"aggregatetype":null,"aggregateid":null,"type":null,"payload":null}`, ""},
	} {
		l := letters[i]
		id := ""
		if l.Headers[0].Key == "id" {
			id = string(l.Headers[0].Value)
		}
		if string(l.Key) != want.key || string(l.Value) != want.value || id != want.id || !json.Valid(l.Value) {
			t.Errorf("dead letter %d: key %q, id %q, %s, want %+v", i, l.Key, id, l.Value, want)
		}
		if want.key == "" && l.Key != nil {
			t.Error("a null key became an empty one")
		}
	}
	if got := fmt.Sprint(reasons(letters)); got != "[ROW_NOT_ROUTABLE ROW_NOT_ROUTABLE ROW_NOT_ROUTABLE]" {
		t.Errorf("reasons %s", got)
	}
	if n := run.count(t, "outbox_relay_dead_letters_total"); n != 3 {
		t.Errorf("%v dead letters were counted", n)
	}
	again := r.start(t)
	again.streaming(t)
	again.stop(t)
	if n := r.held(r.topic) + r.held(deadTopic); n != 6 {
		t.Errorf("%d records after another start, want the 6: all was confirmed", n)
	}
}

// A transform behind the router that fails, and payloads that cannot be expanded.
func TestOtherFaultsGoAside(t *testing.T) {
	t.Parallel()
	r := newAsideRig(t)
	r.relay.Errors.FailUnexpanded = true
	r.router.ExpandJSONPayload = true
	r.router.ValueConverter.Name = "json"
	r.relay.After = func(rec *router.Record) error {
		if string(rec.Key) == "bad" {
			return fmt.Errorf("it does not like the key")
		}
		return nil
	}
	run := r.start(t)
	run.streaming(t)
	r.db.Exec(t, `INSERT INTO outbox VALUES ('1', 'all', 'k', 'T', '{"a":1}'), ('2', 'all', 'bad', 'T', '{"a":1}'), ('3', 'all', 'k', 'T', 'no JSON')`)
	letters := r.records(t, deadTopic, 2)
	run.stop(t)
	if got := fmt.Sprint(reasons(letters)); got != "[TRANSFORM_FAILED PAYLOAD_NOT_EXPANDABLE]" {
		t.Errorf("reasons %s", got)
	}
	if n := r.held(r.topic); n != 1 {
		t.Errorf("%d records, want 1", n)
	}
}

// Without a dead-letter topic a payload that cannot be expanded passes or stops the
// relay, as is chosen.
func TestUnexpandedPayload(t *testing.T) {
	t.Parallel()
	for _, fail := range []bool{false, true} {
		t.Run(fmt.Sprint(fail), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, laxTable)
			r.relay.Errors.FailUnexpanded = fail
			r.router.ExpandJSONPayload = true
			r.router.ValueConverter.Name = "json"
			run := r.start(t)
			run.streaming(t)
			r.db.Exec(t, `INSERT INTO outbox VALUES ('7', 'all', 'k', 'T', 'no JSON')`)
			if fail {
				wantProblem(t, run.wait(t), replication.Human, "expand.json.failure is fail")
				return
			}
			r.records(t, r.topic, 1)
			run.stop(t)
			if n := run.count(t, "outbox_relay_unexpanded_payloads_total"); n != 1 {
				t.Errorf("%v payloads were counted", n)
			}
		})
	}
}

// What the producer refuses, and what the handler refuses, in one transaction: the
// position passes it when both dead letters are acknowledged.
func TestBothKindsInOneTransaction(t *testing.T) {
	t.Parallel()
	r := newAsideRig(t)
	r.router.RouteTopicReplacement = "$1"
	run := r.start(t)
	run.streaming(t)
	r.db.Exec(t, `INSERT INTO outbox VALUES ('1', 'events', 'k', 'T', 'a'), ('2', 'Order Item', 'k', 'T', 'b'), ('3', NULL, 'k', 'T', 'c'), ('4', 'events', 'k', 'T', 'd')`)
	got := r.records(t, "events", 2)
	letters := r.records(t, deadTopic, 2)
	run.stop(t)
	wantTexts(t, got, "k a id=1", "k d id=4")
	if string(letters[0].Value) != "b" {
		t.Errorf("the first dead letter is %s, want the record's own value", letters[0].Value)
	}
}
