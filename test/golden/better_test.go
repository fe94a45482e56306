package golden_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/test/compat/records"
)

// Exit codes of the relay.
const (
	exitConfiguration = 2
	exitHuman         = 3
)

// outcome is what a case must end in.
type outcome struct {
	records []records.Record
	code    int
	says    string // part of the relay's log
}

// better is what the relay does where Debezium fails or harms data, and where it asks for more. What Debezium had sent before must arrive too.
type better struct {
	reason string   // why it is not as Debezium does it
	args   []string // what the relay must be told in addition
	code   int
	says   string

	more   []records.Record // arrive after Debezium's own records, in topic and partition of the first of these
	refuse bool             // nothing arrives, not even what Debezium has sent
}

// betterCases are all cases that do not end as Debezium has ended them.
var betterCases = map[string]better{
	"conv-binary-nodelegate": {
		reason: "Debezium fails at the first row; the table shows at once that the converter cannot take the column",
		code:   exitConfiguration, says: "the binary converter takes bytea only, unless it has a delegate",
	},
	"conv-dbz-bytearray": {
		reason: "Debezium's ByteArrayConverter does not take what its own connector makes of bytea, and fails at the first row",
		code:   exitConfiguration, says: "what works with bytea is BinaryDataConverter",
	},
	"expand-bigint": {
		reason: "Debezium fails at a number that no Connect type can hold; the payload stays text, as other JSON that cannot be expanded does in Debezium",
		more: []records.Record{
			row("expand-bigint.all", 0, "2", "k", `"{\"a\": 9223372036854775808}"`),
			row("expand-bigint.all", 0, "3", "k", `{"a":2}`),
		},
	},
	"field-missing-key": {
		reason: "Debezium fails at the first row; the table shows at once that the column is missing",
		code:   exitConfiguration, says: `lacks column(s) \"nope\"`,
	},
	"op-invalid-value": {
		reason: "both refuse the value; the relay before it connects",
		code:   exitConfiguration, says: `table.op.invalid.behavior: "explode" is not one of warn, error, fatal`,
	},
	"op-truncate-captured": {
		reason: "Debezium hands the truncate to the router, which fails at it; the relay has no use for it",
		more:   []records.Record{row("op-truncate-captured.all", 0, "2", "2", "{}")},
	},
	"payload-key-string-address": {
		reason: "Debezium prints the address of a Java object instead of the value, another one in each run",
		code:   exitConfiguration, says: "prints io.debezium.data.VariableScaleDecimal differently in each run", refuse: true,
	},
	"place-alias-twice": {
		reason: "Debezium fails at the first row; the option alone shows the mistake",
		code:   exitConfiguration, says: `the envelope has two fields named "x"`,
	},
	"place-missing-old-name": {
		reason: "Debezium 3.6 has forgotten the option's old name, and fails; it means the same as before",
		more:   []records.Record{row("place-missing-old-name.User", 3, "1", "1", "{}")},
	},
	"place-partition-negative": {
		reason: "both stop at the row; the relay says which one it is",
		code:   exitHuman, says: `column \"part\": partition -1 is negative`,
	},
	"publication-inserts-only": {
		reason: "the publication was made beforehand, so nothing proves that this is the first start: the relay makes a slot only when told to",
		args:   []string{"-slot.create"},
	},
	"route-by-int": {
		reason: "Debezium fails at the first row; the table shows at once that the column is no text",
		code:   exitConfiguration, says: `column \"num\" is of type integer; a topic is chosen by a column of a text type`,
	},
	"route-invalid-topic": {
		reason: "Debezium loses the row and fails at the next one; the relay stops at it",
		code:   exitHuman, says: "the topic name holds ' '",
	},
	"timestamp-before-1970": {
		reason: "both stop at the row; the relay says which one it is",
		code:   exitHuman, says: "it is before 1970, which Kafka has no timestamps for",
	},
}

// row is the record of a case's row n with one header, its id.
func row(topic string, partition int32, n, key, value string) records.Record {
	return records.Record{
		Topic: topic, Partition: partition, Timestamp: records.Timestamp{Clock: true}, Key: []byte(key), Value: []byte(value),
		Headers: []records.Header{{Key: "id", Value: []byte("a0000000-0000-4000-8000-00000000000" + n)}},
	}
}

// expected is what a case must end in: Debezium's own records, unless the table has it.
func (c *golden) expected(t *testing.T) outcome {
	t.Helper()
	b, ok := betterCases[c.name]
	if !ok && c.fails != "" {
		t.Fatalf("Debezium failed here, and nothing says what the relay does:\n%s", c.fails)
	}
	want := outcome{code: b.code, says: b.says}
	if !b.refuse {
		want.records = append(append(want.records, c.want...), b.more...)
	}
	return want
}

// TestBetterCasesExist demands that no entry of the table outlives its case.
func TestBetterCasesExist(t *testing.T) {
	names := map[string]bool{}
	for _, c := range load(t) {
		names[c.name] = true
	}
	for name, b := range betterCases {
		if !names[name] || b.reason == "" {
			t.Errorf("%s: there is no such case, or no reason (%q)", name, b.reason)
		}
	}
}
