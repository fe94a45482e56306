package kafka_test

import (
	"slices"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

var produceKey = []kmsg.Key{kmsg.Produce}

func TestSendAll(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.NumBrokers(3), kfake.SeedTopics(6, "a"))
	r := newRig(t, c.config())
	src := newSource(messages("a", 20_000, 100)...)
	r.runAll(t, src)
	if repeats := checkComplete(t, c, "a", src); repeats != 0 {
		t.Errorf("%d records are in the log twice", repeats)
	}
	if n := r.obs.acked["a"]; n != 20_000 {
		t.Errorf("the observer counted %d acknowledgements", n)
	}
	if s := r.Status(); s.LastAck.IsZero() || !s.RetryingSince.IsZero() || !s.OldestRequest.IsZero() || s.InFlight != 0 || s.Queued != 0 {
		t.Errorf("status after the end: %+v", s)
	}
}

// Every code that is worth a retry is retried, in order and without a repeat,
// also those that come after the broker has appended.
func TestRetriableCodes(t *testing.T) {
	t.Parallel()
	for code, name := range kafka.CodeNames {
		if kafka.Classify(code) != kafka.Retriable {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, kfake.SeedTopics(2, "a"))
			r := newRig(t, c.config())
			fault := c.Fault(kfake.Fault{Keys: produceKey, Err: kerr.TypedErrorForCode(int16(code)), Count: 4})
			src := newSource(messages("a", 3000, 20)...)
			r.runAll(t, src)
			if fault.Hits() != 4 {
				t.Errorf("%d of 4 faults were met", fault.Hits())
			}
			if repeats := checkComplete(t, c, "a", src); repeats != 0 {
				t.Errorf("%d records are in the log twice", repeats)
			}
			if r.obs.failed(name) == 0 {
				t.Errorf("the failure was not counted: %v", r.obs.failures)
			}
		})
	}
}

// After these a new producer id is taken and everything is sent again in order.
func TestLostProducerCodes(t *testing.T) {
	t.Parallel()
	for code, name := range kafka.CodeNames {
		if kafka.Classify(code) != kafka.LostProducer {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, kfake.NumBrokers(2), kfake.SeedTopics(4, "a"))
			r := newRig(t, c.config())
			src := newSource(messages("a", 2000, 20)...)
			run := r.start(t, src)
			src.await(t, 2000)
			c.Fault(kfake.Fault{Keys: produceKey, Err: kerr.TypedErrorForCode(int16(code)), Count: 1})
			src.give(messages("a", 5000, 20)[2000:]...)
			src.close()
			if err := run.wait(); err != nil {
				t.Fatal(err)
			}
			if repeats := checkComplete(t, c, "a", src); repeats != 0 {
				t.Errorf("%d records are in the log twice though none had been in doubt", repeats)
			}
			if n := r.obs.rebuilt[name]; n != 1 {
				t.Errorf("rebuilt %d times, want once", n)
			}
		})
	}
}

// The broker forgets the producer for real: the log is deleted under it.
func TestTopicRecreatedWhileIdle(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	src := newSource(messages("a", 100, 5)...)
	run := r.start(t, src)
	src.await(t, 100)
	if err := c.DeleteTopic("a"); err != nil {
		t.Fatal(err)
	}
	if err := c.CreateTopic("a", 1, nil); err != nil {
		t.Fatal(err)
	}
	second := messages("a", 200, 5)[100:]
	src.give(second...)
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	got := values(c.log(t, "a", 100)[0])
	for i, m := range second {
		if got[i] != string(m.Value) {
			t.Fatalf("record %d is %s, want %s", i, got[i], m.Value)
		}
	}
}

