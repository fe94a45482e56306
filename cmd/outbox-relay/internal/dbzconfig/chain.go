package dbzconfig

import (
	"slices"
	"strings"
)

// link is one transform of a connector's chain.
type link struct {
	alias   string
	class   string
	kind    linkKind
	options layer // by what follows transforms.ALIAS.
	src     Source
}

// prefix begins the keys of the link's options.
func (l *link) prefix() string { return "transforms." + l.alias + "." }

// linkKind is what a transform does.
type linkKind int

const (
	unknownLink linkKind = iota
	routerLink
	regexLink
	dropLink
	insertLink
	unwrapLink
	decodeLink
)

const routerClass = "io.debezium.transforms.outbox.EventRouter"

var linkClasses = map[string]linkKind{
	routerClass: routerLink,
	decodeClass: decodeLink,
	"org.apache.kafka.connect.transforms.RegexRouter":             regexLink,
	"io.confluent.connect.cloud.transforms.TopicRegexRouter":      regexLink, // Confluent Cloud's name for the same
	"org.apache.kafka.connect.transforms.DropHeaders":             dropLink,
	"org.apache.kafka.connect.transforms.InsertHeader":            insertLink,
	"io.debezium.transforms.ExtractNewRecordState":                unwrapLink,
	"io.debezium.transforms.UnwrapFromEnvelope":                   unwrapLink, // until 0.9
	"io.confluent.connect.cloud.transforms.ExtractNewRecordState": unwrapLink,
}

// kindOfClass knows a class by its name, or by the last part of it, which Connect takes for an alias.
func kindOfClass(class string) linkKind {
	class = strings.TrimSpace(class)
	if kind, ok := linkClasses[class]; ok || strings.Contains(class, ".") {
		return kind
	}
	for name, kind := range linkClasses {
		if simpleName(name) == class {
			return kind
		}
	}
	return unknownLink
}

// simpleName is a class's name without its package.
func simpleName(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

func isRouterClass(class string) bool { return kindOfClass(class) == routerLink }

// checkClass refuses connectors for other databases. What else is wrong is found all the same.
func (im *importer) checkClass() {
	s, ok := im.connector.get("connector.class")
	if !ok {
		return // told once it is known that there is a router
	}
	class, ok := im.logic(s)
	switch strings.TrimSpace(class) {
	case "io.debezium.connector.postgresql.PostgresConnector", "PostgresConnector", "Postgres":
	case "PostgresCdcSource", "PostgresCdcSourceV2":
		im.notice(s.src, "Confluent Cloud's name for Debezium's connector; options of its own are listed as ignored")
	default:
		if ok {
			im.refuse(s.src, nil, "%s is not Debezium's connector for PostgreSQL (io.debezium.connector.postgresql.PostgresConnector)", class)
		}
	}
}

// readClass is what is left to do for connector.class when the options are read.
func (im *importer) readClass(*Option, setting) {}

// readChain finds the transforms and the Event Router among them. It reports false if there is no router: then nothing
// else of the configuration is of interest.
func (im *importer) readChain() ([]link, bool) {
	s, ok := im.connector.get("transforms")
	im.used["transforms"] = true
	names, fine := im.logic(s)
	if !fine {
		return nil, false
	}
	var chain []link
	for _, alias := range splitList(names) {
		if slices.ContainsFunc(chain, func(l link) bool { return l.alias == alias }) {
			im.refuse(s.src, nil, "%s is named twice; Connect takes each transform once", alias)
			continue
		}
		chain = append(chain, im.readLink(s, alias))
	}
	im.decoding = decodes(chain)
	routers := 0
	for _, l := range chain {
		if l.kind == routerLink {
			im.router, routers = l, routers+1
		}
	}
	switch {
	case routers == 1:
		return chain, true
	case routers > 1:
		im.refuse(s.src, nil, "%d transforms are Event Routers; the relay has one", routers)
	case !ok:
		im.refuse(Source{}, nil, "there are no transforms, so no %s: the connector sends the changes of tables, not outbox events", routerClass)
	default:
		im.refuse(s.src, nil, "no transform is %s, so these are not outbox events: there is %s", routerClass, described(chain))
	}
	return nil, false
}

// described lists transforms with their classes.
func described(chain []link) string {
	var out []string
	for _, l := range chain {
		out = append(out, l.alias+" ("+l.class+")")
	}
	return strings.Join(out, ", ")
}

// readLink reads one transform's class and options.
func (im *importer) readLink(list setting, alias string) link {
	l := link{alias: alias, src: list.src}
	l.options = *im.connector.under(l.prefix())
	for _, k := range l.options.keys {
		im.used[l.prefix()+k] = true
	}
	class, ok := l.options.get("type")
	if !ok {
		im.refuse(list.src, []string{afterFlag}, "the transform %s has no %stype", alias, l.prefix())
		return l
	}
	l.src = class.src
	l.class, _ = im.logic(class)
	l.kind = kindOfClass(l.class)
	return l
}

// afterFlag holds the transforms behind the router.
const afterFlag = "transforms.after"

// splitList splits at commas and drops blanks and empty members.
func splitList(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
