package kafka_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// poisonMark in a value makes the broker refuse it.
const poisonMark = "POISON"

// poisoner makes some messages refused, in all the ways there are.
func poisoner(rnd *rand.Rand, all []*kafka.Message) (poison []*kafka.Message) {
	for i, m := range all {
		if rnd.IntN(100) > 2 {
			continue
		}
		poison = append(poison, m)
		switch rnd.IntN(5) {
		case 0:
			m.Topic = "Order Item"
		case 1:
			m.Partition = 99
		case 2:
			m.Refused = &kafka.Refusal{Stage: kafka.StageRoute, Partition: -1, Reason: "ROW", Detail: "at random"}
			m.Topic = ""
		default:
			m.Value = fmt.Appendf(nil, "%06d%s", i, poisonMark)
		}
	}
	return poison
}

// TestRandomPoison sends records of which some can never be accepted, while all else
// fails too, with stops and new Runs in between. Whatever happens, the others are in
// the log in their order, and the poison is in the dead-letter topic and nowhere else.
func TestRandomPoison(t *testing.T) {
	t.Parallel()
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for _, partitions := range []int32{1, 6} {
		for round := range *roundsFlag {
			t.Run(fmt.Sprintf("%d partitions, round %d", partitions, round), func(t *testing.T) {
				t.Parallel()
				randomPoison(t, seed+uint64(round), partitions)
			})
		}
	}
}

func randomPoison(t *testing.T, seed uint64, partitions int32) {
	t.Logf("repeat with -seed=%d -rounds=1", seed)
	const brokers, total = 3, 5000
	rnd := rand.New(rand.NewPCG(seed, uint64(partitions)))
	c := newCluster(t, kfake.NumBrokers(brokers), kfake.SeedTopics(partitions, "a", deadTopic))
	cfg := c.aside()
	cfg.AbandonTimeout = 20 * time.Millisecond
	cfg.RequestTimeout = time.Second
	cfg.BatchSize = []int{1500, 10_000, kafka.DefaultBatchSize}[rnd.IntN(3)]
	r := newRig(t, cfg)
	c.Fault(kfake.Fault{
		Keys: produceKey, Topic: "a", Count: -1, When: holdsValue(poisonMark),
		Err: []*kerr.Error{kerr.InvalidRecord, kerr.PolicyViolation, kerr.CorruptMessage}[rnd.IntN(3)],
	})
	all := messages("a", total, 40)
	poison := poisoner(rnd, all)
	src := newSource()
	churn(t, r, src, all, 200, rnd, &chaos{cluster: c, rand: rand.New(rand.NewPCG(seed, 99)), brokers: brokers, partitions: partitions})
	src.given = all
	checkParted(t, c, src, poison)
	t.Logf("%d dead letters, failures %v, rebuilt %v", c.end(deadTopic), r.obs.failures, r.obs.rebuilt)
}

// checkParted demands that the poison is in the dead-letter topic and the rest in its
// own, in order. A fault of the fake broker fails every batch of its request, and so
// may put a neighbour aside; that one counts as poison.
func checkParted(t *testing.T, c *cluster, src *source, poison []*kafka.Message) {
	t.Helper()
	buried := make(map[string]bool)
	for _, letter := range c.deadLetters(t) {
		buried[string(letter.Value)] = true
	}
	for _, m := range poison {
		if !buried[string(m.Value)] {
			t.Errorf("%s is not in the dead-letter topic", m.Value)
		}
	}
	var rest []*kafka.Message
	for _, m := range src.given {
		if !buried[string(m.Value)] {
			rest = append(rest, m)
		}
		if n := src.acked[m]; n != 1 {
			t.Errorf("message %s was acknowledged %d times", m.Value, n)
		}
	}
	if neighbours := len(src.given) - len(rest) - len(poison); neighbours > len(src.given)/2 {
		t.Errorf("%d records went aside beside the poison", neighbours)
	}
	got := make(map[string][]string)
	for _, records := range c.log(t, "a", c.end("a")) {
		for _, r := range records {
			if v := string(r.Value); !buried[v] { // one in doubt may be in both
				got[string(r.Key)] = append(got[string(r.Key)], v)
			}
		}
	}
	want := make(map[string][]string)
	for _, m := range rest {
		want[string(m.Key)] = append(want[string(m.Key)], string(m.Value))
	}
	for key := range want {
		if first := firsts(got[key]); !slices.Equal(first, want[key]) {
			t.Errorf("key %s: order differs\n got %v\nwant %v", key, first, want[key])
		}
	}
}
