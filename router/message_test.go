package router_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// routed routes messages and returns each as one line, or its error.
func routed(t *testing.T, change func(*router.Options), contents ...string) []string {
	t.Helper()
	o := router.DefaultOptions()
	o.TopicPrefix = "srv"
	if change != nil {
		change(&o)
	}
	r, err := router.New(o)
	if err != nil {
		t.Fatal(err)
	}
	var rec router.Record
	var lines []string
	for _, content := range contents {
		if err := r.RouteMessage([]byte(content), now, &rec); err != nil {
			lines = append(lines, "error: "+err.Error())
			continue
		}
		line := fmt.Sprintf("%s/%d %d %s=%s", rec.Topic, rec.Partition, rec.Timestamp, rec.Key, rec.Value)
		for _, h := range rec.Headers {
			line += fmt.Sprintf(" %s:%s", h.Key, h.Value)
		}
		lines = append(lines, line)
	}
	return lines
}

// event is a message with a payload.
func event(payload string) string {
	return `{"id": 1, "aggregatetype": "a", "aggregateid": "k", "type": "T", "payload": ` + payload + `}`
}

// What Debezium makes of messages is compared byte for byte in test/compat; here are one of each sort, and the same
// shape again with other values.
func TestRouteMessage(t *testing.T) {
	t.Parallel()
	schemas := func(o *router.Options) {
		o.ValueConverter = schema.Converter{Name: "json", SchemasEnable: true}
		o.AdditionalPlacement, o.AdditionalMissing = "part:partition,type:header", "ignore"
		o.Context = []router.ContextHeader{{Key: "context", Value: "not for messages"}}
	}
	enveloped := func(o *router.Options) {
		o.ValueConverter = schema.Converter{Name: "json", SchemasEnable: true}
		o.AdditionalPlacement = "type:envelope"
	}
	nulls := func(o *router.Options) { o.MessageFieldsNull, o.AdditionalPlacement = true, "no:header" }
	tests := []struct {
		name     string
		change   func(*router.Options)
		contents []string
		want     []string
	}{
		{"a text, and again", nil, []string{event(`"x"`), strings.Replace(event(`"y"`), `"k"`, `"l"`, 1)}, []string{"outbox.event.a/-1 1556890294484 k=x id:1", "outbox.event.a/-1 1556890294484 l=y id:1"}},
		{"an object", nil, []string{event(`{"b": [1, 2], "n": null}`)}, []string{"outbox.event.a/-1 1556890294484 k=Struct{b=[1, 2]} id:1"}},
		{"an object with its schema", schemas, []string{strings.Replace(event(`{"b": true}`), `"id"`, `"part": 3, "id"`, 1)},
			[]string{`outbox.event.a/3 1556890294484 k={"schema":{"type":"struct","fields":[{"type":"boolean","optional":true,"field":"b"}],"optional":true,"name":"payload"},"payload":{"b":true}} id:1 type:T`}},
		{"an envelope is named by the routed value", enveloped, []string{event(`1`)},
			[]string{`outbox.event.a/-1 1556890294484 k={"schema":{"type":"struct","fields":[{"type":"int32","optional":true,"field":"payload"},{"type":"string","optional":true,"field":"type"}],"optional":false,"name":"a"},"payload":{"payload":1,"type":"T"}} id:1`}},
		{"a null field that is kept", nulls, []string{strings.Replace(event(`"x"`), `"id"`, `"no": null, "id"`, 1)}, []string{"outbox.event.a/-1 1556890294484 k=x id:1 no:"}},
		{"an expanded text", func(o *router.Options) { o.ExpandJSONPayload = true }, []string{event(`"{\"c\": 1}"`)}, []string{"outbox.event.a/-1 1556890294484 k=Struct{c=1} id:1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, routed(t, tt.change, tt.contents...)); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRouteMessageRefuses(t *testing.T) {
	t.Parallel()
	stamped := func(o *router.Options) { o.EventTimestamp = "at" }
	nulls := func(o *router.Options) { o.MessageFieldsNull = true }
	tests := []struct {
		name    string
		change  func(*router.Options)
		content string
		want    string
	}{
		{"nothing", nil, "", "no JSON object"},
		{"a text", nil, `"x"`, "no JSON object"},
		{"a blank before the object", nil, " " + event("1"), "no JSON object"},
		{"an empty array", nil, "[]", "no JSON object"},
		{"half an object", nil, `{"id": 1`, "no JSON"},
		{"bytes that are no text", nil, "{\"id\": \"\xff\"}", "not UTF-8"},
		{"an array", nil, `[1]`, "an array at the top"},
		{"a mixed array", nil, event(`[1, "x"]`), "of mixed types"},
		{"no payload", nil, `{"id": 1, "aggregatetype": "a", "aggregateid": "k"}`, `lacks column(s) "payload"`},
		{"a null payload", nil, event("null"), `lacks column(s) "payload"`},
		{"a topic that is a number", nil, strings.Replace(event("1"), `"a"`, "5", 1), `column "aggregatetype" is of type int32`},
		{"a null topic", nulls, strings.Replace(event("1"), `"a"`, "null", 1), `column "aggregatetype" is of type bytes`},
		{"a null id", nulls, strings.Replace(event("1"), `"id": 1`, `"id": null`, 1), `column "id": it is null`},
		{"a time", stamped, strings.Replace(event("1"), `"id"`, `"at": 1556890294484, "id"`, 1), "must be a timestamp"},
		{"a partition that is a text", func(o *router.Options) { o.AdditionalPlacement = "type:partition" }, event("1"), "a partition is an integer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := routed(t, tt.change, tt.content)[0]; !strings.HasPrefix(got, "error: ") || !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want an error with %q", got, tt.want)
			}
		})
	}
}

// Messages and rows share the envelope's schemas, as they share one transform in Debezium.
func TestMessagesBesideRows(t *testing.T) {
	t.Parallel()
	o := router.DefaultOptions()
	o.TopicPrefix, o.AdditionalPlacement = "srv", "type:envelope"
	o.ValueConverter = schema.Converter{Name: "json", SchemasEnable: true}
	r, err := router.New(o)
	if err != nil {
		t.Fatal(err)
	}
	rel := outbox()
	rel.Columns[4].TypeOID, rel.Columns[3].NotNull = 25, false
	p, err := r.Bind(rel)
	if err != nil {
		t.Fatal(err)
	}
	var rec router.Record
	if err := p.Route(row(uuid, "b", "k", "T", "x"), now, &rec); err != nil {
		t.Fatal(err)
	}
	if err := r.RouteMessage([]byte(event(`"x"`)), now, &rec); err != nil {
		t.Fatal(err)
	}
	if want := `"name":"srv.public.outbox.b.Value"`; !strings.Contains(string(rec.Value), want) {
		t.Errorf("the message's envelope is %s, want the one that the row has left, %s", rec.Value, want)
	}
}
