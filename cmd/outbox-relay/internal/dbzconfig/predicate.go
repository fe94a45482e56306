package dbzconfig

import (
	"slices"
	"strings"

	"github.com/outbox-relay/outbox-relay/schema/javaregex"
)

// judged is what a predicate comes to for the outbox tables: whether it lets the transform see all of them, or none.
type judged struct {
	all, none bool
	excluded  []string // the tables that the transform does not see
}

// pattern finds a transform's TopicNameMatches. Other predicates are refused.
func (im *importer) pattern(l link) (re *javaregex.Regexp, negate bool, src Source, ok bool) {
	s := l.options.byKey["predicate"]
	name, ok := im.logic(s)
	if !ok {
		return nil, false, s.src, false
	}
	name = javaTrim(name)
	prefix := "predicates." + name + "."
	class, defined := im.connector.get(prefix + "type")
	if !defined {
		im.refuse(s.src, nil, "the transform %s asks the predicate %s, which has no %stype", l.alias, name, prefix)
		return nil, false, s.src, false
	}
	if list, ok := im.connector.get("predicates"); !ok || !slices.Contains(splitList(list.value), name) {
		im.refuse(s.src, nil, "the transform %s asks the predicate %s, which predicates does not name, so Kafka Connect does not start; write predicates=%s", l.alias, name, strings.Join(append(splitList(list.value), name), ","))
		return nil, false, s.src, false
	}
	if simpleName(strings.TrimSpace(class.value)) != "TopicNameMatches" {
		im.refuse(class.src, nil, "the predicate %s (%s) looks at records in a way that the relay does not know; it knows TopicNameMatches", name, class.value)
		return nil, false, s.src, false
	}
	text, defined := im.connector.get(prefix + "pattern")
	if !defined {
		im.refuse(class.src, nil, "the predicate %s has no %spattern", name, prefix)
		return nil, false, s.src, false
	}
	value, ok := im.logic(text)
	if !ok {
		return nil, false, s.src, false
	}
	re, err := javaregex.Compile(javaTrim(value))
	if err != nil {
		im.refuse(text.src, nil, "%v", err)
		return nil, false, s.src, false
	}
	negate, ok = im.negated(l)
	return re, negate, s.src, ok
}

// checkNegate refuses to negate no predicate, with which Connect does not start. Debezium Server ignores it.
func (im *importer) checkNegate(l link) {
	s, set := l.options.get("negate")
	switch {
	case !set || l.options.has("predicate"):
	case im.server:
		im.ignore(s, "", "there is no predicate to negate")
	default:
		im.refuse(s.src, nil, "there is no %spredicate to negate, so Kafka Connect does not start; take the line out", l.prefix())
	}
}

func (im *importer) negated(l link) (negate, ok bool) {
	s, set := l.options.get("negate")
	if !set {
		return false, true
	}
	value, ok := im.logic(s)
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "true":
		return true, ok
	case "false":
		return false, ok
	}
	if ok {
		im.refuse(s.src, nil, "%q %v", value, errBoolean)
	}
	return false, false
}

// predicate decides a transform's predicate for the outbox tables, whose change events have the topic
// <topic.prefix>.<schema>.<table>.
func (im *importer) predicate(l link) (judged, bool) {
	re, negate, src, ok := im.pattern(l)
	if !ok {
		return judged{}, false
	}
	prefix, known := im.knownPrefix(src, "change events")
	if !known {
		return judged{}, false
	}
	tables, ok := im.literalTables()
	if !ok {
		im.refuse(src, nil, "the predicate asks for the topics of change events, but table.include.list does not name single tables; list them one by one")
		return judged{}, false
	}
	var out judged
	for _, table := range tables {
		matches, err := re.Matches(rawTopic(prefix, table))
		if err != nil {
			im.refuse(src, nil, "%v", err)
			return judged{}, false
		}
		if matches == negate {
			out.excluded = append(out.excluded, table)
		}
	}
	out.all, out.none = len(out.excluded) == 0, len(out.excluded) == len(tables)
	return out, true
}

// rawTopic is the topic of a table's change events. Debezium replaces what Kafka does not take in a topic's name.
func rawTopic(prefix, table string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
			return c
		}
		return '_'
	}, prefix+"."+table)
}

// judgeRouter refuses a predicate that keeps tables from the router.
func (im *importer) judgeRouter(l link) {
	if !l.options.has("predicate") {
		return
	}
	p, ok := im.predicate(l)
	src := l.options.byKey["predicate"].src
	switch {
	case !ok:
	case p.none:
		im.refuse(src, nil, "the predicate keeps every table of table.include.list from the router; nothing would be relayed")
	case !p.all:
		im.refuse(src, []string{"table.include.list"}, "the predicate keeps %s from the router, so Debezium sends plain change events of it; the relay sends outbox events only. "+
			"Set -table.include.list without it if those are not needed", strings.Join(p.excluded, ", "))
	}
}

// condition is the predicate of a transform behind the router as arguments of its stage: there the topic is the routed
// one, so it is asked for each record.
func (im *importer) condition(l link) ([][2]string, bool) {
	if !l.options.has("predicate") {
		return nil, true
	}
	re, negate, _, ok := im.pattern(l)
	if !ok {
		return nil, false
	}
	name := ifTopic
	if negate {
		name = unlessTopic
	}
	return [][2]string{{name, re.String()}}, true
}

// usePredicates marks the keys of predicates that some transform asks.
func (im *importer) usePredicates() {
	s, ok := im.connector.get("predicates")
	if !ok {
		return
	}
	im.used["predicates"] = true
	names := splitList(s.value)
	for _, key := range im.connector.keys {
		rest, ok := strings.CutPrefix(key, "predicates.")
		if name, _, dotted := strings.Cut(rest, "."); ok && dotted && slices.Contains(names, name) {
			im.used[key] = true
		}
	}
}
