package e2e_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/test/faultproxy"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/load"
)

// passing are the errors with which a broker refuses records for a while. What a broker refuses for good is
// TestEventThatKafkaCanNeverTakeStopsTheRelay.
var passing = []*kerr.Error{
	kerr.UnknownServerError, kerr.CorruptMessage, kerr.UnknownTopicOrPartition, kerr.LeaderNotAvailable, kerr.NotLeaderForPartition,
	kerr.RequestTimedOut, kerr.BrokerNotAvailable, kerr.ReplicaNotAvailable, kerr.NetworkException, kerr.NotEnoughReplicas,
	kerr.NotEnoughReplicasAfterAppend, kerr.OutOfOrderSequenceNumber, kerr.InvalidProducerEpoch, kerr.InvalidProducerIDMapping,
	kerr.ConcurrentTransactions, kerr.KafkaStorageError, kerr.LogDirNotFound, kerr.UnknownProducerID, kerr.FencedLeaderEpoch,
	kerr.UnknownLeaderEpoch, kerr.ThrottlingQuotaExceeded, kerr.ProducerFenced, kerr.UnknownTopicID, kerr.InconsistentTopicID,
}

// TestEveryPassingProduceErrorIsOutlasted lets a broker answer produce requests with each of the errors, a few times in
// a row and for one partition of several, while rows are committed. Nothing of that was appended, so nothing is repeated.
func TestEveryPassingProduceErrorIsOutlasted(t *testing.T) {
	t.Parallel()
	r, cluster := newFakeRig(t, setup{}, partitions)
	consumer := r.consume(t)
	p := r.stream(t, "-retry.backoff.ms", "5", "-retry.backoff.max.ms", "20")
	rows := r.insertEach(t, "a")
	arrived(t, consumer, rows)
	for i, err := range passing {
		fault := kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: err, Count: 1 + i%3}
		met := cluster.Fault(fault)
		rows = append(rows, r.insertEach(t, "a", "b", "c", "d", "a", "b")...)
		renumber(rows)
		arrived(t, consumer, rows)
		if met.Hits() == 0 {
			t.Errorf("%s was never answered", err.Message)
		}
		met.Remove()
		if t.Failed() || !p.Running() {
			t.Fatalf("at %s; last lines:\n%s", err.Message, p.Tail(10))
		}
	}
	p.stop(t)
	once(t, r.verdict(t, consumer, rows))
}

// TestLostAnswersRepeatNothing cuts the connection to the broker again and again when an answer arrives: the records
// are in the log, and the relay does not know. Sent again with their sequence numbers, the broker tells them apart.
func TestLostAnswersRepeatNothing(t *testing.T) {
	t.Parallel()
	r, _, l := newLinkedRig(t, setup{}, partitions)
	consumer := r.consume(t)
	p := r.stream(t, "-retry.backoff.ms", "5", "-retry.backoff.max.ms", "20")
	var rows []judge.Committed
	for i := range 20 {
		cut := l.toKafka.Truncate(faultproxy.ToClient, 0, faultproxy.End(i%2))
		rows = append(rows, r.insertEach(t, "a", "b", "a")...)
		select {
		case <-cut:
		case <-time.After(startTimeout):
			t.Fatal("no answer was cut off")
		}
	}
	renumber(rows)
	arrived(t, consumer, rows)
	p.stop(t)
	once(t, r.verdict(t, consumer, rows))
}

// TestThrottledRelayKeepsItsOrder gives the relay a quota at the broker, which answers with pauses that are longer than
// PostgreSQL waits for a sign of life.
func TestThrottledRelayKeepsItsOrder(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	r.db.Exec(t, `ALTER DATABASE `+r.db.Name+` SET wal_sender_timeout = '1s'`)
	const bytesPerSecond, payload, count = 150_000, 1000, 2200 // over its window of 10 s the broker allows 1.5 MB
	limit := func(ctx context.Context, rate float64) {
		if err := r.cluster.LimitProducer(ctx, r.slot, rate); err != nil {
			t.Error(err)
		}
	}
	limit(wait.Context(t, startTimeout), bytesPerSecond)
	defer limit(t.Context(), 0)
	consumer := r.consume(t)
	p := r.stream(t, "-client.id", r.slot)
	conn := r.db.Connect(t)
	before := r.slotNow(t, conn)
	began := time.Now()
	r.traffic(t, load.Config{Rows: count, MaxRows: 50, PayloadBytes: payload}).await(t)
	rows := r.committed(t)
	arrived(t, consumer, rows)
	// The pause follows the request that went too far, so there has to be another one to feel it.
	rows = append(rows, r.insert(t, "last"))
	arrived(t, consumer, rows)
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("%d bytes arrived within %v: the broker has not throttled", count*payload, took)
	}
	if now := r.slotNow(t, conn); now.pid != before.pid {
		t.Errorf("the walsender is %d, it was %d: the throttled relay lost its connection", now.pid, before.pid)
	}
	p.stop(t)
	once(t, r.verdict(t, consumer, rows))
}
