package kafka

// Observer is told what the producer does, for metrics. Its methods are called
// from the goroutine that called Run and must not block. All label values are
// bounded, but for topics, whose number is the caller's.
type Observer interface {
	// Acked counts records of a topic that the brokers have acknowledged, and
	// their size in bytes before compression.
	Acked(topic string, records, bytes int)
	// Attempt counts a produce request with that many batches, repeats included.
	Attempt(batches int)
	// Failure counts a batch or a request that failed, by the name of Kafka's
	// error code, or network, timeout, protocol, authentication, configuration.
	Failure(reason string)
	// Rebuilt counts a new producer id taken because of the reason, a code's name.
	Rebuilt(reason string)
}

type nopObserver struct{}

func (nopObserver) Acked(string, int, int) {}
func (nopObserver) Attempt(int)            {}
func (nopObserver) Failure(string)         {}
func (nopObserver) Rebuilt(string)         {}
