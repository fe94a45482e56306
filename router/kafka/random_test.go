package kafka_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

var (
	seedFlag   = flag.Uint64("seed", 0, "seed of the random test; 0 takes one from the clock")
	roundsFlag = flag.Int("rounds", 3, "rounds of the random test for each number of partitions")
)

// chaos makes trouble of all kinds, at random, until its context is done.
type chaos struct {
	*cluster
	rand       *rand.Rand
	brokers    int
	partitions int32
}

// codes are answers that a healthy producer gets over.
var chaosCodes = []*kerr.Error{
	kerr.NotLeaderForPartition, kerr.RequestTimedOut, kerr.NotEnoughReplicas, kerr.NotEnoughReplicasAfterAppend,
	kerr.UnknownServerError, kerr.KafkaStorageError, kerr.CorruptMessage, kerr.UnknownTopicOrPartition,
	kerr.OutOfOrderSequenceNumber, kerr.UnknownProducerID, kerr.InvalidProducerEpoch, kerr.MessageTooLarge,
}

func (c *chaos) run(ctx context.Context) {
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			c.wire.up()
			c.wire.onAnswer(nil)
			return
		case <-tick.C:
			c.once()
		}
	}
}

func (c *chaos) once() {
	switch c.rand.IntN(8) {
	case 0, 1, 2:
		code, topic := chaosCodes[c.rand.IntN(len(chaosCodes))], ""
		if code == kerr.MessageTooLarge {
			topic = "a" // a lone dead letter that is too large is another story
		}
		c.Fault(kfake.Fault{
			Keys: produceKey, Err: code, Topic: topic,
			Partitions: []int32{c.rand.Int32N(c.partitions)}, Count: 1 + c.rand.IntN(3),
			When: func(req kmsg.Request) bool { // a lone record that is too large is another story
				return len(req.(*kmsg.ProduceRequest).Topics[0].Partitions[0].Records) > 2000
			},
		})
	case 3:
		lost := c.rand.IntN(3)
		c.wire.onAnswer(func(n int) fate {
			if n <= lost {
				return loseAnswer
			}
			return pass
		})
	case 4:
		c.wire.cut()
	case 5:
		_ = c.MoveTopicPartition("a", c.rand.Int32N(c.partitions), c.rand.Int32N(int32(c.brokers)))
	case 6:
		if c.rand.IntN(2) == 0 {
			c.wire.down()
		}
	case 7:
		c.wire.up()
	}
}

// TestRandomFaults sends while everything that may fail does, with stops and new
// Runs in between, and compares the log with what was given: first appearances of
// each key in order, all that was given acknowledged once and there.
func TestRandomFaults(t *testing.T) {
	t.Parallel()
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for _, partitions := range []int32{1, 6} {
		for round := range *roundsFlag {
			t.Run(fmt.Sprintf("%d partitions, round %d", partitions, round), func(t *testing.T) {
				t.Parallel()
				randomFaults(t, seed+uint64(round), partitions)
			})
		}
	}
}

func randomFaults(t *testing.T, seed uint64, partitions int32) {
	t.Logf("repeat with -seed=%d -rounds=1", seed)
	const brokers, total = 3, 20_000
	rnd := rand.New(rand.NewPCG(seed, uint64(partitions)))
	c := newCluster(t, kfake.NumBrokers(brokers), kfake.SeedTopics(partitions, "a"))
	cfg := c.config()
	cfg.AbandonTimeout = 20 * time.Millisecond
	cfg.RequestTimeout = time.Second
	cfg.Linger = time.Duration(rnd.IntN(2)) * time.Millisecond
	cfg.BatchSize = []int{1500, 10_000, kafka.DefaultBatchSize}[rnd.IntN(3)]
	r := newRig(t, cfg)

	all := messages("a", total, 40)
	src := newSource()
	churn(t, r, src, all, 400, rnd, &chaos{cluster: c, rand: rand.New(rand.NewPCG(seed, 99)), brokers: brokers, partitions: partitions})
	src.given = all
	repeats := checkComplete(t, c, "a", src)
	t.Logf("%d repeats, %d requests, failures %v, rebuilt %v", repeats, r.obs.attempts, r.obs.failures, r.obs.rebuilt)
}

// churn gives all messages bit by bit, at most so many at once, with stops and new
// Runs in between, while there is trouble; then it lets everything end well.
func churn(t *testing.T, r *rig, src *source, all []*kafka.Message, most int, rnd *rand.Rand, trouble *chaos) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var wg sync.WaitGroup
	wg.Go(func() { trouble.run(ctx) })
	run := r.start(t, src)
	pause := time.NewTicker(time.Millisecond)
	defer pause.Stop()
	for given := 0; given < len(all); {
		n := min(1+rnd.IntN(most), len(all)-given)
		src.give(all[given : given+n]...)
		given += n
		<-pause.C
		if rnd.IntN(20) == 0 {
			run.cancel(errStop)
			if err := run.wait(); !errors.Is(err, errStop) {
				t.Fatalf("Run returned %v", err)
			}
			src.rewind()
			run = r.start(t, src)
		}
	}
	stop()
	wg.Wait()
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
}
