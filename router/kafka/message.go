// Package kafka sends records to Apache Kafka and reports each one only when
// the brokers have acknowledged it: idempotent, acks=all, one request in flight
// a broker, so that records of one partition are appended in the order in which
// they were given. It uses sarama for the protocol.
package kafka

import "github.com/outbox-relay/outbox-relay/router"

// Message is one record on its way to the broker. Its bytes must stay untouched
// until the Source has been told that it was acknowledged, or Run has returned.
type Message struct {
	router.Record

	Txn   uint64 // the transaction it belongs to, as the Source numbers them
	LSN   uint64 // end of that transaction's commit record where known, else its start; for messages to operators
	Owner any    // the Source's own, not touched here

	// Committed is when PostgreSQL committed the transaction, in microseconds since
	// 1970-01-01 UTC; the Source's own, not touched here.
	Committed int64

	// Late says that the event was old already when it came: the producer may hold it
	// for some milliseconds, to send more of them at once.
	Late bool

	// Kind is the Source's own, not touched here.
	Kind uint32

	// Refused says that this record stands for an event that never became one: it
	// goes to the dead-letter topic at once. Set by the Source; nil for all others.
	Refused *Refusal

	queued // the producer's own, from Take until Acked
}

// Source gives messages in the order in which they must be appended, and takes
// back those that are acknowledged. All methods are called from the goroutine
// that called Run.
type Source interface {
	// Ready is readable when Take may have something new, or the source was closed.
	Ready() <-chan struct{}
	// Take appends waiting messages to dst up to its capacity and returns it.
	// More may be waiting when it returned as many as fit.
	Take(dst []*Message) []*Message
	// Acked is told of messages that the broker has acknowledged, in the order of
	// their partition. The slice is valid only during the call.
	Acked(done []*Message)
	// Closed reports that Take will never return anything again.
	Closed() bool
}
