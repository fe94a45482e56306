package dbzconfig

import (
	"strings"

	"github.com/outbox-relay/outbox-relay/router"
)

// beatTopicFlag holds the heartbeats' topic as transforms before the router have left it.
const beatTopicFlag = "heartbeat.topic"

// beats are the heartbeats on their way through the chain: Debezium sends them through every transform. The Event
// Router lets them pass, because they are no change of a table.
type beats struct {
	on    bool
	known bool   // topic is
	topic string // where the chain has them by now
	first string // where they began
	src   Source // of the transform that renamed them last
}

// startBeats looks whether there are heartbeats, and at the topic with which they enter the chain.
func (im *importer) startBeats() beats {
	interval, known := im.value("heartbeat.interval.ms")
	if _, set := im.flags["heartbeat.interval.ms"]; !set || known && strings.Trim(interval, "0") == "" {
		return beats{}
	}
	name, known := im.value("topic.prefix")
	first, set := im.value("topic.heartbeat.prefix")
	if f, unresolved := im.flags["topic.heartbeat.prefix"]; unresolved && f.Unresolved != nil {
		known = false
	}
	if !set {
		first = im.reg.find("topic.heartbeat.prefix", Connector).Default
	}
	topic := first + "." + name
	return beats{on: true, known: known, topic: topic, first: topic}
}

// pass lets heartbeats through a transform before the router. It reports false if it has refused that.
func (b *beats) pass(im *importer, l link) bool {
	switch {
	case !b.on || l.kind == unwrapLink || l.kind == decodeLink: // those let pass what is no change of a table
		return true
	case !b.known:
		im.refuse(l.src, []string{"heartbeat.interval.ms"}, "the transform %s sees heartbeats too, and their topic is not known; write topic.prefix into the file, or set -heartbeat.interval.ms=0", l.alias)
		return false
	}
	if sees, ok := im.seesTopic(l, b.topic); !ok || !sees {
		return ok
	}
	if l.kind != regexLink {
		im.refuse(l.src, []string{"heartbeat.interval.ms"}, "the transform %s (%s) stands before the router and changes heartbeats, or drops them; the relay has no such step. Set -heartbeat.interval.ms=0 if nobody needs them", l.alias, l.class)
		return false
	}
	return b.rename(im, l)
}

// seesTopic asks a transform's predicate for a record of the topic.
func (im *importer) seesTopic(l link, topic string) (sees, ok bool) {
	if !l.options.has("predicate") {
		return true, true
	}
	re, negate, src, ok := im.pattern(l)
	if !ok {
		return false, false
	}
	matches, err := re.Matches(topic)
	if err != nil {
		im.refuse(src, nil, "%v", err)
	}
	return matches != negate, err == nil
}

// rename runs a RegexRouter on the heartbeats' topic.
func (b *beats) rename(im *importer, l link) bool {
	st, ok := im.stageOf(l, "RegexRouter", "regex", "replacement")
	if !ok {
		return false
	}
	rec := router.Record{Topic: b.topic}
	s, err := newRename(st)
	if err == nil {
		err = s.apply(&rec)
	}
	if err != nil {
		im.refuse(l.src, nil, "%v", err)
		return false
	}
	if rec.Topic != b.topic {
		b.topic, b.src = rec.Topic, l.src
	}
	return true
}

// set makes the flag of a topic that is another than Debezium's own.
func (b *beats) set(im *importer) {
	if b.on && b.known && b.topic != b.first {
		im.setFlag(beatTopicFlag, b.topic, b.src)
		im.notice(b.src, "before the router, a transform has an effect on heartbeats only: they go to %s, or where the transforms behind the router send them from there", b.topic)
	}
}
