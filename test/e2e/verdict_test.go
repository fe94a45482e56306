package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/load"
)

// arriveTimeout is the longest that committed rows may take to arrive once nothing is in their way.
const arriveTimeout = 2 * time.Minute

// consume starts to read the rig's topics, or the given ones.
func (r *rig) consume(t testing.TB, topics ...string) *judge.Consumer {
	t.Helper()
	if len(topics) == 0 {
		topics = r.topics()
	}
	consumer, err := judge.NewConsumer(judge.ConsumerConfig{Brokers: r.brokers(), Topics: topics})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(consumer.Close)
	return consumer
}

func (r *rig) brokers() []string { return strings.Split(r.bootstrap, ",") }

// committed reads the outbox table: the rows that must be in Kafka, whatever the writers know. It holds for rows of
// package load.
func (r *rig) committed(t testing.TB) []judge.Committed {
	t.Helper()
	rows, err := load.ReadTable(wait.Context(t, time.Minute), r.db.DSN, "")
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// arrived waits until all of the rows have arrived.
func arrived(t testing.TB, consumer *judge.Consumer, rows []judge.Committed) {
	t.Helper()
	if err := consumer.WaitFor(wait.Context(t, arriveTimeout), rows); err != nil {
		t.Fatal(err)
	}
}

// verdict judges everything that the topics hold now. The relay should have ended: what it sends later is not seen.
func (r *rig) verdict(t testing.TB, consumer *judge.Consumer, rows []judge.Committed) judge.Report {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(r.brokers()...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	written, err := recordsIn(wait.Context(t, arriveTimeout), kadm.NewClient(client), r.topics())
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, arriveTimeout, func(context.Context) error {
		if read, _ := consumer.Count(); read < written {
			return fmt.Errorf("%d of %d records are read", read, written)
		}
		return nil
	})
	report := judge.Judge(rows, nil, consumer.Records())
	t.Log(report)
	return report
}

// recordsIn counts the records of topics. Offsets have no gaps without transactions and compaction.
func recordsIn(ctx context.Context, admin *kadm.Client, topics []string) (int, error) {
	ends, err := admin.ListEndOffsets(ctx, topics...)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return 0, fmt.Errorf("count the records of %v: %w", topics, err)
	}
	count := 0
	ends.Each(func(end kadm.ListedOffset) { count += int(end.Offset) })
	return count, nil
}

// once demands that everything arrived exactly once.
func once(t testing.TB, report judge.Report) {
	t.Helper()
	if err := report.ExactlyOnce(); err != nil {
		t.Error(err)
	}
}

// nothingLost demands that everything arrived in order; repeats are allowed.
func nothingLost(t testing.TB, report judge.Report) {
	t.Helper()
	if err := report.AtLeastOnce(); err != nil {
		t.Error(err)
	}
}
