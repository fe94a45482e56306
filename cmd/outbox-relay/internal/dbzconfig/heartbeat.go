package dbzconfig

import (
	"regexp"
	"strings"
)

// readHeartbeat takes over heartbeat.action.query if Debezium would run it, and refuses one that writes an outbox
// table: it would make an event with each beat, or change one.
func (im *importer) readHeartbeat(o *Option, s setting) {
	im.later = append(im.later, func() {
		interval, known := im.value("heartbeat.interval.ms")
		if _, set := im.flags["heartbeat.interval.ms"]; !set || known && strings.Trim(interval, "0") == "" {
			im.notice(s.src, "Debezium runs no query without heartbeat.interval.ms; left aside")
			return
		}
		query, err := im.resolve(s, nil)
		if err != nil {
			im.unresolved(o.flag(), s, err)
			return
		}
		for _, table := range written(query) {
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

var writes = regexp.MustCompile(`(?i)\b(?:insert\s+into|merge\s+into|delete\s+from|update|truncate(?:\s+table)?|copy)\s+(?:only\s+)?` +
	`((?:"[^"]+"|[\w$]+)(?:\s*\.\s*(?:"[^"]+"|[\w$]+))?)`)

// written returns the tables that a query names as its targets, as PostgreSQL would fold their names.
func written(query string) []string {
	var out []string
	for _, m := range writes.FindAllStringSubmatch(query, -1) {
		out = append(out, foldName(m[1]))
	}
	return out
}

var namePart = regexp.MustCompile(`"[^"]+"|[\w$]+`)

// foldName makes small letters of what is not quoted, and takes the quotes away.
func foldName(name string) string {
	var parts []string
	for _, part := range namePart.FindAllString(name, -1) {
		if bare := strings.Trim(part, `"`); bare != part {
			parts = append(parts, bare)
		} else {
			parts = append(parts, strings.ToLower(part))
		}
	}
	return strings.Join(parts, ".")
}
