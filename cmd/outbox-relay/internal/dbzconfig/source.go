package dbzconfig

import "fmt"

// Source says where a value was written.
type Source struct {
	Place string // the file, "environment", or whose default it is
	Line  int    // in the file, from 1; 0 if there is none
	Key   string // as it is spelled there; "" for a default
}

// Whose defaults a flag's value can be.
const (
	debeziumDefault = "Debezium's default"
	connectDefault  = "Kafka Connect's default"
	serverDefault   = "Debezium Server's default"
)

// String is file:line key, file key, or the place alone.
func (s Source) String() string {
	out := s.Place
	if s.Line > 0 {
		out = fmt.Sprintf("%s:%d", s.Place, s.Line)
	}
	if s.Key == "" {
		return out
	}
	if out == "" {
		return s.Key
	}
	return out + " " + s.Key
}
