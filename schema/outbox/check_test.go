package outbox_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/outbox"
)

// good is an event that nothing is wrong with.
func good() outbox.Event {
	return outbox.Event{AggregateType: "Order", AggregateID: "42", Type: "OrderPaid", Payload: json.RawMessage(`{"cents": 1250}`)}
}

// bad is good with one change.
func bad(change func(e *outbox.Event)) outbox.Event {
	e := good()
	change(&e)
	return e
}

// refused is a pgx.Tx that must not be used.
type refused struct{ pgx.Tx }

func TestInvalidEventsAreRefused(t *testing.T) {
	t.Parallel()
	keyed := outbox.Table{Sequence: "sequence"}
	counted := outbox.Table{Sequence: "sequence", Counters: "outbox_sequence"}
	large := strings.Repeat("x", outbox.DefaultMaxBytes)
	columns := schema.DefaultColumns()
	columns.Key = ""
	tests := []struct {
		name  string
		table outbox.Table
		event outbox.Event
		want  string
	}{
		{"no aggregate type", outbox.Table{}, bad(func(e *outbox.Event) { e.AggregateType = " " }), "aggregate type is empty, which chooses the topic"},
		{"topic with a blank", outbox.Table{}, bad(func(e *outbox.Event) { e.AggregateType = "My Order" }), `makes the topic "outbox.event.My Order"; Kafka takes`},
		{"topic with a letter beyond ASCII", outbox.Table{}, bad(func(e *outbox.Event) { e.AggregateType = "Straße" }), `"outbox.event.Straße"`},
		{"topic with a line break", outbox.Table{}, bad(func(e *outbox.Event) { e.AggregateType = "Order\n" }), `"outbox.event.Order\n"`},
		{"topic too long", outbox.Table{}, bad(func(e *outbox.Event) { e.AggregateType = strings.Repeat("a", 249-len("outbox.event.")+1) }), "1 to 249"},
		{"topic .. by a rule", outbox.Table{Topic: func(string) string { return ".." }}, good(), `the topic ".."`},
		{"no key", outbox.Table{}, bad(func(e *outbox.Event) { e.AggregateID = "" }), "aggregate id is empty, which is the record's key"},
		{"key that is no text", outbox.Table{}, bad(func(e *outbox.Event) { e.AggregateID = "\xff" }), "aggregate id is not UTF-8"},
		{"id with a zero byte", outbox.Table{}, bad(func(e *outbox.Event) { e.ID = "a\x00" }), "its id holds a zero byte"},
		{"type with a zero byte", outbox.Table{}, bad(func(e *outbox.Event) { e.Type = "\x00" }), "its type holds a zero byte"},
		{"broken JSON", outbox.Table{}, bad(func(e *outbox.Event) { e.Payload = []byte(`{"secret": 1,}`) }), "not valid JSON: it breaks at byte 14 of 14"},
		{"JSON cut short", outbox.Table{}, bad(func(e *outbox.Event) { e.Payload = json.RawMessage(`{"secret": 1`) }), "not valid JSON: it breaks at byte 12 of 12"},
		{"empty JSON", outbox.Table{}, bad(func(e *outbox.Event) { e.Payload = []byte{} }), "the payload is empty, which is not valid JSON; nil is NULL"},
		{"empty message", outbox.Table{}, bad(func(e *outbox.Event) { e.Payload = json.RawMessage{} }), "the payload is empty"},
		{"JSON that is not UTF-8", outbox.Table{}, bad(func(e *outbox.Event) { e.Payload = []byte("\"\xff\"") }), "not UTF-8"},
		{"not marshalable", outbox.Table{}, bad(func(e *outbox.Event) { e.Payload = math.NaN() }), "can not be marshaled: json: unsupported value"},
		{"text of another type", outbox.Table{Payload: outbox.Text}, bad(func(e *outbox.Event) { e.Payload = 1 }), "a int; a text column takes string, []byte or json.RawMessage"},
		{"text with a zero byte", outbox.Table{Payload: outbox.Text}, bad(func(e *outbox.Event) { e.Payload = "\x00" }), "the payload holds a zero byte"},
		{"bytes of another type", outbox.Table{Payload: outbox.Bytes}, bad(func(e *outbox.Event) { e.Payload = 1 }), "a int; a bytea column takes []byte, json.RawMessage or string"},
		{"too large", outbox.Table{}, bad(func(e *outbox.Event) { e.Payload = large }), "it takes 1044484 bytes, more than 1044480; keep the payload elsewhere"},
		{"too large as jsonb prints it", outbox.Table{MaxBytes: 20}, bad(func(e *outbox.Event) { e.Payload = []byte(`{"a":1,"b":",\\\""}`) }), "it takes 24 bytes, more than 20"},
		{"too large with its key", outbox.Table{Payload: outbox.Bytes, MaxBytes: 4}, bad(func(e *outbox.Event) { e.Payload = "abc" }), "it takes 5 bytes, more than 4"},
		{"sequence without a column", outbox.Table{}, bad(func(e *outbox.Event) { e.Sequence = 1 }), "sequence 1, for which Table.Sequence names no column"},
		{"no sequence", keyed, good(), "sequence 0; it needs one above 0"},
		{"sequence that is counted", counted, bad(func(e *outbox.Event) { e.Sequence = 1 }), "sequence 1, but the table outbox_sequence counts"},
		{"extra value", outbox.Table{}, bad(func(e *outbox.Event) { e.Extra = []any{1} }), "1 extra values for the 0 extra columns"},
		{"extra value missing", outbox.Table{Extra: []string{"tenant"}}, good(), "0 extra values for the 1 extra columns"},
		{"table without a key", outbox.Table{Columns: columns}, good(), "Table.Columns lacks one of"},
		{"counters without a column", outbox.Table{Counters: "c"}, good(), "that Table.Sequence does not name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := test.table.Write(t.Context(), refused{}, good(), test.event)
			if !errors.Is(err, outbox.ErrInvalid) || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want an ErrInvalid with %q", err, test.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the payload is in the error: %v", err)
			}
		})
	}
}

