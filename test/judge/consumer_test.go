package judge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is for anything that takes milliseconds on an idle machine.
const patience = 30 * time.Second

// produce writes rows to their topics as a good relay would.
func produce(t *testing.T, bootstrap string, rows []judge.Committed) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(bootstrap, ",")...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, c := range rows {
		r := &kgo.Record{
			Topic: c.Topic, Key: []byte(c.Key), Value: []byte(c.ID),
			Headers: []kgo.RecordHeader{{Key: "other", Value: []byte("x")}, {Key: "id", Value: []byte(c.ID)}},
		}
		if err := client.ProduceSync(wait.Context(t, patience), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

func rows(topic string, n int) []judge.Committed {
	made := make([]judge.Committed, n)
	for i := range made {
		id := fmt.Sprintf("%s-%d", topic, i)
		made[i] = judge.Committed{ID: id, Key: fmt.Sprint(i % 7), Seq: int64(i), Topic: topic, Hash: judge.Hash([]byte(id))}
	}
	return made
}

func newConsumer(t *testing.T, config judge.ConsumerConfig) *judge.Consumer {
	t.Helper()
	c, err := judge.NewConsumer(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestConsumerReadsAllFromTheStart(t *testing.T) {
	t.Parallel()
	ctx := wait.Context(t, patience)
	bootstrap, _ := kfaketest.New(t, 3, []string{"orders", "customers", "others"})
	committed := append(rows("orders", 50), rows("customers", 50)...)
	produce(t, bootstrap, committed[:60])
	produce(t, bootstrap, rows("others", 3))
	var observed atomic.Int32
	c := newConsumer(t, judge.ConsumerConfig{
		Brokers: []string{bootstrap}, Topics: []string{"orders", "customers"},
		Observe: func(*kgo.Record) { observed.Add(1) },
	})
	if err := c.WaitIDs(ctx, 60); err != nil {
		t.Fatal(err)
	}
	produce(t, bootstrap, committed[60:])
	if err := c.WaitFor(ctx, committed); err != nil {
		t.Fatal(err)
	}
	records := c.Records()
	if err := judge.Judge(committed, nil, records).ExactlyOnce(); err != nil {
		t.Error(err)
	}
	if n, ids := c.Count(); n != 100 || ids != 100 || observed.Load() != 100 {
		t.Errorf("%d records, %d ids, %d observed, want 100 of each", n, ids, observed.Load())
	}
	for _, r := range records {
		if time.Since(r.Arrived) > time.Minute || time.Since(r.Timestamp) > time.Minute {
			t.Fatalf("record of %v arrived %v", r.Timestamp, r.Arrived)
		}
	}
}

func TestConsumerFindsTopicsThatAppearLater(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config judge.ConsumerConfig
	}{
		{"by name", judge.ConsumerConfig{Topics: []string{"outbox.event.late"}}},
		{"by pattern", judge.ConsumerConfig{Topics: []string{`outbox\.event\..*`}, Regex: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bootstrap, _ := kfaketest.New(t, 1, []string{"outbox-event-early"})
			test.config.Brokers = []string{bootstrap}
			c := newConsumer(t, test.config)
			createTopic(t, bootstrap, "outbox.event.late")
			want := rows("outbox.event.late", 5)
			produce(t, bootstrap, want)
			if err := c.WaitFor(wait.Context(t, patience), want); err != nil {
				t.Fatal(err)
			}
			if n, _ := c.Count(); n != 5 {
				t.Errorf("%d records, want 5", n)
			}
		})
	}
}

func createTopic(t *testing.T, bootstrap, topic string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(bootstrap))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(wait.Context(t, patience), 2, 1, nil, topic); err != nil {
		t.Fatal(err)
	}
}

func TestWaitSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	bootstrap, _ := kfaketest.New(t, 1, []string{"orders"})
	c := newConsumer(t, judge.ConsumerConfig{Brokers: []string{bootstrap}, Topics: []string{"orders"}})
	want := rows("orders", 3)
	produce(t, bootstrap, want[:2])
	if err := c.WaitIDs(wait.Context(t, patience), 2); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.WaitFor(ctx, want); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "orders-2") {
		t.Errorf("got %v, want a deadline and the missing id", err)
	}
	if err := c.WaitIDs(ctx, 3); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "2 of 3") {
		t.Errorf("got %v, want a deadline and 2 of 3", err)
	}
}

func TestConsumerClosesWhileBrokersAreDown(t *testing.T) {
	t.Parallel()
	bootstrap, cluster := kfaketest.New(t, 1, []string{"orders"})
	cluster.Close()
	c, err := judge.NewConsumer(judge.ConsumerConfig{Brokers: []string{bootstrap}, Topics: []string{"orders"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := c.WaitIDs(ctx, 1); err == nil {
		t.Error("records without a broker")
	}
	c.Close()
}

// TestConsumerBeginsWhereItIsTold leaves out what was in a topic before.
func TestConsumerBeginsWhereItIsTold(t *testing.T) {
	t.Parallel()
	bootstrap, _ := kfaketest.New(t, 1, []string{"a", "b"})
	produce(t, bootstrap, append(rows("a", 5), rows("b", 2)...))
	c := newConsumer(t, judge.ConsumerConfig{
		Brokers: strings.Split(bootstrap, ","), Topics: []string{"b"}, From: map[string]map[int32]int64{"a": {0: 3}},
	})
	if err := c.WaitFor(wait.Context(t, patience), append(rows("a", 5)[3:], rows("b", 2)...)); err != nil {
		t.Fatal(err)
	}
	if n, _ := c.Count(); n != 4 {
		t.Errorf("%d records were read, want 4", n)
	}
}