// The broker takes a batch and its answer is lost: the repeat is recognised.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(3, "a"))
	r := newRig(t, c.config())
	c.wire.onAnswer(func(n int) fate {
		if n%3 == 1 {
			return loseAnswer
		}
		return pass
	})
	src := newSource()
	run := r.start(t, src)
	all := messages("a", 3000, 30)
	for len(all) > 0 { // many small requests
		src.give(all[:100]...)
		all = all[100:]
		src.await(t, 3000-len(all))
	}
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if repeats := checkComplete(t, c, "a", src); repeats != 0 {
		t.Errorf("%d records are in the log twice", repeats)
	}
	if r.obs.failed("network") < 5 {
		t.Errorf("only %d answers were lost", r.obs.failed("network"))
	}
}

// What came meanwhile does not join a batch whose answer is lost: that batch is
// repeated as it was, or the broker would not recognise it.
func TestLostAnswerWithMoreBehind(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	release := c.wire.hold()
	defer release()
	c.wire.onAnswer(func(n int) fate {
		if n == 1 {
			return loseAnswer
		}
		return pass
	})
	src := newSource(messages("a", 10, 1)...)
	run := r.start(t, src)
	eventually(t, "the first batch in the log", func() bool { return c.end("a") == 10 })
	src.give(messages("a", 500, 1)[10:]...)
	eventually(t, "the rest queued", func() bool { return r.Status().Queued == 490 })
	release()
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if repeats := checkComplete(t, c, "a", src); repeats != 0 {
		t.Errorf("%d records are in the log twice", repeats)
	}
	if len(r.obs.rebuilt) != 0 {
		t.Errorf("sequence numbers broke: %v", r.obs.rebuilt)
	}
}

// A new producer id is asked for only when all that is in flight is answered.
func TestRebuildWaitsForAnswers(t *testing.T) {
	t.Parallel()
	c, src := twoBrokers(t)
	r := newRig(t, c.config())
	release := c.stall(0)
	defer release()
	c.Fault(kfake.Fault{Keys: produceKey, Nodes: []int32{1}, Err: kerr.OutOfOrderSequenceNumber})
	asked := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.InitProducerID}, Observe: true, Count: -1})
	run := r.start(t, src)
	eventually(t, "the code", func() bool { return r.obs.failed("OUT_OF_ORDER_SEQUENCE_NUMBER") == 1 })
	quiet := time.NewTimer(100 * time.Millisecond)
	defer quiet.Stop()
	<-quiet.C
	if n := asked.Hits(); n != 1 {
		t.Errorf("%d producer ids were asked for, want the first only while a request is in flight", n)
	}
	if n := len(src.ackedMessages()); n != 0 {
		t.Errorf("%d records were acknowledged", n)
	}
	release()
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if repeats := checkComplete(t, c, "a", src); repeats != 0 {
		t.Errorf("%d records are in the log twice", repeats)
	}
}

// The connection breaks before the broker has seen the request.
func TestDroppedRequests(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(3, "a"))
	r := newRig(t, c.config())
	dropped := 0
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		if dropped++; dropped%2 == 1 {
			return nil, errDropped, true
		}
		if dropped > 20 {
			c.DropControl()
		}
		return nil, nil, false
	})
	src := newSource()
	run := r.start(t, src)
	all := messages("a", 2000, 30)
	for len(all) > 0 {
		src.give(all[:100]...)
		all = all[100:]
		src.await(t, 2000-len(all))
	}
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if repeats := checkComplete(t, c, "a", src); repeats != 0 {
		t.Errorf("%d records are in the log twice", repeats)
	}
	if dropped < 10 {
		t.Errorf("only %d requests were seen", dropped)
	}
}

// An answer that says nothing about a partition is no acknowledgement of it.
func TestMissingPartitionInAnswer(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	c.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		return req.ResponseKind(), nil, true // once
	})
	src := newSource(messages("a", 10, 3)...)
	src.onAcked = func([]*kafka.Message) {
		if c.end("a") == 0 {
			t.Error("acknowledged though nothing is in the log")
		}
	}
	r.runAll(t, src)
	if repeats := checkComplete(t, c, "a", src); repeats != 0 {
		t.Errorf("%d records are in the log twice", repeats)
	}
	if r.obs.failed("protocol") == 0 {
		t.Errorf("the failure was not counted: %v", r.obs.failures)
	}
}

