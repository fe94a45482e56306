package router

import "strings"

// Targets says which topics rows can go to, as far as the options alone tell.
type Targets struct {
	// Fixed is the one topic of all rows; "" if it depends on the row.
	Fixed string
	// Before and After are what every topic's name begins and ends with, around
	// the value of route.by.field. They mean nothing unless Affixed is set.
	Before, After string
	Affixed       bool
}

// Has reports whether rows are known to go to a topic of this name: it is the one
// topic, or the value of route.by.field alone decides. A pattern that fits every
// name tells nothing.
func (t *Targets) Has(topic string) bool {
	if t.Fixed != "" {
		return topic == t.Fixed
	}
	return t.Affixed && t.Before+t.After != "" && t.Fits(topic)
}

// Fits reports whether a name is a value of route.by.field between Before and After.
func (t *Targets) Fits(name string) bool {
	return len(name) > len(t.Before)+len(t.After) && strings.HasPrefix(name, t.Before) && strings.HasSuffix(name, t.After)
}

// Targets looks at route.topic.regex and route.topic.replacement. The error is
// that of Validate.
func (o *Options) Targets() (Targets, error) {
	t, err := newTopics(o.RouteTopicRegex, o.RouteTopicReplacement)
	if err != nil {
		return Targets{}, err
	}
	if t.affixed {
		return Targets{Before: t.before, After: t.after, Affixed: true}, nil
	}
	if !matchesAll(o.RouteTopicRegex) {
		return Targets{}, nil // a value that does not match is the topic itself
	}
	// A replacement that uses no group gives the same for every value.
	one, errOne := t.route("a")
	other, errOther := t.route("b")
	if errOne == nil && errOther == nil && one == other {
		return Targets{Fixed: one}, nil
	}
	return Targets{}, nil
}

// matchesAll knows the expressions that take the whole of any line.
func matchesAll(regex string) bool {
	switch regex {
	case "(?<routedByValue>.*)", "(.*)", ".*":
		return true
	}
	return false
}
