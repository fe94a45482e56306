package router

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/outbox-relay/outbox-relay/schema/javaregex"
)

// maxTopics bounds how many routed values are remembered. A broker with more
// topics than this is in trouble by itself; what lies beyond is computed anew.
const maxTopics = 10_000

// topics finds the topic of a routed value. It is not safe for concurrent use.
type topics struct {
	regex       *javaregex.Regexp
	replacement *javaregex.Replacement

	// affixed: the regex takes all of a line into the group that the replacement
	// names, so the topic is before + value + after.
	affixed       bool
	before, after string

	known map[string]string
}

// newTopics compiles route.topic.regex and route.topic.replacement. A group that
// the replacement names and the regex lacks is an error here; Debezium fails at
// the first record that matches.
func newTopics(regex, replacement string) (*topics, error) {
	t := &topics{known: map[string]string{}}
	var err error
	if t.regex, err = javaregex.Compile(regex); err != nil {
		return nil, fmt.Errorf("-route.topic.regex: %w", err)
	}
	if replacement == "" {
		return nil, errors.New("-route.topic.replacement: a topic's name is needed")
	}
	if t.replacement, err = t.regex.ParseReplacement(replacement); err != nil {
		return nil, fmt.Errorf("-route.topic.replacement: %w", err)
	}
	switch regex {
	case "(?<routedByValue>.*)", "(.*)":
		var group int
		t.before, t.after, group, t.affixed = t.replacement.Affixes()
		t.affixed = t.affixed && group <= 1
	}
	return t, nil
}

// topic returns the topic for a routed value. The same value gives the same
// string, without an allocation after the first time.
func (t *topics) topic(value []byte) (string, error) {
	if name, ok := t.known[string(value)]; ok {
		return name, nil
	}
	v := string(value)
	name, err := t.route(v)
	if err != nil {
		return "", err
	}
	if len(t.known) < maxTopics {
		t.known[v] = name
	}
	return name, nil
}

// route is Connect's RegexRouter: the value itself unless all of it matches,
// else the value with the first place that matches replaced.
func (t *topics) route(value string) (string, error) {
	if t.affixed && !bytes.ContainsAny([]byte(value), "\n\r\u0085\u2028\u2029") {
		return t.before + value + t.after, nil
	}
	matches, err := t.regex.Matches(value)
	if err != nil || !matches {
		return value, err
	}
	return t.regex.ReplaceFirst(value, t.replacement)
}
