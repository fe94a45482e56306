package replication

import "fmt"

// Autocreate is Debezium's publication.autocreate.mode: what to do about a
// publication that does not exist. One that does is used as it is, and never
// altered, also where Debezium would: a table that it lacks is an error that says
// what to run.
type Autocreate string

// The modes. The empty one is Filtered.
const (
	Filtered  Autocreate = "filtered"   // make it for the outbox tables
	AllTables Autocreate = "all_tables" // make it for all tables, which takes a superuser
	NoTables  Autocreate = "no_tables"  // make it empty, and start without the tables
	Disabled  Autocreate = "disabled"   // refuse to start
)

// validate reports a mode that does not exist.
func (a Autocreate) validate() error {
	switch a {
	case "", Filtered, AllTables, NoTables, Disabled:
		return nil
	}
	return fmt.Errorf("publication.autocreate.mode: %q is none of %s, %s, %s, %s", string(a), Filtered, AllTables, NoTables, Disabled)
}

// needed leaves out the tables that the publication need not carry yet.
func (a Autocreate) needed(tables []table) []table {
	if a != NoTables {
		return tables
	}
	var published []table
	for i := range tables {
		if tables[i].published {
			published = append(published, tables[i])
		}
	}
	return published
}
