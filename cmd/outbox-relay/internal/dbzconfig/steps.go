package dbzconfig

import (
	"errors"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/javaregex"
)

// maxTopics bounds how many topics a step remembers, as the router does.
const maxTopics = 10_000

// remembered is a function of a topic that is computed once for each.
type remembered[T any] struct {
	of    func(topic string) (T, error)
	known map[string]T
}

func (r *remembered[T]) get(topic string) (T, error) {
	if v, ok := r.known[topic]; ok {
		return v, nil
	}
	v, err := r.of(topic)
	if err == nil && len(r.known) < maxTopics {
		if r.known == nil {
			r.known = map[string]T{}
		}
		r.known[topic] = v
	}
	return v, err
}

// rename is Connect's RegexRouter: a topic that matches as a whole has the first match replaced.
type rename struct{ topics remembered[string] }

func newRename(s stage) (step, error) {
	args, err := s.only("regex", "replacement")
	if err != nil {
		return nil, err
	}
	if err := checkRule(args["regex"], args["replacement"]); err != nil {
		return nil, err
	}
	re, err := javaregex.Compile(args["regex"])
	if err != nil {
		return nil, err
	}
	with, err := re.ParseReplacement(args["replacement"])
	if err != nil {
		return nil, err
	}
	return &rename{remembered[string]{of: func(topic string) (string, error) {
		if ok, err := re.Matches(topic); err != nil || !ok {
			return topic, err
		}
		return re.ReplaceFirst(topic, with)
	}}}, nil
}

func (r *rename) apply(rec *router.Record) error {
	topic, err := r.topics.get(rec.Topic)
	if err == nil {
		rec.Topic = topic
	}
	return err
}

// drop is Connect's DropHeaders: every header of one of the names goes.
type drop struct{ names map[string]bool }

func newDrop(s stage) (step, error) {
	args, err := s.only("headers")
	if err != nil {
		return nil, err
	}
	d := &drop{names: map[string]bool{}}
	for _, name := range splitList(args["headers"]) {
		d.names[name] = true
	}
	if len(d.names) == 0 {
		return nil, errors.New("headers names none")
	}
	return d, nil
}

func (d *drop) apply(rec *router.Record) error {
	kept := rec.Headers[:0]
	for _, h := range rec.Headers {
		if !d.names[h.Key] {
			kept = append(kept, h)
		}
	}
	clear(rec.Headers[len(kept):]) // let go of what was dropped
	rec.Headers = kept
	return nil
}

// insert is Connect's InsertHeader: one more header, behind the others.
type insert struct{ header router.Header }

func newInsert(s stage, converter schema.Converter) (step, error) {
	args, err := s.only("header", "value.literal")
	if err != nil {
		return nil, err
	}
	if args["header"] == "" {
		return nil, errors.New("header is empty")
	}
	value, err := literalHeader(args["value.literal"], converter)
	if err != nil {
		return nil, err
	}
	return &insert{router.Header{Key: args["header"], Value: value}}, nil
}

func (i *insert) apply(rec *router.Record) error {
	rec.Headers = append(rec.Headers, i.header)
	return nil
}

// conditional puts a stage's conditions before it.
func (s stage) conditional(inner step) (step, error) {
	for _, a := range s.args {
		if a[0] != ifTopic && a[0] != unlessTopic {
			continue
		}
		re, err := javaregex.Compile(a[1])
		if err != nil {
			return nil, err
		}
		inner = &conditional{step: inner, topics: remembered[bool]{of: re.Matches}, want: a[0] == ifTopic}
	}
	return inner, nil
}

// conditional is a transform with Connect's predicate TopicNameMatches.
type conditional struct {
	step   step
	topics remembered[bool]
	want   bool
}

func (c *conditional) apply(rec *router.Record) error {
	matches, err := c.topics.get(rec.Topic)
	if err != nil || matches != c.want {
		return err
	}
	return c.step.apply(rec)
}
