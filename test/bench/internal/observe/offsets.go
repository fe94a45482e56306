package observe

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Topics counts what topics hold, by their end offsets.
type Topics struct {
	client *kgo.Client
	admin  *kadm.Client
	names  []string
}

// NewTopics makes an observer of topics that exist and have leaders. The caller must call Close.
func NewTopics(brokers, names []string) (*Topics, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	if err != nil {
		return nil, fmt.Errorf("make a Kafka client: %w", err)
	}
	return &Topics{client: client, admin: kadm.NewClient(client), names: names}, nil
}

// Close closes the client.
func (t *Topics) Close() { t.client.Close() }

// Count is the number of records in all partitions together. A record counts once it is acknowledged: end offsets are
// the high watermarks.
func (t *Topics) Count(ctx context.Context) (int, error) {
	offsets, err := t.admin.ListEndOffsets(ctx, t.names...)
	if err == nil {
		err = offsets.Error()
	}
	if err != nil {
		return 0, fmt.Errorf("ask for end offsets: %w", err)
	}
	var n int64
	offsets.Each(func(o kadm.ListedOffset) { n += o.Offset })
	return int(n), nil
}

// WaitCount waits until there are want records and returns the time since start at which that was seen, too late by
// 5 ms and one request at most. ended is closed when no more can come.
func (t *Topics) WaitCount(ctx context.Context, start time.Time, want int, ended <-chan struct{}) (time.Duration, error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ended:
			return 0, fmt.Errorf("the program ended before it had sent %d records", want)
		case <-ctx.Done():
			return 0, fmt.Errorf("wait for %d records: %w", want, context.Cause(ctx))
		}
		n, err := t.Count(ctx)
		if err != nil {
			return 0, err
		}
		elapsed := time.Since(start)
		if n >= want {
			return elapsed, nil
		}
		timer.Reset(nextLook(n, want, elapsed))
	}
}

const (
	shortestLook = 5 * time.Millisecond
	longestLook  = 200 * time.Millisecond
)

// nextLook says when to look again: after a quarter of the time that the rest will take at the rate so far. Looking
// costs the broker something, most of all with many partitions, and only near the end does it matter when.
func nextLook(have, want int, elapsed time.Duration) time.Duration {
	if have == 0 {
		return longestLook / 10
	}
	rest := time.Duration(float64(elapsed) * float64(want-have) / float64(have))
	return min(max(rest/4, shortestLook), longestLook)
}
