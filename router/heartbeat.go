package router

import (
	"fmt"

	"github.com/outbox-relay/outbox-relay/schema"
)

// Heartbeat makes the records that Debezium's connector sends with
// heartbeat.interval.ms. Like a Router it belongs to one goroutine.
type Heartbeat struct {
	topic string
	key   []byte
	value *schema.Encoder
	items []schema.Value
}

var (
	heartbeatKey = &schema.Schema{
		Type: schema.TypeStruct, Name: "io.debezium.connector.common.ServerNameKey", Version: 1, HasVersion: true,
		Fields: []schema.Field{{Name: "serverName", Schema: &schema.Schema{Type: schema.TypeString}}},
	}
	heartbeatValue = &schema.Schema{
		Type: schema.TypeStruct, Name: "io.debezium.connector.common.Heartbeat", Version: 1, HasVersion: true,
		Fields: []schema.Field{{Name: "ts_ms", Schema: &schema.Schema{Type: schema.TypeInt64}}},
	}
)

// NewHeartbeat prepares heartbeats for a topic, which Debezium names
// <topic.heartbeat.prefix>.<topic.prefix>, written by the key's and the value's converter. A converter that takes only
// bytes cannot write them and is an error here, where Debezium fails at the first
// heartbeat.
func NewHeartbeat(o Options, topic string) (*Heartbeat, error) {
	h := &Heartbeat{topic: topic, items: make([]schema.Value, 1)}
	key, err := o.KeyConverter.Bind(heartbeatKey)
	if err != nil {
		return nil, option("key.converter", fmt.Errorf("heartbeats (heartbeat.interval.ms) are no bytes: %w", err))
	}
	name := schema.Value{Type: schema.TypeString, Bytes: []byte(o.TopicPrefix)}
	h.key, _, err = key.Encode(schema.Value{Type: schema.TypeStruct, Items: []schema.Value{name}}, nil)
	if err != nil {
		return nil, option("key.converter", err)
	}
	if h.value, err = o.ValueConverter.Bind(heartbeatValue); err != nil {
		return nil, option("value.converter", fmt.Errorf("heartbeats (heartbeat.interval.ms) are no bytes: %w", err))
	}
	return h, nil
}

// Record fills rec with a heartbeat of the given time, in milliseconds since
// 1970. Heartbeats carry no headers and go to partition 0.
func (h *Heartbeat) Record(nowMs int64, rec *Record) error {
	rec.reset()
	rec.Topic, rec.Partition, rec.Key, rec.Timestamp = h.topic, 0, h.key, nowMs
	h.items[0] = schema.Value{Type: schema.TypeInt64, Int: nowMs}
	var err error
	rec.Value, rec.scratch, err = h.value.Encode(schema.Value{Type: schema.TypeStruct, Items: h.items}, rec.scratch)
	return err
}
