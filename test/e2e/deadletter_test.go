package e2e_test

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/load"
)

// laxTable takes rows that can never be events.
const laxTable = `CREATE TABLE outbox (id uuid, aggregatetype text, aggregateid text, type text, payload text)`

// aside names a dead-letter topic of the rig, which the relay makes, and the options that use it.
func (r *rig) aside(t testing.TB) (topic string, args []string) {
	t.Helper()
	topic = r.types[0] + ".dead"
	t.Cleanup(func() {
		if err := r.cluster.DeleteTopic(context.Background(), topic); err != nil {
			t.Error(err)
		}
	})
	return topic, []string{"-errors.tolerance", "all", "-errors.deadletterqueue.topic.name", topic}
}

// insertRow commits one row as it is; empty strings are NULL.
func (r *rig) insertRow(t testing.TB, id, aggregateType, key, payload string) {
	t.Helper()
	r.db.Exec(t, `INSERT INTO outbox VALUES (nullif($1, '')::uuid, nullif($2, ''), nullif($3, ''), 'Changed', $4)`, id, aggregateType, key, payload)
}

// letters reads dead letters until there are n, and returns them in their order.
func (r *rig) letters(t testing.TB, topic string, n int) []*kgo.Record {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(r.brokers()...), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var got []*kgo.Record
	for ctx := wait.Context(t, arriveTimeout); len(got) < n; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			t.Fatalf("%d of %d dead letters came: %v", len(got), n, err)
		}
		got = append(got, fetches.Records()...)
	}
	return got
}

func headerOf(r *kgo.Record, key string) string {
	for _, h := range r.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}

// smallTopic makes a topic that takes only small records.
func (r *rig) smallTopic(t testing.TB, topic string) {
	t.Helper()
	if err := r.cluster.CreateTopic(wait.Context(t, startTimeout), topic, 1, 1, map[string]string{"max.message.bytes": "20000"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.cluster.DeleteTopic(context.Background(), topic); err != nil {
			t.Error(err)
		}
	})
}

// TestEventsThatCannotBeSentGoAside commits, between events that can be sent, one of each kind that cannot. The former
// arrive once and in order; the latter are in the dead-letter topic, whole and with the reason; and all is confirmed.
func TestEventsThatCannotBeSentGoAside(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{table: laxTable})
	dead, args := r.aside(t)
	small := r.types[0] + ".small"
	r.smallTopic(t, load.Topic(small))
	kinds := []struct {
		aggregateType, payload, topic, reason string
		noID                                  bool
	}{
		{"Order Item", "x", "outbox.event.Order Item", "INVALID_TOPIC_EXCEPTION", false},
		{r.types[0] + ".ghost", "x", load.Topic(r.types[0] + ".ghost"), "UNKNOWN_TOPIC_OR_PARTITION", false},
		{r.types[0], strings.Repeat("x", 3<<20), load.Topic(r.types[0]), "RECORD_TOO_LARGE", false},
		{small, rand.Text() + strings.Repeat("y", 50_000), load.Topic(small), "MESSAGE_TOO_LARGE", false},
		{"", "x", "", "ROW_NOT_ROUTABLE", false},
		{r.types[0], "no id", load.Topic(r.types[0]), "ROW_NOT_ROUTABLE", true},
	}
	consumer := r.consume(t)
	p := r.stream(t, args...)
	var good []judge.Committed
	want := make(map[string]int) // index of the kind, by reason and topic
	for i, kind := range kinds {
		good = append(good, r.insert(t, "k"))
		id := newID()
		if kind.noID {
			id = ""
		}
		r.insertRow(t, id, kind.aggregateType, "k", kind.payload)
		want[kind.reason+" "+id] = i
	}
	good = append(good, r.insert(t, "k"))
	renumber(good)
	letters := r.letters(t, dead, len(kinds))
	arrived(t, consumer, good)
	for _, l := range letters {
		reason, _, _ := strings.Cut(headerOf(l, "__connect.errors.exception.message"), ":")
		i, known := want[reason+" "+headerOf(l, "id")]
		if !known {
			t.Errorf("a dead letter for %s, id %q, of no event", reason, headerOf(l, "id"))
			continue
		}
		delete(want, reason+" "+headerOf(l, "id"))
		kind := kinds[i]
		if reason != "ROW_NOT_ROUTABLE" && string(l.Value) != kind.payload {
			t.Errorf("%s: the letter holds %d bytes, want the event's %d", reason, len(l.Value), len(kind.payload))
		}
		if reason == "ROW_NOT_ROUTABLE" && !strings.Contains(string(l.Value), `"payload":"`+kind.payload+`"`) {
			t.Errorf("the letter of a row holds %s", l.Value)
		}
		if topic := headerOf(l, "__connect.errors.topic"); topic != kind.topic && reason != "ROW_NOT_ROUTABLE" {
			t.Errorf("%s: the letter is for topic %q, want %q", reason, topic, kind.topic)
		}
		if connector := headerOf(l, "__connect.errors.connector.name"); connector != r.slot {
			t.Errorf("the letter comes from %q", connector)
		}
	}
	if metrics := p.get(t, "/metrics"); !strings.Contains(metrics, `outbox_relay_dead_letters_total{reason="MESSAGE_TOO_LARGE",slot="`+r.slot+`"} 1`) {
		t.Error("the metrics do not count the letter")
	}
	p.await(t, 0, "event that cannot be sent is in the dead-letter topic")
	p.stop(t)
	r.stream(t, args...).stop(t) // to which nothing is left
	once(t, r.verdict(t, consumer, good))
	if n := len(r.letters(t, dead, len(kinds))); n != len(kinds) {
		t.Errorf("%d dead letters, want %d", n, len(kinds))
	}
}

