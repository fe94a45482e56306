package outbox_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/schema/internal/dbtest"
	"github.com/outbox-relay/outbox-relay/schema/outbox"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// TestPayloadsThatJSONBRefuses, or that would grow too large in it, are the event's fault and not the database's.
func TestPayloadsThatJSONBRefuses(t *testing.T) {
	t.Parallel()
	type secret struct{ Secret string }
	growing := "[" + strings.Repeat("1e120000,", 9) + "1e120000]"
	for _, test := range []struct {
		name    string
		payload any
		want    string
	}{
		{"small but printed large", json.RawMessage(growing), "it takes 1200032 bytes, more than 1044480"},
		{"number too large", []byte(`{"secret": 1e131073}`), "a number out of the range of PostgreSQL's numeric"},
		{"number too fine", map[string]any{"n": json.Number("1e-16384")}, "a number out of the range"},
		{"zero byte in JSON", []byte(`{"secret": "\u0000"}`), `a string with \u0000, which PostgreSQL has no place for, at byte 12 of 20`},
		{"zero byte in a key", []byte(`{"\u0000": 1}`), `a string with \u0000`},
		{"zero byte in a Go string", secret{"a\x00"}, `a string with \u0000`},
		{"high surrogate", []byte(`"\ud800"`), "half of a surrogate pair"},
		{"low surrogate", []byte(`"\uDC00"`), "half of a surrogate pair"},
		{"high surrogate before a letter", []byte(`"\ud83d\u0041"`), "half of a surrogate pair"},
		{"high surrogate before what is above low ones", []byte(`"\ud83d\ue000"`), "half of a surrogate pair"},
		{"high surrogate before what is below low ones", []byte(`"\ud83d\udbff"`), "half of a surrogate pair"},
		{"high surrogate before another escape", []byte(`"\ud83d\ndc00"`), "half of a surrogate pair"},
		{"not UTF-8 in a Go string", secret{"a\xff"}, "which encoding/json writes where a string is not UTF-8"},
		{"not UTF-8 in a key", map[string]int{"\xff": 1}, "a string is not UTF-8"},
		{"not UTF-8 behind a backslash", secret{"\\\xff"}, "a string is not UTF-8"},
		{"not UTF-8 behind what looks so", secret{`\ufffd` + "\xff"}, "a string is not UTF-8"},
		{"not UTF-8 in JSON within", map[string]any{"a": json.RawMessage("\"\xff\"")}, "not UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantRefused(t, outbox.Table{}, bad(func(e *outbox.Event) { e.Payload = test.payload }), test.want)
		})
	}
}

func wantRefused(t *testing.T, table outbox.Table, event outbox.Event, want string) {
	t.Helper()
	err := table.Write(t.Context(), refused{}, event)
	if !errors.Is(err, outbox.ErrInvalid) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an ErrInvalid with %q", err, want)
	}
	if err != nil && strings.Contains(err.Error(), "secret") {
		t.Errorf("the payload is in the error: %v", err)
	}
}

// TestWhatTheReferenceTableCannotHold is refused for it, also in another schema and with more columns.
func TestWhatTheReferenceTableCannotHold(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ü", 256)
	same := func(string) string { return "topic" }
	for _, table := range []outbox.Table{{}, {Schema: "shop"}, {Topic: same}, {Extra: []string{"tenant"}}} {
		event := bad(func(e *outbox.Event) { e.Extra = make([]any, len(table.Extra)) })
		change := func(change func(e *outbox.Event)) outbox.Event {
			changed := event
			change(&changed)
			return changed
		}
		for _, id := range []string{
			"seventeen", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a112", "a0e-ebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
			"-a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11-", "a0eebc99--9c0b-4ef8-bb6d-6bb9bd380a11",
			"{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", " a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "{}",
		} {
			wantRefused(t, table, change(func(e *outbox.Event) { e.ID = id }), "its id is no UUID")
		}
		wantRefused(t, table, change(func(e *outbox.Event) { e.AggregateID = long }), "its aggregate id has 256 characters, of which the reference table takes 255")
		wantRefused(t, table, change(func(e *outbox.Event) { e.Type = long }), "its type has 256 characters")
	}
	wantRefused(t, outbox.Table{Topic: same}, bad(func(e *outbox.Event) { e.AggregateType = long }), "its aggregate type has 256 characters")
}

// TestWhatTheReferenceTableJustHolds is everything that the checks must leave to pass.
func TestWhatTheReferenceTableJustHolds(t *testing.T) {
	t.Parallel()
	forEachWriter(t, schema.DDL, func(t *testing.T, db *pgtest.DB, write writeFunc) {
		long := strings.Repeat("ü", 255)
		var events []outbox.Event
		for _, id := range []string{
			"{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a01}", "A0EEBC999C0B4EF8BB6D6BB9BD380A02", "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a03", "a0eebc999c0b4ef8bb6d-6bb9bd380a04",
		} {
			events = append(events, bad(func(e *outbox.Event) { e.ID, e.AggregateID, e.Type, e.Payload = id, long, long, []byte(`1e131071`) }))
		}
		if err := write(dbtest.Bounded(t), outbox.Table{}, commit, events...); err != nil {
			t.Fatal(err)
		}
		got := dbtest.Lines(t, db, `SELECT right(id::text, 2) || '|' || length(aggregateid) || '|' || length(payload::text) FROM outbox ORDER BY id`)
		if diff := cmp.Diff([]string{"01|255|131072", "02|255|131072", "03|255|131072", "04|255|131072"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestNilPayloads are NULL in each kind of column, and json.RawMessage suits each.
func TestNilPayloads(t *testing.T) {
	t.Parallel()
	for kind, column := range map[outbox.PayloadKind]string{outbox.JSON: "jsonb", outbox.Text: "text", outbox.Bytes: "bytea"} {
		t.Run(column, func(t *testing.T) {
			t.Parallel()
			ddl := schema.DDL + `ALTER TABLE outbox ALTER payload TYPE ` + column + ` USING NULL`
			forEachWriter(t, ddl, func(t *testing.T, db *pgtest.DB, write writeFunc) {
				payloads := []any{nil, []byte(nil), json.RawMessage(nil), json.RawMessage(`"1"`)}
				if kind == outbox.JSON {
					payloads = append(payloads, (*outbox.Event)(nil), map[string]int(nil), []int(nil))
				}
				var events []outbox.Event
				for _, p := range payloads {
					events = append(events, bad(func(e *outbox.Event) { e.Payload = p }))
				}
				if err := write(dbtest.Bounded(t), outbox.Table{Payload: kind}, commit, events...); err != nil {
					t.Fatal(err)
				}
				got := dbtest.Lines(t, db, `SELECT CASE '`+column+`' WHEN 'bytea' THEN convert_from(payload::text::bytea, 'UTF8') ELSE payload::text END
					FROM outbox WHERE payload IS NOT NULL`)
				if diff := cmp.Diff([]string{`"1"`}, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}
