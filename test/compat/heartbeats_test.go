package compat_test

import (
	"bytes"
	"fmt"
	"regexp"

	"github.com/outbox-relay/outbox-relay/test/compat/records"
)

const kafkaTransforms = "org.apache.kafka.connect.transforms."

// beating compares heartbeats, which go through the transforms as events do, and what Kafka's options make of blanks.
func beating() []configuration {
	beats := options{"heartbeat.interval.ms": "100"}
	after := options{
		"transforms": "outbox,insert,rename", "transforms.insert.type": kafkaTransforms + "InsertHeader", "transforms.insert.header": " src ", "transforms.insert.value.literal": " orders ",
		"transforms.rename.type": kafkaTransforms + "RegexRouter", "transforms.rename.regex": ` (?:__debezium-heartbeat\.)?(.*) `, "transforms.rename.replacement": " $1.one ",
	}
	before := options{
		"transforms": "rename,outbox,insert", "transforms.rename.type": kafkaTransforms + "RegexRouter", "transforms.rename.regex": `__debezium-heartbeat\.(.*)`, "transforms.rename.replacement": "$1.beats",
		"transforms.insert.type": kafkaTransforms + "InsertHeader", "transforms.insert.header": "n", "transforms.insert.value.literal": " 5 ",
		"transforms.insert.predicate": "beats", "predicates": "beats", "predicates.beats.type": kafkaTransforms + "predicates.TopicNameMatches", "predicates.beats.pattern": ` .*\.beats `,
	}
	blanks := options{"route.topic.regex": "(?<routedByValue>.*) ", "route.topic.replacement": " beats-after.${routedByValue}\t"}
	return []configuration{
		{name: "beats-after", tables: []table{{}}, options: join(asJSON, headersAsSchemas, beats, after, blanks)},
		{name: "beats-before", tables: []table{{}}, options: join(asSchemas, beats, before)},
	}
}

var (
	beatKey  = []byte(`"serverName":`)
	beatTime = regexp.MustCompile(`"ts_ms":\d{13}`)
)

// oneBeat leaves one heartbeat of each topic, without its time: how many there are depends on the clock.
func oneBeat(list []records.Record) []records.Record {
	var out []records.Record
	seen := map[string]bool{}
	for _, r := range list {
		if bytes.Contains(r.Key, beatKey) {
			r.Value = beatTime.ReplaceAll(r.Value, []byte(`"ts_ms":0`))
			kind := fmt.Sprintf("%s %d %s %s %v", r.Topic, r.Partition, r.Key, r.Value, r.Headers)
			if seen[kind] {
				continue
			}
			seen[kind] = true
		}
		out = append(out, r)
	}
	return out
}