// TestDeadLetterThatCannotBeSentStopsTheRelay: nothing is dropped when the dead-letter topic refuses too.
func TestDeadLetterThatCannotBeSentStopsTheRelay(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{table: laxTable})
	consumer := r.consume(t)
	dead, args := r.aside(t)
	if err := r.cluster.CreateTopic(wait.Context(t, startTimeout), dead, 1, 1, map[string]string{"max.message.bytes": "20000"}); err != nil {
		t.Fatal(err)
	}
	p := r.stream(t, args...)
	good, bad := r.insert(t, "good"), newID()
	r.insertRow(t, bad, r.types[0], "k", strings.Repeat("x", 2<<20))
	words := []string{bad, dead, "MESSAGE_TOO_LARGE", "RECORD_TOO_LARGE", "max.message.bytes", "-skip.id"}
	p.mustEnd(t, exitHuman, words...)
	r.launch(t, args...).mustEnd(t, exitHuman, words...)
	once(t, r.verdict(t, consumer, []judge.Committed{good}))

	later := r.insert(t, "good")
	p = r.stream(t, append(args, "-skip.id", bad)...)
	rows := []judge.Committed{good, later}
	renumber(rows)
	arrived(t, consumer, rows)
	p.await(t, 0, "event skipped by hand (skip.lsn, skip.id) and given up; take the option out of the configuration now")
	p.stop(t)
	p = r.stream(t, append(args, "-skip.id", bad)...)
	p.await(t, 0, "skip.lsn or skip.id has matched no event so far; nothing was skipped")
	p.stop(t)
	once(t, r.verdict(t, consumer, rows))
}

// TestEventTooLargeForItsTopicStopsTheRelay: the limit is the broker's.
func TestEventTooLargeForItsTopicStopsTheRelay(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{table: laxTable})
	consumer := r.consume(t)
	small := r.types[0] + ".small"
	r.smallTopic(t, load.Topic(small))
	p := r.stream(t)
	good, bad := r.insert(t, "good"), newID()
	r.insertRow(t, bad, small, "k", strings.Repeat("x", 100_000))
	words := []string{bad, load.Topic(small), "MESSAGE_TOO_LARGE", "max.message.bytes=", "-skip.lsn", "errors.deadletterqueue.topic.name"}
	p.mustEnd(t, exitHuman, words...)
	r.launch(t).mustEnd(t, exitHuman, words...)
	once(t, r.verdict(t, consumer, []judge.Committed{good}))
}

// TestToleranceNeedsATopic: Connect would drop the events.
func TestToleranceNeedsATopic(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{bootstrap: deadBroker(t)})
	r.launch(t, "-errors.tolerance", "all").mustEnd(t, exitConfig, "errors.tolerance", "errors.deadletterqueue.topic.name", "lost")
	r.launch(t, "-errors.deadletterqueue.topic.name", "dead").mustEnd(t, exitConfig, "errors.deadletterqueue.topic.name", "errors.tolerance")
	r.launch(t, "-errors.tolerance", "all", "-errors.deadletterqueue.topic.name", "Order Item", "-skip.lsn", "x").mustEnd(t, exitConfig, "errors.deadletterqueue.topic.name", "' '", "skip.lsn")
}

// TestRetryTimeoutEndsTheRelay: what may pass is given up where that is wanted, and a new start goes on with it.
func TestRetryTimeoutEndsTheRelay(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	r.bootstrap = deadBroker(t)
	p := r.launch(t, "-errors.retry.timeout", "500")
	p.mustEnd(t, exitRestart, "errors.retry.timeout is 500ms")
}
