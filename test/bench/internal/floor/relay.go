package floor

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pglogrepl"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Relay reads the slot without any pause and produces each row at once to the topic prefix + aggregate type. It ends
// with an error only.
func Relay(ctx context.Context, source Source, brokers []string, prefix string) error {
	client, err := producer(brokers)
	if err != nil {
		return err
	}
	defer client.Close()
	s, err := open(ctx, source, nil)
	if err != nil {
		return err
	}
	return s.run(ctx, &forwarder{client: client, prefix: prefix, topics: map[string]string{}})
}

// producer waits for all replicas and never for more records. Compression would only add to the latency.
func producer(brokers []string) (*kgo.Client, error) {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
	)
	if err != nil {
		return nil, fmt.Errorf("make a producer: %w", err)
	}
	return client, nil
}

// forwarder produces rows.
type forwarder struct {
	client *kgo.Client
	prefix string
	topics map[string]string // by aggregate type
	end    pglogrepl.LSN     // of the last transaction
	open   atomic.Int64      // records that are not acknowledged
	failed atomic.Pointer[error]
}

func (f *forwarder) insert(ctx context.Context, msg []byte) error {
	if err := f.failed.Load(); err != nil {
		return *err
	}
	r, err := parseRow(msg)
	if err != nil {
		return err
	}
	topic, ok := f.topics[string(r.kind)]
	if !ok {
		topic = f.prefix + string(r.kind)
		f.topics[string(r.kind)] = topic
	}
	f.open.Add(1)
	f.client.Produce(ctx, record(topic, r), f.acknowledged)
	return nil
}

// record copies the row, whose memory is used again for the next message.
func record(topic string, r row) *kgo.Record {
	block := make([]byte, 0, len(r.key)+len(r.payload)+len(r.id))
	block = append(append(append(block, r.key...), r.payload...), r.id...)
	keyEnd, valueEnd := len(r.key), len(r.key)+len(r.payload)
	return &kgo.Record{
		Topic: topic, Key: block[:keyEnd:keyEnd], Value: block[keyEnd:valueEnd:valueEnd],
		Headers: []kgo.RecordHeader{{Key: "id", Value: block[valueEnd:]}},
	}
}

func (f *forwarder) acknowledged(_ *kgo.Record, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("produce: %w", err)
		f.failed.CompareAndSwap(nil, &err)
	}
	f.open.Add(-1)
}

func (f *forwarder) commit(end pglogrepl.LSN) { f.end = end }

// confirm is the last transaction, provided that nothing at all is under way.
func (f *forwarder) confirm() pglogrepl.LSN {
	if f.open.Load() > 0 || f.failed.Load() != nil {
		return 0
	}
	return f.end
}
