// Package replication reads one logical replication slot of PostgreSQL and
// hands its committed changes on, in commit order, one row at a time.
//
// What it promises: a position is confirmed to the server only when the Handler
// says so, never zero, never above what this connection has received; a slot
// that has gone missing or lost WAL is an error with a way out, never silently
// made again; memory does not grow with the size of a transaction.
//
// One goroutine owns a Stream: it reads, and it writes the standby status
// updates, because a replication connection must not be shared. The bytes that a
// Handler is given alias the receive buffer and are valid only during the call.
package replication
