package dbzconfig

import (
	"regexp"
	"slices"
	"strings"

	"github.com/outbox-relay/outbox-relay/schema/javaregex"
)

// splitPatterns splits a list of regular expressions as Debezium does: at commas that no backslash escapes.
func splitPatterns(text string) []string {
	var out []string
	for _, part := range splitUnescaped.Split(strings.ReplaceAll(text, `\,`, "\x00"), -1) {
		if part = strings.TrimSpace(strings.ReplaceAll(part, "\x00", ",")); part != "" {
			out = append(out, part)
		}
	}
	return out
}

var splitUnescaped = regexp.MustCompile(`,`)

// literal returns the one table that a pattern stands for; a dot counts as itself. ok is false if it is a real pattern.
func literal(pattern string) (table string, ok bool) {
	table = strings.ReplaceAll(pattern, `\.`, ".")
	return table, !strings.ContainsAny(table, `\^$*+?()[]{}|`)
}

// readTables takes over table.include.list without the signal table: Debezium reads that for itself.
func (im *importer) readTables(o *Option, s setting) {
	value, err := im.resolve(s, nil)
	if err != nil {
		im.unresolved(o.flag(), s, err)
		return
	}
	signal, ok := im.connector.get("signal.data.collection")
	if ok {
		patterns := splitPatterns(value)
		rest := slices.DeleteFunc(slices.Clone(patterns), func(p string) bool {
			table, ok := literal(p)
			return ok && strings.EqualFold(table, strings.TrimSpace(signal.value))
		})
		if len(rest) < len(patterns) {
			im.notice(s.src, "%s is the signal table, which has no outbox events; left out", signal.value)
			value = strings.ReplaceAll(strings.Join(rest, "\x00"), ",", `\,`)
			value = strings.ReplaceAll(value, "\x00", ",")
		}
	}
	im.setFlag(o.flag(), value, s.src)
}

// literalTables returns the outbox tables if table.include.list names them one by one.
func (im *importer) literalTables() ([]string, bool) {
	value, ok := im.value("table.include.list")
	if !ok {
		return nil, false
	}
	var out []string
	for _, p := range splitPatterns(value) {
		table, ok := literal(p)
		if !ok {
			return nil, false
		}
		out = append(out, table)
	}
	return out, len(out) > 0
}

// includes reports whether a table, schema.table, is one of the outbox tables. Without its schema it is looked for in
// public and in the schemas of the list.
func (im *importer) includes(table string) bool {
	value, _ := im.value("table.include.list")
	schemas := []string{""}
	if !strings.Contains(table, ".") {
		schemas = []string{"public."}
		for _, p := range splitPatterns(value) {
			if name, ok := literal(p); ok {
				schemas = append(schemas, name[:strings.LastIndexByte(name, '.')+1])
			}
		}
	}
	for _, p := range splitPatterns(value) {
		re, err := javaregex.CompileFold(p)
		if err != nil {
			continue // the relay itself reports it
		}
		for _, schema := range schemas {
			if ok, err := re.Matches(schema + table); err == nil && ok {
				return true
			}
		}
	}
	return false
}

// readColumns refuses column lists that leave out a column which the router reads. Without single tables nobody can
// tell.
func (im *importer) readColumns(o *Option, s setting) {
	im.later = append(im.later, func() {
		value, err := im.resolve(s, nil)
		if err != nil {
			im.refuse(s.src, nil, "%v; write the value", err)
			return
		}
		tables, ok := im.literalTables()
		if !ok {
			im.refuse(s.src, nil, "it may leave out columns that the router reads; table.include.list must name single tables to tell")
			return
		}
		for _, table := range tables {
			for _, column := range im.columns() {
				if o.Name == "column.include.list" != listed(value, table+"."+column) {
					im.refuse(s.src, nil, "it leaves out %s.%s, which the router reads", table, column)
				}
			}
		}
	})
}

// listed reports whether a list of patterns has the name.
func listed(list, name string) bool {
	for _, p := range splitPatterns(list) {
		if re, err := javaregex.CompileFold(p); err == nil {
			if ok, err := re.Matches(name); err == nil && ok {
				return true
			}
		}
	}
	return false
}

// columns are the columns that the router reads.
func (im *importer) columns() []string {
	var out []string
	for _, name := range []string{"table.field.event.id", "table.field.event.key", "table.field.event.payload", "route.by.field",
		"table.field.event.timestamp", "table.field.event.schema.version"} {
		column, ok := im.value(name)
		if !ok {
			column = im.reg.find(name, Router).Default
		}
		if column != "" {
			out = append(out, column)
		}
	}
	placement, _ := im.value("table.fields.additional.placement")
	for _, element := range splitList(placement) {
		column, _, _ := strings.Cut(element, ":")
		out = append(out, strings.TrimSpace(column))
	}
	return out
}
