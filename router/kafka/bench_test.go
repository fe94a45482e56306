package kafka_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// The broker of these benchmarks runs in a process of its own, so that neither
// its CPU time nor its allocations count: the test binary starts itself again
// with this variable set, and that copy serves until its standard input ends.
const brokerVariable = "OUTBOX_BENCH_BROKER_PARTITIONS"

// serveBroker is that copy's main function.
func serveBroker(partitions string) {
	var n int32
	if _, err := fmt.Sscan(partitions, &n); err != nil {
		panic(err)
	}
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(n, "bench"), kfake.BlackholeProduce())
	if err != nil {
		panic(err)
	}
	defer c.Close()
	fmt.Println(c.ListenAddrs()[0])
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the parent closes it
}

// benchBroker starts a fake broker that swallows records, and returns its address.
func benchBroker(b *testing.B, partitions int) string {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", brokerVariable, partitions))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	var addr string
	if _, err := fmt.Fscanln(stdout, &addr); err != nil {
		b.Fatal(err)
	}
	return addr
}

// recycler is a Source that gives n messages from a pool of them, which bounds
// how many are in flight.
type recycler struct {
	ready chan struct{}
	free  []*kafka.Message
	left  int
}

const recycled = 20_000 // in flight at most; about 6 MB

func newRecycler(n int) *recycler {
	r := &recycler{ready: make(chan struct{}, 1), left: n}
	payload := []byte(strings.Repeat("x", 300))
	for i := range min(n, recycled) {
		r.free = append(r.free, &kafka.Message{Record: router.Record{
			Topic: "bench", Partition: router.ByKey, Key: fmt.Appendf(nil, "key-%d", i%1000), Value: payload,
			Headers:   []router.Header{{Key: "id", Value: []byte("a0000000-0000-4000-8000-000000000001")}},
			Timestamp: 1_700_000_000_000,
		}})
	}
	r.ready <- struct{}{}
	return r
}

func (r *recycler) Ready() <-chan struct{} { return r.ready }

func (r *recycler) Take(dst []*kafka.Message) []*kafka.Message {
	n := min(cap(dst), len(r.free), r.left)
	dst = append(dst, r.free[len(r.free)-n:]...)
	r.free = r.free[:len(r.free)-n]
	r.left -= n
	return dst
}

func (r *recycler) Acked(done []*kafka.Message) {
	r.free = append(r.free, done...)
	select {
	case r.ready <- struct{}{}:
	default:
	}
}

func (r *recycler) Closed() bool { return r.left == 0 }

// cpu is the CPU time that this process has used.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkProduce compares this package with sarama's AsyncProducer on the same
// records: 300 bytes, a key and one header, keyed over the partitions, acks=all
// and idempotent. "cpu-us/op" is what a record costs; the broker is not counted.
func BenchmarkProduce(b *testing.B) {
	for _, partitions := range []int{1, 6} {
		b.Run(fmt.Sprintf("direct/partitions=%d", partitions), func(b *testing.B) {
			p, err := kafka.New(kafka.Config{BootstrapServers: []string{benchBroker(b, partitions)}}, zerolog.Nop(), nil)
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			if err := p.Run(context.Background(), newRecycler(1)); err != nil {
				b.Fatal(err)
			}
			src := newRecycler(b.N)
			b.ReportAllocs()
			b.ResetTimer()
			before := cpu(b)
			if err := p.Run(context.Background(), src); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
		})
		b.Run(fmt.Sprintf("async/partitions=%d", partitions), func(b *testing.B) {
			produceAsync(b, benchBroker(b, partitions))
		})
	}
}

func produceAsync(b *testing.B, addr string) {
	conf := sarama.NewConfig()
	conf.Producer.Idempotent = true
	conf.Net.MaxOpenRequests = 1
	conf.Producer.RequiredAcks = sarama.WaitForAll
	conf.Producer.Return.Successes = true
	conf.Producer.Partitioner = sarama.NewMurmur2Partitioner
	p, err := sarama.NewAsyncProducer([]string{addr}, conf)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	slots := make(chan struct{}, recycled)
	value := []byte(strings.Repeat("x", 300))
	id := []byte("a0000000-0000-4000-8000-000000000001")
	keys := make([][]byte, 1000)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "key-%d", i)
	}
	b.ReportAllocs()
	b.ResetTimer()
	before := cpu(b)
	go func() {
		for i := range b.N {
			slots <- struct{}{}
			p.Input() <- &sarama.ProducerMessage{
				Topic: "bench", Key: sarama.ByteEncoder(keys[i%len(keys)]), Value: sarama.ByteEncoder(value),
				Headers:   []sarama.RecordHeader{{Key: []byte("id"), Value: id}},
				Timestamp: time.UnixMilli(1_700_000_000_000),
			}
		}
	}()
	for range b.N {
		select {
		case <-p.Successes():
			<-slots
		case err := <-p.Errors():
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
}

// one is a Source that gives its message again each time it is acknowledged.
type one struct {
	ready   chan struct{}
	message *kafka.Message
	left    int
	out     bool
}

func (o *one) Ready() <-chan struct{} { return o.ready }

func (o *one) Take(dst []*kafka.Message) []*kafka.Message {
	if o.out || o.left == 0 {
		return dst
	}
	o.out = true
	o.left--
	return append(dst, o.message)
}

func (o *one) Acked([]*kafka.Message) {
	o.out = false
	o.ready <- struct{}{}
}

func (o *one) Closed() bool { return o.left == 0 }

// BenchmarkRoundTrip is the time from Take to Acked of a record that finds the
// producer idle.
func BenchmarkRoundTrip(b *testing.B) {
	p, err := kafka.New(kafka.Config{BootstrapServers: []string{benchBroker(b, 1)}}, zerolog.Nop(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	if err := p.Run(context.Background(), newRecycler(1)); err != nil {
		b.Fatal(err)
	}
	src := &one{ready: make(chan struct{}, 2), message: newRecycler(1).free[0], left: b.N}
	b.ReportAllocs()
	b.ResetTimer()
	if err := p.Run(context.Background(), src); err != nil {
		b.Fatal(err)
	}
}
