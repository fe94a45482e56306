package dbzconfig

import "strings"

// readHeartbeat takes over heartbeat.action.query if Debezium would run it, and refuses one that writes an outbox
// table: it would make an event with each beat, or change one.
func (im *importer) readHeartbeat(o *Option, s setting) {
	im.later = append(im.later, func() {
		interval, known := im.value("heartbeat.interval.ms")
		if _, set := im.flags["heartbeat.interval.ms"]; !set || known && strings.Trim(interval, "0") == "" {
			im.ignore(s, "", "Debezium runs no query without heartbeat.interval.ms")
			return
		}
		query, err := im.resolve(s, nil)
		if err != nil {
			im.unresolved(o.flag(), s, err)
			return
		}
		for _, name := range Written(query) {
			table := strings.Join(name[max(0, len(name)-2):], ".") // without the database
			if im.includes(table) {
				im.refuse(s.src, []string{o.flag()}, "the query writes %s, which is an outbox table; let it write a table of its own", table)
				return
			}
		}
		if strings.Contains(strings.ToLower(query), "pg_logical_emit_message") && !im.decoding {
			im.notice(s.src, "Debezium also sends each message of pg_logical_emit_message to the topic <topic.prefix>.message; the relay does not")
		}
		im.setFlag(o.flag(), query, s.src)
	})
}
