package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/load"
)

// record is what a consumer sees of one record. A null is a nil pointer.
type record struct {
	Topic      string
	Key, Value *string
	Headers    []header
}

type header struct {
	Key   string
	Value *string
}

func text(s string) *string { return &s }

func optional(b []byte) *string {
	if b == nil {
		return nil
	}
	return text(string(b))
}

// rowCase is a row as SQL writes it and the record it must become.
type rowCase struct {
	name                      string
	aggregateID, typ, payload any
	more                      []any // values of further columns
	key, value                *string
	headers                   []header // after id
}

// TestRecordsAreThoseOfDebezium checks every byte of the records of the default configuration: topic outbox.event.TYPE,
// the key and the value as PostgreSQL prints them, the event's id as a header.
func TestRecordsAreThoseOfDebezium(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("0123456789", 10_000)
	tests := []struct {
		name  string
		table string
		args  []string
		rows  []rowCase
	}{
		{
			name:  "payload jsonb",
			table: `CREATE TABLE outbox (id uuid PRIMARY KEY, aggregatetype varchar(255) NOT NULL, aggregateid varchar(255), type varchar(255) NOT NULL, payload jsonb)`,
			rows: []rowCase{
				{name: "object", aggregateID: "42", typ: "Created", payload: `{"b":1,"a":  [1.50, 1e3, 12345678901234567890],"b":2}`,
					key: text("42"), value: text(`{"a": [1.50, 1000, 12345678901234567890], "b": 2}`)},
				{name: "unicode", aggregateID: "ключ-🔑", typ: "Created", payload: `{"имя": "Zoë \u00e9 \ud83d\ude00 \n"}`,
					key: text("ключ-🔑"), value: text(`{"имя": "Zoë é 😀 \n"}`)},
				{name: "null payload", aggregateID: "1", typ: "Deleted", payload: nil, key: text("1"), value: nil},
				{name: "JSON null", aggregateID: "1", typ: "Deleted", payload: `null`, key: text("1"), value: text(`null`)},
				{name: "JSON string", aggregateID: "1", typ: "Created", payload: `"x"`, key: text("1"), value: text(`"x"`)},
				{name: "null key", aggregateID: nil, typ: "Created", payload: `{}`, key: nil, value: text(`{}`)},
				{name: "empty key", aggregateID: "", typ: "Created", payload: `{}`, key: text(""), value: text(`{}`)},
				{name: "100 kB", aggregateID: "1", typ: "Created", payload: `{"big": "` + big + `"}`, key: text("1"), value: text(`{"big": "` + big + `"}`)},
			},
		},
		{
			name:  "payload text, more columns",
			table: `CREATE TABLE outbox (id uuid PRIMARY KEY, aggregatetype text, aggregateid text, type text, payload text, tenant text, attempt int, urgent boolean)`,
			args:  []string{"-table.fields.additional.placement", "type:header:eventType,tenant:header,attempt:header:n,urgent:header"},
			rows: []rowCase{
				{name: "as it is", aggregateID: "42", typ: "Created", payload: " {\"b\" :1}\n", more: []any{"Zürich", 7, true},
					key: text("42"), value: text(" {\"b\" :1}\n"),
					headers: []header{{"eventType", text("Created")}, {"tenant", text("Zürich")}, {"n", text("7")}, {"urgent", text("true")}}},
				{name: "empty payload", aggregateID: "42", typ: "", payload: "", more: []any{"", -1, false},
					key: text("42"), value: text(""),
					headers: []header{{"eventType", text("")}, {"tenant", text("")}, {"n", text("-1")}, {"urgent", text("false")}}},
				{name: "nulls", aggregateID: "42", typ: nil, payload: nil, more: []any{nil, nil, nil},
					key: text("42"), value: nil,
					headers: []header{{"eventType", nil}, {"tenant", nil}, {"n", nil}, {"urgent", nil}}},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, setup{table: test.table})
			p := r.stream(t, test.args...)
			ids := r.commit(t, test.rows)
			got := r.records(t, len(ids))
			for i, row := range test.rows {
				if diff := cmp.Diff(r.wanted(ids[i], row), got[ids[i]]); diff != "" {
					t.Errorf("%s: record differs from Debezium's (-want +got):\n%s", row.name, diff)
				}
			}
			p.stop(t)
		})
	}
}

// commit inserts each row in a transaction of its own and returns their ids.
func (r *rig) commit(t testing.TB, rows []rowCase) []string {
	t.Helper()
	conn := r.db.Connect(t)
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = newID()
		values := append([]any{ids[i], r.types[0], row.aggregateID, row.typ, row.payload}, row.more...)
		places := make([]string, len(values))
		for n := range places {
			places[n] = fmt.Sprintf("$%d", n+1)
		}
		run(t, conn, `INSERT INTO outbox VALUES (`+strings.Join(places, ", ")+`)`, values...)
	}
	return ids
}

func (r *rig) wanted(id string, row rowCase) record {
	return record{
		Topic: load.Topic(r.types[0]), Key: row.key, Value: row.value,
		Headers: append([]header{{"id", &id}}, row.headers...),
	}
}

// records reads n records of the rig's topics, by their header id.
func (r *rig) records(t testing.TB, n int) map[string]record {
	t.Helper()
	client := kafkatest.NewClient(t, r.cluster, kgo.ConsumeTopics(r.topics()...), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	ctx := wait.Context(t, arriveTimeout)
	found := map[string]record{}
	for len(found) < n {
		fetches := client.PollFetches(ctx)
		if ctx.Err() != nil {
			t.Fatalf("%d of %d records have arrived", len(found), n)
		}
		fetches.EachRecord(func(k *kgo.Record) {
			rec := record{Topic: k.Topic, Key: optional(k.Key), Value: optional(k.Value)}
			id := ""
			for _, h := range k.Headers {
				if h.Key == "id" {
					id = string(h.Value)
				}
				rec.Headers = append(rec.Headers, header{h.Key, optional(h.Value)})
			}
			found[id] = rec
		})
	}
	return found
}
