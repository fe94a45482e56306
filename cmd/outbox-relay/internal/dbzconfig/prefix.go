package dbzconfig

import (
	"regexp"
	"strings"
)

var prefixName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// readPrefix takes over topic.prefix if Debezium starts with it.
func (im *importer) readPrefix(o *Option, s setting) {
	if value, err := im.resolve(s, nil); err == nil && !prefixName.MatchString(value) {
		im.refuse(s.src, []string{o.flag()}, "%q is no prefix that Debezium takes: it has letters, digits, dots, underscores and hyphens only", value)
		return
	}
	im.emit(o, s)
}

// knownPrefix is topic.prefix for a predicate, which cannot be decided without: it is refused once, whoever asks.
func (im *importer) knownPrefix(src Source, what string) (string, bool) {
	prefix, known := im.value("topic.prefix")
	if f, set := im.flags["topic.prefix"]; !known && !im.prefixAsked && !im.decided["topic.prefix"] {
		im.prefixAsked = true
		why := "it is not set"
		if set {
			why = f.Unresolved.Error()
			delete(im.flags, "topic.prefix") // told here
		}
		im.refuse(src, nil, "the predicate asks for the topics of %s, which begin with topic.prefix, and that is not known (%s); write it into the file", what, why)
	}
	return prefix, known
}

// checkPrefix refuses a configuration without the name that headers, envelopes and heartbeats carry.
func (im *importer) checkPrefix() {
	if _, set := im.flags["topic.prefix"]; set || im.decided["topic.prefix"] || im.prefixAsked {
		return
	}
	headers, _ := im.value("extended.headers.enabled")
	placement, _ := im.value("table.fields.additional.placement")
	_, beats := im.flags["heartbeat.interval.ms"]
	switch {
	case beats || strings.Contains(strings.ToLower(placement), ":envelope"):
		im.refuse(Source{}, []string{"topic.prefix"}, "there is no topic.prefix, which Debezium needs; it is in the records of heartbeats or in the envelope's schema. Set -topic.prefix")
	case headers == "true":
		im.refuse(Source{}, []string{"topic.prefix", "extended.headers.enabled"},
			"there is no topic.prefix, which Debezium needs; it is in the header __debezium.context.connectorLogicalName of each record. Set -topic.prefix, or -extended.headers.enabled=false")
	}
}
