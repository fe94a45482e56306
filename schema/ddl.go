package schema

import (
	_ "embed"
	"slices"
)

// DDL creates the reference outbox table, public.outbox unless search_path says
// otherwise. Every column name in it is the default of its option.
//
//go:embed ddl.sql
var DDL string

// DDLPartitioned creates the same table with a time column, in one partition a
// day, for cleaning up by dropping partitions. Every day is one of UTC.
//
//go:embed ddl_partitioned.sql
var DDLPartitioned string

// DDLSequence adds a number that rises by one with each event of an aggregate to
// the outbox table, and creates the table of the last numbers.
//
//go:embed ddl_sequence.sql
var DDLSequence string

// DDLInbox creates the tables in a consumer's database by which package inbox
// knows repeated and outdated events.
//
//go:embed ddl_inbox.sql
var DDLInbox string

// ddlNames are the names of the DDLs, as -print-ddl takes them.
var ddlNames = []string{"plain", "partitioned", "sequence", "inbox"}

// DDLNames returns the names that DDLNamed knows: plain first, which is DDL.
func DDLNames() []string { return slices.Clone(ddlNames) }

// DDLNamed returns DDL for "plain", DDLPartitioned for "partitioned", DDLSequence
// for "sequence" and DDLInbox for "inbox". For any other name ok is false.
func DDLNamed(name string) (ddl string, ok bool) {
	switch name {
	case "plain":
		return DDL, true
	case "partitioned":
		return DDLPartitioned, true
	case "sequence":
		return DDLSequence, true
	case "inbox":
		return DDLInbox, true
	}
	return "", false
}