// A broker that falls silent is given up after the request timeout.
func TestNoAnswer(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	cfg := c.config()
	cfg.RequestTimeout = 200 * time.Millisecond
	r := newRig(t, cfg)
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		return nil, nil, true // no answer at all, once
	})
	src := newSource(messages("a", 10, 3)...)
	r.runAll(t, src)
	checkComplete(t, c, "a", src)
	if r.obs.failed("timeout") == 0 {
		t.Errorf("the timeout was not counted: %v", r.obs.failures)
	}
}

func TestLeaderMoves(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.NumBrokers(3), kfake.SeedTopics(6, "a"))
	r := newRig(t, c.config())
	src := newSource()
	run := r.start(t, src)
	all := messages("a", 4000, 60)
	for i := 0; len(all) > 0; i++ {
		src.give(all[:200]...)
		all = all[200:]
		for p := range int32(6) {
			if err := c.MoveTopicPartition("a", p, (p+int32(i))%3); err != nil {
				t.Fatal(err)
			}
		}
		src.await(t, 4000-len(all)-100)
	}
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	checkComplete(t, c, "a", src)
	if r.obs.failed("NOT_LEADER_OR_FOLLOWER") == 0 {
		t.Errorf("no leader had moved: %v", r.obs.failures)
	}
}

// While the broker withholds its answer nothing is acknowledged, and no second
// batch of the partition is sent.
func TestNothingIsAckedEarly(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	release := c.wire.hold()
	defer release()
	src := newSource(messages("a", 10, 1)...)
	run := r.start(t, src)
	eventually(t, "the first batch in the log", func() bool { return c.end("a") == 10 })
	src.give(messages("a", 5000, 1)[10:]...)
	eventually(t, "the rest queued", func() bool { return r.Status().Queued == 4990 })
	if n := len(src.ackedMessages()); n != 0 {
		t.Errorf("%d records were acknowledged while the answer was withheld", n)
	}
	if n := c.end("a"); n != 10 {
		t.Errorf("the log holds %d records, a second batch was sent behind the first", n)
	}
	if s := r.Status(); s.Requests != 1 || s.InFlight != 10 {
		t.Errorf("status: %+v, want one request of 10 records in flight", s)
	}
	release()
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if repeats := checkComplete(t, c, "a", src); repeats != 0 {
		t.Errorf("%d records are in the log twice", repeats)
	}
	got := src.ackedMessages()
	if !slices.EqualFunc(got, src.given, func(a, b *kafka.Message) bool { return a == b }) {
		t.Error("acknowledgements of one partition came out of order")
	}
}

// A broker that throttles is left alone for that long.
func TestThrottle(t *testing.T) {
	t.Parallel()
	const pause = 300 * time.Millisecond
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	r := newRig(t, c.config())
	var at []time.Time
	c.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		at = append(at, time.Now())
		if len(at) > 1 {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.ProduceResponse)
		resp.ThrottleMillis = int32(pause / time.Millisecond)
		topic := kmsg.NewProduceResponseTopic()
		topic.Topic = "a"
		partition := kmsg.NewProduceResponseTopicPartition()
		partition.ErrorCode = int16(sarama.ErrThrottlingQuotaExceeded)
		topic.Partitions = append(topic.Partitions, partition)
		resp.Topics = append(resp.Topics, topic)
		return resp, nil, true
	})
	src := newSource(messages("a", 10, 3)...)
	r.runAll(t, src)
	checkComplete(t, c, "a", src)
	if waited := at[1].Sub(at[0]); waited < pause*9/10 {
		t.Errorf("the request was repeated after %v, the broker had asked for %v", waited, pause)
	}
}
