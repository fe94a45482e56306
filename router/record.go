// Package router turns an outbox row into the Kafka record that Debezium's
// Outbox Event Router would send. It is pure: no I/O, no clock, no goroutine.
// The producer that sends the records lives below it, in router/kafka.
package router

// ByKey as a Record's Partition leaves the choice to the producer, which hashes
// the key as Kafka's own default partitioner does (murmur2).
const ByKey int32 = -1

// Record is one Kafka record before it is sent. Its byte slices may alias the
// row it was made from, or the Record's own scratch space: they are valid until
// the Record is routed into again, or the row's buffer is reused.
type Record struct {
	Topic     string
	Partition int32  // ByKey unless a column placed the record
	Key       []byte // nil is a null key
	Value     []byte // nil is a null value, a tombstone to log compaction
	Headers   []Header
	Timestamp int64 // milliseconds since 1970-01-01 UTC

	// Unexpanded says why the payload is its own text although
	// table.expand.json.payload is on. It is for counting.
	Unexpanded Unexpanded

	scratch []byte
}

// Header is one Kafka record header. A nil Value is a null value.
type Header struct {
	Key   string
	Value []byte
}

// Unexpanded is why a JSON payload was not expanded.
type Unexpanded byte

// The reasons. The zero value says that there was nothing to complain about.
const (
	Expanded   Unexpanded = iota
	NotText               // the payload column is no text
	NotObject             // it begins with neither { nor [
	NotJSON               // it is malformed
	NotUniform            // Kafka Connect has no schema for it: mixed arrays, integers beyond 64 bits, an array at the top
)

// String returns the reason as a metric's label has it.
func (u Unexpanded) String() string {
	return [...]string{"expanded", "not_text", "not_object", "not_json", "not_uniform"}[u]
}

// ID is the value of the header id, or nil.
func (r *Record) ID() []byte {
	for i := range r.Headers {
		if r.Headers[i].Key == "id" {
			return r.Headers[i].Value
		}
	}
	return nil
}
