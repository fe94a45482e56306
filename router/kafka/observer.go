package kafka

// Observer is told what the producer does, for metrics. Its methods are called
// from the goroutine that called Run and must not block. All label values are
// bounded, but for topics, whose number is the caller's.
type Observer interface {
	// Acked counts records of a topic that the brokers have acknowledged, and
	// their size in bytes before compression. Dead letters count for their topic.
	Acked(topic string, records, bytes int)
	// Attempt counts a produce request with that many batches, repeats included.
	Attempt(batches int)
	// Sent counts a batch of a topic in such a request.
	Sent(topic string)
	// Failure counts a batch or a request that failed, by the name of Kafka's
	// error code, or network, timeout, protocol, authentication, configuration.
	Failure(reason string)
	// Failed counts a batch of a topic that was not acknowledged.
	Failed(topic string)
	// Rebuilt counts a new producer id taken because of the reason, a code's name
	// or REFUSED_IN_DOUBT.
	Rebuilt(reason string)
	// Buried counts an acknowledged dead letter, by its reason.
	Buried(reason string)
}

type nopObserver struct{}

func (nopObserver) Acked(string, int, int) {}
func (nopObserver) Attempt(int)            {}
func (nopObserver) Sent(string)            {}
func (nopObserver) Failure(string)         {}
func (nopObserver) Failed(string)          {}
func (nopObserver) Rebuilt(string)         {}
func (nopObserver) Buried(string)          {}
