package observe

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/test/kfaketest"
)

func TestNextLook(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		have, want int
		elapsed    time.Duration
		look       time.Duration
	}{
		{"nothing is known yet", 0, 1000, time.Second, 20 * time.Millisecond},
		{"far from the end", 1000, 100_000, time.Second, longestLook},
		{"a quarter of the rest", 900, 1000, time.Second, time.Second / 9 / 4},
		{"near the end", 999, 1000, time.Second, shortestLook},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := nextLook(tt.have, tt.want, tt.elapsed)
			if diff := got - tt.look; diff < -time.Microsecond || diff > time.Microsecond {
				t.Errorf("look again after %v, want %v", got, tt.look)
			}
		})
	}
}

// newTopics is an observer of two topics of an in-process broker, and a way to send records to the first.
func newTopics(t *testing.T) (*Topics, func(n int)) {
	t.Helper()
	bootstrap, _ := kfaketest.New(t, 3, []string{"a", "b"}, kfake.NumBrokers(1))
	topics, err := NewTopics([]string{bootstrap}, []string{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(topics.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap), kgo.DefaultProduceTopic("a"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return topics, func(n int) {
		for range n {
			if err := client.ProduceSync(t.Context(), &kgo.Record{Value: []byte("x")}).FirstErr(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestWaitCount(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	topics, send := newTopics(t)
	if n, err := topics.Count(ctx); n != 0 || err != nil {
		t.Fatalf("%d records, %v, in empty topics", n, err)
	}
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		send(7)
	}()
	if _, err := topics.WaitCount(ctx, time.Now(), 7, nil); err != nil {
		t.Error(err)
	}
	<-sent
	if n, err := topics.Count(ctx); n != 7 || err != nil {
		t.Errorf("%d records, %v, want 7", n, err)
	}
}

func TestWaitCountGivesUp(t *testing.T) {
	t.Parallel()
	topics, _ := newTopics(t)
	ended := make(chan struct{})
	close(ended)
	if _, err := topics.WaitCount(t.Context(), time.Now(), 1, ended); err == nil {
		t.Error("no error though no record can come")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := topics.WaitCount(ctx, time.Now(), 1, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the deadline", err)
	}
}
