package dbzconfig

// decodeClass makes rows of logical decoding messages, if it stands before the router.
const decodeClass = "io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent"

const (
	includeMessages = "message.prefix.include.list"
	excludeMessages = "message.prefix.exclude.list"
	messageNulls    = "message.fields.null.include"
)

// decodes reports whether messages of pg_logical_emit_message become rows before the router.
func decodes(chain []link) bool {
	for _, l := range chain {
		switch l.kind {
		case decodeLink:
			return true
		case routerLink:
			return false
		}
	}
	return false
}

// readMessages takes over which messages are events. Without the transform they are none.
func (im *importer) readMessages(o *Option, s setting) {
	if im.decoding {
		im.emit(o, s)
		return
	}
	if s.value != "" && o.Name == includeMessages {
		im.notice(s.src, "records of pg_logical_emit_message go to the topic <topic.prefix>.message; the relay does not send them, unless %s stands before the router", simpleName(decodeClass))
	}
}

// judgeDecode takes over the transform that makes rows of messages. What no list leaves out is an event.
func (im *importer) judgeDecode(l link) {
	if !im.seesMessages(l) || !im.seesMessages(im.router) {
		return
	}
	if im.blank(includeMessages) && im.blank(excludeMessages) {
		delete(im.flags, excludeMessages)
		im.setFlag(includeMessages, ".*", Source{Place: debeziumDefault})
	}
	if s, ok := l.options.get("fields.null.include"); ok {
		option := Option{Flag: messageNulls, value: boolean}
		im.emit(&option, s)
	}
	im.listUnknown(&l, []string{"fields.null.include", "type", "predicate", "negate", "plugin.version"})
}

// blank reports whether a list is not set, or to nothing.
func (im *importer) blank(flag string) bool {
	f, set := im.flags[flag]
	return !set || f.Value == ""
}

// seesMessages asks a transform's predicate for the topic of messages.
func (im *importer) seesMessages(l link) bool {
	if !l.options.has("predicate") {
		return true
	}
	re, negate, src, ok := im.pattern(l)
	if !ok {
		return false
	}
	prefix, known := im.knownPrefix(src, "messages")
	if !known {
		return false
	}
	if matches, err := re.Matches(rawTopic(prefix, "message")); err != nil || matches == negate {
		im.refuse(src, nil, "the predicate keeps the messages of pg_logical_emit_message from the transform %s, so they would go to the topic %s, which the relay does not send to", l.alias, rawTopic(prefix, "message"))
		return false
	}
	return true
}
