package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
)

// failures are the options of what cannot be sent, or not now.
type failures struct {
	tolerance   string
	replication int   // of a dead-letter topic that is made
	timeout     int64 // errors.retry.timeout, ms
	delayMax    time.Duration
	unexpanded  string
	skip        pipeline.Skip
	skipID      string
	maxTypes    int
	unnamed     string
}

// declareErrors adds the options of events that can never be sent, by Connect's
// names, and of repeats.
func (s *settings) declareErrors(g *options.Group) {
	f, d := &s.failures, &s.kafka.DeadLetters
	g.String(&f.tolerance, "errors.tolerance", "none", "what to do about an event that can never be sent: none stops the relay before it, with exit code 3; all sends it to errors.deadletterqueue.topic.name and goes on. No event is ever dropped, as Connect's all would", options.OneOf("none", "all"))
	g.String(&d.Topic, "errors.deadletterqueue.topic.name", "", "`topic` for such events, whole and with the reason in headers; made with one partition if it does not exist")
	g.Int(&f.replication, "errors.deadletterqueue.topic.replication.factor", -1, "replicas of that topic if it is made; -1 leaves it to the brokers", options.AtLeast(-1), options.AtMost(1000))
	g.Bool(&d.Context, "errors.deadletterqueue.context.headers.enable", true, "add Connect's headers __connect.errors.* to dead letters")
	g.Bool(&d.LogEach, "errors.log.enable", false, "log every dead letter, not only the first and one in 30 s")
	g.Bool(&d.LogRecord, "errors.log.include.messages", false, "log a dead letter's key and headers too; never its value")
	g.Int64(&f.timeout, "errors.retry.timeout", -1, "`milliseconds` for which what may pass is tried again, from the first failure on; then the event goes aside if errors.tolerance is all and a broker has answered, else the relay stops with exit code 1. -1 and 0 are for ever", options.AtLeast(int64(-1)))
	g.Duration(&f.delayMax, "errors.retry.delay.max.ms", time.Minute, "longest pause between repeats, if retry.backoff.max.ms is not shorter", options.AtLeast(time.Millisecond))
	g.String(&f.unexpanded, "expand.json.failure", "pass", "what to do about a payload that table.expand.json.payload cannot expand: pass sends it as text, as Debezium does; fail makes it an event that can never be sent", options.OneOf("pass", "fail"))
	g.String(&f.unnamed, "table.unnamed.handling.mode", "auto", "what to do about rows of a published table that has the columns of an outbox and that no list names or excludes, for it may be the outbox under another name: fail stops before them, with exit code 2; warn tells the first of them and passes them by; "+
		"auto fails if the publication names the table, and warns if it publishes all tables or a schema", options.OneOf("auto", "fail", "warn"))
	options.Parsed(g, &f.skip, "skip.lsn", "", "give up one event by hand: the `LSN` of its transaction as the message of a stop shows it, with #N for the Nth event of it", pipeline.ParseSkipLSN)
	g.String(&f.skipID, "skip.id", "", "the same by the event's `id`; with skip.lsn, both must fit")
	g.Int(&f.maxTypes, "metrics.max-types", pipeline.DefaultMaxTypes, "aggregate types, and topics, with series of their own; the rest counts as other", options.AtLeast(1), options.AtMost(10_000))
}

// checkErrors completes what the options come to, before the Kafka options are
// checked.
func (s *settings) checkErrors() error {
	f, k := &s.failures, &s.kafka
	k.DeadLetters.ReplicationFactor = int16(f.replication)
	k.DeadLetters.Connector = s.replication.Slot
	k.RetryTimeout = time.Duration(max(f.timeout, 0)) * time.Millisecond
	k.RetryBackoffMax = min(k.RetryBackoffMax, f.delayMax)
	k.RetryBackoff = min(k.RetryBackoff, f.delayMax)
	f.skip.ID = f.skipID
	switch {
	case f.tolerance == "all" && k.DeadLetters.Topic == "":
		return errors.New("errors.tolerance: all needs errors.deadletterqueue.topic.name: without it, events that can never be sent would be lost, as in Connect; to give one up, name it by skip.id")
	case f.tolerance != "all" && k.DeadLetters.Topic != "":
		return errors.New("errors.deadletterqueue.topic.name: nothing goes there unless errors.tolerance is all; set it, or leave the topic out")
	}
	return s.refuseMixed(k.DeadLetters.Topic)
}

// refuseMixed keeps dead letters out of a topic of events, whose consumers would take
// them for such. A transform may change a topic's name, so with one nobody knows.
func (s *settings) refuseMixed(topic string) error {
	targets, err := s.router.Targets()
	if err != nil || s.imported.after != "" || topic == "" || !targets.Has(topic) {
		return nil // an error is checkRouter's
	}
	return fmt.Errorf("errors.deadletterqueue.topic.name: events themselves go to %q, by route.topic.regex and route.topic.replacement; their consumers would take a dead letter for an event, so name a topic of another form", topic)
}

// policy is what the relay does about events that cannot be relayed.
func (f *failures) policy() pipeline.Errors {
	return pipeline.Errors{Aside: f.tolerance == "all", FailUnexpanded: f.unexpanded == "fail", Skip: f.skip, Unnamed: pipeline.Unnamed(f.unnamed)}
}
