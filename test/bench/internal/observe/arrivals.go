package observe

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// fetchWait is how long a broker may hold a request back when there is nothing to send. It answers at once when
// there is, so this delays no record; it only bounds how old a forgotten request can be.
const fetchWait = 100 * time.Millisecond

// probeKey is the key of the record that shows that the reading has begun.
const probeKey = "probe"

// Arrivals reads a topic and notes the arrival of records whose keys are the numbers of rows.
type Arrivals struct {
	client *kgo.Client
	ledger *Ledger
	cancel context.CancelFunc
	done   chan struct{}

	mu      sync.Mutex
	probed  bool
	err     error
	changed chan struct{} // closed and replaced when records arrive
}

// NewArrivals starts to read a topic, which must exist, and returns when a record that it has produced itself has
// arrived: from then on reading costs no more than a record's way. The caller must call Close.
func NewArrivals(ctx context.Context, brokers []string, topic string, ledger *Ledger) (*Arrivals, error) {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchMinBytes(1),
		kgo.FetchMaxWait(fetchWait),
	)
	if err != nil {
		return nil, fmt.Errorf("make a consumer: %w", err)
	}
	run, cancel := context.WithCancel(context.Background()) // ended by Close
	a := &Arrivals{client: client, ledger: ledger, cancel: cancel, done: make(chan struct{}), changed: make(chan struct{})}
	go a.run(run)
	if err := a.probe(ctx, topic); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

func (a *Arrivals) probe(ctx context.Context, topic string) error {
	result := a.client.ProduceSync(ctx, &kgo.Record{Topic: topic, Key: []byte(probeKey)})
	if err := result.FirstErr(); err != nil {
		return fmt.Errorf("produce a record to %s: %w", topic, err)
	}
	return a.wait(ctx, func() bool { return a.probed })
}

// Close ends the reading. The ledger stays.
func (a *Arrivals) Close() {
	a.cancel()
	<-a.done
	a.client.Close()
}

func (a *Arrivals) run(ctx context.Context) {
	defer close(a.done)
	for {
		fetches := a.client.PollFetches(ctx)
		now := time.Now()
		if ctx.Err() != nil {
			return
		}
		a.add(fetches, now)
	}
}

// add notes what a poll has brought. Records count as arrived when the client has them.
func (a *Arrivals) add(fetches kgo.Fetches, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	fetches.EachError(func(_ string, _ int32, err error) { a.err = err }) // the client goes on by itself
	fetches.EachRecord(func(r *kgo.Record) {
		if n, err := strconv.Atoi(string(r.Key)); err == nil {
			a.ledger.Arrived(n, now)
		} else if string(r.Key) == probeKey {
			a.probed = true
		}
	})
	close(a.changed)
	a.changed = make(chan struct{})
}

// Wait calls check after each arrival until it returns true.
func (a *Arrivals) Wait(ctx context.Context, check func(*Ledger) bool) error {
	return a.wait(ctx, func() bool { return check(a.ledger) })
}

func (a *Arrivals) wait(ctx context.Context, check func() bool) error {
	for {
		a.mu.Lock()
		done, trouble, changed := check(), a.err, a.changed
		a.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for records, of which %d are missing: %w", a.ledger.Missing(), errors.Join(context.Cause(ctx), trouble))
		}
	}
}
