package replication

import (
	"errors"
	"fmt"
	"strings"
)

// Filter chooses the outbox tables, as Debezium's connector chooses the tables
// that it captures.
type Filter struct {
	IncludeTables  List // table.include.list, of schema.table
	ExcludeTables  List // table.exclude.list, of schema.table
	IncludeSchemas List // schema.include.list
	ExcludeSchemas List // schema.exclude.list

	None bool // there is no outbox table: the events are messages
}

// Match reports whether the table is an outbox table. PostgreSQL's own tables
// are none, whatever the lists say.
func (f *Filter) Match(schema, table string) bool {
	return !f.None && !builtIn(schema, table) &&
		chosen(f.IncludeSchemas, f.ExcludeSchemas, schema) &&
		chosen(f.IncludeTables, f.ExcludeTables, schema+"."+table)
}

// Excludes reports whether an exclude list names the table, or its schema.
func (f *Filter) Excludes(schema, table string) bool {
	return f.ExcludeSchemas.Match(schema) || f.ExcludeTables.Match(schema+"."+table)
}

// chosen applies the two lists of one level; without an include list everything
// is in.
func chosen(include, exclude List, name string) bool {
	return (include.Empty() || include.Match(name)) && !exclude.Match(name)
}

// builtIn tells the tables that Debezium leaves out by table.ignore.builtin.
func builtIn(schema, table string) bool {
	return schema == "pg_catalog" || schema == "information_schema" || table == "spatial_ref_sys" ||
		strings.HasPrefix(schema, "pg_temp") || strings.HasPrefix(schema, "pg_toast")
}

// Validate reports lists that contradict each other or choose nothing in
// particular, each by its option.
func (f *Filter) Validate() error {
	var errs []error
	if !f.IncludeTables.Empty() && !f.IncludeTables.everything() && !f.ExcludeTables.Empty() {
		errs = append(errs, errors.New("table.include.list and table.exclude.list: give one of the two"))
	}
	if !f.IncludeSchemas.Empty() && !f.IncludeSchemas.everything() && !f.ExcludeSchemas.Empty() {
		errs = append(errs, errors.New("schema.include.list and schema.exclude.list: give one of the two"))
	}
	if !f.None && f.IncludeTables.Empty() && f.ExcludeTables.Empty() && f.IncludeSchemas.Empty() && f.ExcludeSchemas.Empty() {
		errs = append(errs, errors.New("table.include.list: name the outbox table, as schema.table"))
	}
	return errors.Join(errs...)
}

// String tells the lists that are not empty, for messages.
func (f Filter) String() string {
	if f.None {
		return "none"
	}
	var parts []string
	for _, l := range []struct {
		name string
		list List
	}{
		{"table.include.list", f.IncludeTables}, {"table.exclude.list", f.ExcludeTables},
		{"schema.include.list", f.IncludeSchemas}, {"schema.exclude.list", f.ExcludeSchemas},
	} {
		if !l.list.Empty() {
			parts = append(parts, fmt.Sprintf("%s %q", l.name, l.list))
		}
	}
	return strings.Join(parts, ", ")
}
