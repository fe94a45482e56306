package compat_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// table is an outbox table. The columns that are not said are Debezium's own.
type table struct {
	schema, name string // empty for public and outbox

	id, route, key, event, payload kind     // by what the router uses them for
	columns                        []kind   // more of them
	kinds                          []string // aggregate types; empty for one called "all"

	defaults bool // each of the columns has its first value as default
	notNull  bool // no column may be null
	noKey    bool // no primary key
}

// markerID is the id of the last row of a configuration, which no other has.
const markerID = "ffffffff-0000-4000-8000-000000000000"

func (t table) withDefaults() table {
	own := func(k *kind, d kind) {
		if k.column == "" {
			k.column = d.column
		}
		if k.sql == "" {
			k.sql, k.edges, k.random = d.sql, d.edges, d.random
		}
	}
	own(&t.id, kind{column: "id", sql: "uuid"})
	own(&t.route, kind{column: "aggregatetype", sql: "varchar(255)"})
	own(&t.key, kind{column: "aggregateid", sql: "varchar(255)"})
	own(&t.event, kind{column: "type", sql: "varchar(255)"})
	own(&t.payload, kind{column: "payload", sql: "jsonb", edges: []string{`{"a": 1}`}, random: randomJSON})
	if t.schema == "" {
		t.schema = "public"
	}
	if t.name == "" {
		t.name = "outbox"
	}
	if len(t.kinds) == 0 {
		t.kinds = []string{"all"}
	}
	return t
}

// on is the table as a major version of PostgreSQL can have it; false means not at all.
func (t table) on(major int) (table, bool) {
	t.columns = slices.DeleteFunc(slices.Clone(t.columns), func(k kind) bool { return k.since > major })
	return t, t.key.since <= major && t.payload.since <= major
}

// identifier is the quoted name.
func (t table) identifier() string { return pgx.Identifier{t.schema, t.name}.Sanitize() }

func (t table) ddl() string {
	null := ""
	if t.notNull {
		null = " NOT NULL"
	}
	definitions := []string{definition(t.id, " NOT NULL"), definition(t.route, " NOT NULL"), definition(t.key, null), definition(t.event, null), definition(t.payload, null)}
	for _, c := range t.columns {
		more := null
		if t.defaults {
			more += " DEFAULT " + literal(c.edges[0], true)
		}
		definitions = append(definitions, definition(c, more))
	}
	if !t.noKey {
		definitions = append(definitions, "PRIMARY KEY ("+quote(t.id.column)+")")
	}
	return fmt.Sprintf("CREATE SCHEMA IF NOT EXISTS %s;\nCREATE TABLE %s (%s);\n", quote(t.schema), t.identifier(), strings.Join(definitions, ", "))
}

func definition(k kind, more string) string { return quote(k.column) + " " + k.sql + more }

// rows returns INSERT statements: each value picked by hand at least once, then so many rows by chance. unfit chooses
// values that become NULL.
func (t table) rows(number int, r *rand.Rand, chance int, unfit func(k kind, value string) bool) []string {
	count := len(t.payload.edges) + 1
	for _, c := range t.columns {
		count = max(count, len(c.edges)+1)
	}
	list := make([]string, count+chance)
	for i := range list {
		list[i] = t.row(fmt.Sprintf("a0000000-%04d-4000-8000-%012d", number, i+1), i, r, unfit)
	}
	return list
}

func (t table) row(id string, i int, r *rand.Rand, unfit func(k kind, value string) bool) string {
	value := func(k kind) string {
		text, ok := k.value(i, r)
		if ok && unfit != nil && unfit(k, text) {
			ok = false
		}
		if !ok && (t.notNull || k.notNull) {
			text, ok = k.edges[0], true
		}
		return literal(text, ok)
	}
	payload := value(t.payload)
	key := literal(fmt.Sprintf("key-%d", r.IntN(20)), true)
	if t.key.sql == t.payload.sql {
		key = payload
	}
	values := []string{literal(id, true), literal(t.kinds[i%len(t.kinds)], true), key, literal(fmt.Sprintf("Type%d", i%3), true), payload}
	for _, c := range t.columns {
		values = append(values, value(c))
	}
	return t.insert(values)
}

func (t table) insert(values []string) string {
	var names []string
	for _, c := range slices.Concat([]kind{t.id, t.route, t.key, t.event, t.payload}, t.columns) {
		names = append(names, quote(c.column))
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.identifier(), strings.Join(names, ", "), strings.Join(values, ", "))
}

// marker inserts the row that ends a configuration.
func (t table) marker() string {
	key, payload := "NULL", "NULL"
	values := make([]string, len(t.columns))
	for i, c := range t.columns {
		if values[i] = "NULL"; t.notNull || c.notNull {
			values[i] = literal(c.edges[0], true)
		}
	}
	if t.notNull {
		payload = literal(t.payload.edges[0], true)
		key = "'0'"
	}
	return t.insert(append([]string{literal(markerID, true), "'marker'", key, "'Marker'", payload}, values...))
}

// literal is a string constant of PostgreSQL, or NULL.
func literal(text string, ok bool) string {
	if !ok {
		return "NULL"
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// transactions puts statements into transactions of 1 to 10.
func transactions(statements []string, r *rand.Rand) []string {
	var list []string
	for len(statements) > 0 {
		n := min(len(statements), 1+r.IntN(10))
		list = append(list, strings.Join(statements[:n], ";\n"))
		statements = statements[n:]
	}
	return list
}

// quote quotes a name.
func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
