// Package schema says what an outbox row is: the relation that PostgreSQL
// announces, the columns an outbox needs, and how each column's text becomes
// the bytes of a Kafka key, header or value. It does no I/O.
package schema

import "strings"

// Relation is a published table as pgoutput's Relation message describes it.
// It is valid for the rows that follow it, until the next message with the
// same OID.
type Relation struct {
	OID             uint32
	Namespace       string // schema of the table
	Name            string
	ReplicaIdentity byte // 'd', 'n', 'f' or 'i'
	Columns         []Column
}

// String returns schema.table, unquoted, as operators write it in
// table.include.list.
func (r *Relation) String() string {
	if r.Namespace == "" { // it is no table
		return r.Name
	}
	return r.Namespace + "." + r.Name
}

// Index returns the position of the column named exactly name, or -1.
func (r *Relation) Index(name string) int {
	for i := range r.Columns {
		if r.Columns[i].Name == name {
			return i
		}
	}
	return -1
}

// ColumnNames lists the columns in table order, for messages to operators.
func (r *Relation) ColumnNames() string {
	names := make([]string, len(r.Columns))
	for i := range r.Columns {
		names[i] = r.Columns[i].Name
	}
	return strings.Join(names, ", ")
}

// Column is one column of a Relation. pgoutput announces the first five fields;
// the others come from the catalog and may be left empty, which reads as a
// nullable column without a default and of a type that the OID alone explains.
type Column struct {
	Name     string
	TypeOID  uint32 // pg_type.oid
	TypeMod  int32  // pg_attribute.atttypmod, -1 for none
	TypeName string // schema-qualified name from a Type message; "" for a built-in type
	Key      bool   // part of the replica identity

	Primary bool      // part of the primary key
	NotNull bool      // pg_attribute.attnotnull
	Default *string   // from DefaultText; nil for none
	Type    *TypeInfo // of a type that is not built in; nil treats it as text

	// Codec reads a field that is no column; nil lets Bind choose one by the type.
	Codec *Codec
}

// TypeInfo is what the catalog says about a type that is not built in: an enum,
// a domain, an extension's type, or an array of one of these.
type TypeInfo struct {
	Name   string   // pg_type.typname, without the schema: hstore, citext, mood
	Kind   byte     // pg_type.typtype: 'b' base, 'e' enum, 'd' domain, 'c' composite, 'r' range, 'm' multirange
	Labels []string // an enum's, in their order
	// Elem is the element type of an array; Base the type under a domain. Each
	// is given as a column of its own: OID, modifier, and Type if it needs one.
	Elem *Column
	Base *Column
}

// Kind tells what a Datum holds.
type Kind byte

// The kinds of pgoutput's TupleData. The zero Kind is Null.
const (
	Null      Kind = iota // SQL NULL
	Text                  // the type's text output
	Unchanged             // a TOASTed value that an UPDATE left alone; never in an INSERT
)

// Datum is one column's value in a row. Bytes belongs to the sender's receive
// buffer: it is valid only until the next message is received.
type Datum struct {
	Kind  Kind
	Bytes []byte
}
