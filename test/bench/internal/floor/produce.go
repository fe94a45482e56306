package floor

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// keys is how many different keys are produced, as many as the backlog has.
const keys = 1000

// Produce sends rows records like those of the backlog, with values of payload bytes, to the topics in turn, and
// returns when all are acknowledged.
func Produce(ctx context.Context, brokers, topics []string, rows, payload int) error {
	client, err := producer(brokers)
	if err != nil {
		return err
	}
	defer client.Close()
	f := &forwarder{client: client}
	r := row{id: []byte("00000000-0000-4000-8000-000000000000"), payload: []byte(strings.Repeat("x", payload))}
	for i := range rows {
		r.key = strconv.AppendInt(append(r.key[:0], "key-"...), int64(i/len(topics)%keys), 10)
		f.open.Add(1)
		client.Produce(ctx, record(topics[i%len(topics)], r), f.acknowledged)
	}
	if err := client.Flush(ctx); err != nil {
		return fmt.Errorf("produce: %w", err)
	}
	if err := f.failed.Load(); err != nil {
		return *err
	}
	return nil
}