// TestErrorTellsAllMistakes has two in one event, and one in another.
func TestErrorTellsAllMistakes(t *testing.T) {
	t.Parallel()
	err := outbox.Write(t.Context(), refused{}, good(), outbox.Event{AggregateType: "Order"}, bad(func(e *outbox.Event) { e.AggregateType = "?" }))
	want := `write to table outbox: invalid event: event 2 of 3, of aggregate "Order" "": ` +
		"its aggregate id is empty, which is the record's key: without one there is no order\n" +
		`event 3 of 3, of aggregate "?" "42": its aggregate type makes the topic "outbox.event.?"; ` +
		"Kafka takes 1 to 249 letters and digits of ASCII, dots, underscores and hyphens"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestNothingToWrite(t *testing.T) {
	t.Parallel()
	if err := outbox.Write(t.Context(), refused{}); err != nil {
		t.Errorf("no events: %v", err)
	}
}

// TestOnlyATransactionWillDo looks at the types that an event could be written beside the transaction with.
func TestOnlyATransactionWillDo(t *testing.T) {
	t.Parallel()
	tx := reflect.TypeOf(outbox.Write).In(1)
	for _, other := range []reflect.Type{reflect.TypeFor[*pgx.Conn](), reflect.TypeFor[*pgxpool.Pool](), reflect.TypeFor[*pgxpool.Conn]()} {
		if other.AssignableTo(tx) {
			t.Errorf("Write takes a %v", other)
		}
	}
	if !reflect.TypeFor[*pgxpool.Tx]().AssignableTo(tx) {
		t.Error("Write does not take a *pgxpool.Tx")
	}
	if got := reflect.TypeOf(outbox.WriteSQL).In(1).String(); got != "*sql.Tx" {
		t.Errorf("WriteSQL takes a %s", got)
	}
}
