package replication

import "strings"

// Remedy is an error that some SQL mends. Its text ends with that SQL, so that the
// log of a relay that stopped is enough to go on.
type Remedy struct {
	Err  error
	SQL  []string // statements, in their order, for somebody who may
	Then string   // what must follow them, "" for nothing
}

func (r *Remedy) Error() string {
	text := r.Err.Error() + "; run: " + strings.Join(r.SQL, "; ")
	if r.Then != "" {
		text += "; then " + r.Then
	}
	return text
}

// Unwrap returns the error without the SQL.
func (r *Remedy) Unwrap() error { return r.Err }

func remedy(err error, sql ...string) error { return &Remedy{Err: err, SQL: sql} }
