package dbzconfig_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// TestTrim has what the real connector 3.6.1 did with blanks: Kafka's options are trimmed, Debezium's are not.
func TestTrim(t *testing.T) {
	t.Parallel()
	const r = "transforms.outbox."
	insert := []string{"transforms", "outbox,i,r", "transforms.i.type", transforms + "InsertHeader", "transforms.i.header", " src ", "transforms.i.value.literal", "\norders ",
		"transforms.r.type", transforms + "RegexRouter", "transforms.r.regex", " (real)\\.(.*) ", "transforms.r.replacement", "one.$2 "}
	tests := []struct {
		name    string
		options []string
		flags   []string
	}{
		{"rule of the topics", []string{r + "route.topic.regex", "(?<routedByValue>.*) ", r + "route.topic.replacement", " real.${routedByValue} "},
			[]string{"route.topic.regex", "(?<routedByValue>.*)", "route.topic.replacement", "real.${routedByValue}"}},
		{"no-break space is no blank to Java", []string{r + "route.topic.regex", "(?<routedByValue>.*)\u00a0"}, []string{"route.topic.regex", "(?<routedByValue>.*)\u00a0"}},
		{"columns", []string{r + "table.field.event.key", " aggregateid ", r + "route.by.field", "type "}, []string{"table.field.event.key", " aggregateid ", "route.by.field", "type "}},
		{"transforms", insert, []string{"transforms.after", `InsertHeader(header=src,value.literal=orders);RegexRouter(regex="(real)\.(.*)",replacement=one.$2)`}},
		{"producer", []string{"producer.override.client.id", " me ", "producer.override.sasl.mechanism", " PLAIN "}, []string{"client.id", "me", "sasl.mechanism", "PLAIN"}},
		{"connection", []string{"database.user", " u ", "slot.name", " s"}, []string{"database.user", " u ", "slot.name", " s"}},
		{"predicate", []string{"transforms", "outbox,d", "transforms.d.type", "DropHeaders", "transforms.d.headers", "id", "transforms.d.predicate", " p ",
			"predicates", " p ", "predicates.p.type", "TopicNameMatches", "predicates.p.pattern", " a|b "}, []string{"transforms.after", "DropHeaders(headers=id,if.topic=a|b)"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(files(with(test.options...)))
			checkRefusals(t, res)
			checkFlags(t, res, test.flags...)
		})
	}
}
