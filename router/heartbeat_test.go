package router_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		conv       schema.Converter
		key, value string
	}{
		{"string", schema.Converter{Name: "string"}, `Struct{serverName=srv}`, `Struct{ts_ms=1556890294484}`},
		{"json", schema.Converter{Name: "json"}, `{"serverName":"srv"}`, `{"ts_ms":1556890294484}`},
		{
			"json with schemas", schema.Converter{Name: "json", SchemasEnable: true},
			`{"schema":{"type":"struct","fields":[{"type":"string","optional":false,"field":"serverName"}],"optional":false,"name":"io.debezium.connector.common.ServerNameKey","version":1},"payload":{"serverName":"srv"}}`,
			`{"schema":{"type":"struct","fields":[{"type":"int64","optional":false,"field":"ts_ms"}],"optional":false,"name":"io.debezium.connector.common.Heartbeat","version":1},"payload":{"ts_ms":1556890294484}}`,
		},
		{"binary with a delegate", schema.Converter{Name: "binary", Delegate: &schema.Converter{Name: "json"}}, `{"serverName":"srv"}`, `{"ts_ms":1556890294484}`},
	}
	for _, tt := range tests {
		o := router.DefaultOptions()
		o.TopicPrefix, o.KeyConverter, o.ValueConverter = "srv", tt.conv, tt.conv
		h, err := router.NewHeartbeat(o, "__debezium-heartbeat.srv")
		if err != nil {
			t.Fatal(err)
		}
		rec := router.Record{Headers: []router.Header{{Key: "left over"}}}
		if err := h.Record(now, &rec); err != nil {
			t.Fatal(err)
		}
		if string(rec.Key) != tt.key || string(rec.Value) != tt.value {
			t.Errorf("%s: key %s, value %s, want %s, %s", tt.name, rec.Key, rec.Value, tt.key, tt.value)
		}
		if rec.Topic != "__debezium-heartbeat.srv" || rec.Partition != 0 || rec.Timestamp != now || len(rec.Headers) != 0 {
			t.Errorf("%s: got %+v", tt.name, rec)
		}
	}
}

func TestHeartbeatNeedsAConverterForStructures(t *testing.T) {
	t.Parallel()
	for _, change := range []func(*router.Options){
		func(o *router.Options) { o.KeyConverter.Name = "bytearray" },
		func(o *router.Options) { o.ValueConverter.Name = "binary" },
	} {
		o := router.DefaultOptions()
		change(&o)
		if _, err := router.NewHeartbeat(o, "p"); err == nil || !strings.Contains(err.Error(), ".converter: heartbeats") {
			t.Errorf("got %v, want an error about the converter", err)
		}
	}
}
