package dbzconfig

import "strings"

// readServer spreads Debezium Server's keys over the layers as the server itself does: what follows debezium.source.
// is the connector's, debezium.transforms and debezium.predicates beat their twins under debezium.source, and
// debezium.format.* are options of converters.
func (im *importer) readServer(server *layer) {
	for _, key := range server.keys {
		s := server.byKey[key]
		switch rest, ok := strings.CutPrefix(key, "debezium.source."); {
		case ok && rest != "":
			s.key = rest
			im.connector.set(s)
		case chainKey(key):
		default:
			im.readServerKey(s)
		}
	}
	for _, key := range server.keys { // after the others, so that they win
		if !chainKey(key) {
			continue
		}
		s := server.byKey[key]
		s.key = strings.TrimPrefix(key, "debezium.")
		if list, _, _ := strings.Cut(s.key, "."); !server.has("debezium." + list) {
			im.ignore(s, "debezium.source."+s.key, "Debezium Server does not read it without debezium."+list)
			continue
		}
		im.connector.set(s)
	}
	im.readFormats(server)
}

// chainKey reports whether a key is about transforms or predicates.
func chainKey(key string) bool {
	rest, _ := strings.CutPrefix(key, "debezium.")
	return rest != key && (rest == "transforms" || rest == "predicates" || strings.HasPrefix(rest, "transforms.") || strings.HasPrefix(rest, "predicates."))
}

// readServerKey takes the keys that are neither the connector's nor the chain's.
func (im *importer) readServerKey(s setting) {
	if rest, ok := strings.CutPrefix(s.key, "debezium.sink.kafka.producer."); ok {
		s.key = rest
		im.producer.set(s)
		return
	}
	if strings.HasPrefix(s.key, "debezium.format.") {
		return
	}
	o := im.reg.find(s.key, Server)
	if o == nil {
		im.ignoreServerKey(s)
		return
	}
	im.apply(o, s)
}

// ignoreServerKey lists a key that Debezium Server does not read. One that its connector knows lacks the prefix.
func (im *importer) ignoreServerKey(s setting) {
	if p := profile.FindString(s.key); p != "" {
		im.ignore(s, "", "of the profile "+strings.Trim(p, "%.")+", in which Debezium Server does not run")
		return
	}
	bare := strings.TrimPrefix(s.key, "debezium.")
	for _, side := range sides {
		if rest, ok := strings.CutPrefix(bare, side+".converter"); ok {
			im.ignore(s, "debezium.format."+side+rest, "Debezium Server does not read it")
			return
		}
	}
	if im.reg.find(bare, Connector, Connect) != nil {
		im.ignore(s, "debezium.source."+bare, "Debezium Server does not read it")
		return
	}
	im.ignore(s, nearest(s.key, im.reg.names(Server, "")), "")
}

// readFormats makes converters' options of debezium.format.*: those of one side beat those for all three, which do
// not beat what debezium.source.* says.
func (im *importer) readFormats(server *layer) {
	for _, side := range sides {
		for _, key := range server.keys {
			if rest, ok := strings.CutPrefix(key, "debezium.format."+side+"."); ok {
				s := server.byKey[key]
				s.key = side + ".converter." + rest
				im.connector.set(s)
			}
		}
	}
	for _, key := range server.keys {
		rest, ok := strings.CutPrefix(key, "debezium.format.")
		if !ok {
			continue
		}
		s := server.byKey[key]
		if side, _, dotted := strings.Cut(rest, "."); isSide(side) {
			if !dotted {
				im.formats[side] = s
			}
			continue
		}
		for _, side := range sides {
			s.key = side + ".converter." + rest
			im.connector.setDefault(s)
		}
	}
}

// readSink refuses sinks other than Kafka.
func (im *importer) readSink(_ *Option, s setting) {
	im.sinkSeen = true
	sink, ok := im.logic(s)
	if ok && sink != "kafka" {
		im.refuse(s.src, nil, "the sink is %q, and the relay sends to Kafka only; to move to Kafka, say kafka here, take the other debezium.sink lines out, and set -bootstrap.servers", sink)
	}
}

// checkServer tells what Debezium Server's way to Kafka comes to.
func (im *importer) checkServer() {
	if !im.server {
		return
	}
	im.setFlag("debezium.server", "true", Source{Place: serverDefault})
	if !im.sinkSeen {
		im.notice(Source{}, "debezium.sink.type is not set; taken for kafka")
	}
	if _, ok := im.flags["table.field.event.timestamp"]; ok {
		im.notice(im.flags["table.field.event.timestamp"].Source, "Debezium Server sends no timestamp of its own to Kafka, and with -debezium.server neither does the relay: records have the time at which they are sent")
	}
}
