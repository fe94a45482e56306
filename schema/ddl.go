package schema

import _ "embed"

// DDL creates the reference outbox table, public.outbox unless search_path says
// otherwise. Every column name in it is the default of its option.
//
//go:embed ddl.sql
var DDL string
