package router_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// enveloped routes rows through one router and returns the values.
type enveloped struct {
	t *testing.T
	r *router.Router
}

func newEnveloped(t *testing.T, change func(*router.Options)) enveloped {
	t.Helper()
	o := router.DefaultOptions()
	o.TopicPrefix = "srv"
	o.AdditionalPlacement = "type:envelope:eventType"
	o.ValueConverter = schema.Converter{Name: "json", SchemasEnable: true}
	change(&o)
	r, err := router.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return enveloped{t, r}
}

func (e enveloped) bind(rel *schema.Relation) *router.Plan {
	e.t.Helper()
	p, err := e.r.Bind(rel)
	if err != nil {
		e.t.Fatal(err)
	}
	return p
}

func (e enveloped) want(p *router.Plan, values []schema.Datum, want string) {
	e.t.Helper()
	var rec router.Record
	if err := p.Route(values, now, &rec); err != nil {
		e.t.Fatal(err)
	}
	if got := string(rec.Value); got != want {
		e.t.Errorf("got  %s\nwant %s", got, want)
	}
}

const (
	payloadField = `{"type":"string","optional":true,"name":"io.debezium.data.Json","version":1,"field":"payload"}`
	typeField    = `{"type":"string","optional":false,"field":"eventType"}`
)

// TestEnvelopeName: Debezium names an envelope's schema after the first routed
// value that it sees with a payload's schema (recorded: place-envelope-schema).
func TestEnvelopeName(t *testing.T) {
	t.Parallel()
	e := newEnveloped(t, func(*router.Options) {})
	p := e.bind(outbox())
	head := `{"schema":{"type":"struct","fields":[` + payloadField + `,` + typeField + `],"optional":false,"name":"srv.public.outbox.User.Value"},"payload":`
	e.want(p, row(uuid, "User", "k", "Created", `{"a": 1}`), head+`{"payload":"{\"a\": 1}","eventType":"Created"}}`)
	e.want(p, row(uuid, "Other", "k", "Deleted", null), head+`{"payload":null,"eventType":"Deleted"}}`)

	// Still so after a reconnect announces the table again.
	e.want(e.bind(outbox()), row(uuid, "Other", "k", "Deleted", null), head+`{"payload":null,"eventType":"Deleted"}}`)

	// And in another table.
	second := outbox()
	second.Name = "My Outbox😀"
	e.want(e.bind(second), row(uuid, "Other", "k", "T", "1"), head+`{"payload":"1","eventType":"T"}}`)

	e = newEnveloped(t, func(*router.Options) {})
	e.want(e.bind(second), row(uuid, "Other", "k", "T", "1"),
		`{"schema":{"type":"struct","fields":[`+payloadField+`,`+typeField+`],"optional":false,"name":"srv.public.My_Outbox__.Other.Value"},"payload":{"payload":"1","eventType":"T"}}`)
}

// TestEnvelopeVersion: with a version column the name is remembered by version
// (recorded: schema-version).
func TestEnvelopeVersion(t *testing.T) {
	t.Parallel()
	e := newEnveloped(t, func(o *router.Options) { o.EventSchemaVersion = "version" })
	p := e.bind(outbox(schema.Column{Name: "version", TypeOID: 23, TypeMod: -1}))
	want := func(name, version string) string {
		return `{"schema":{"type":"struct","fields":[` + payloadField + `,` + typeField + `],"optional":false,"name":"srv.public.outbox.` + name + `.Value"` +
			version + `},"payload":{"payload":"{}","eventType":"T"}}`
	}
	for _, step := range []struct{ kind, version, name, attribute string }{
		{"User", "3", "User", `,"version":3`},
		{"User", null, "User", ""},
		{"Other", "-1", "Other", `,"version":-1`},
		{"Other", "3", "User", `,"version":3`},
		{"Other", "0", "Other", `,"version":0`},
	} {
		e.want(p, row(uuid, step.kind, "k", "T", "{}", step.version), want(step.name, step.attribute))
	}
}

// TestEnvelopeAfterAlter: a column that was dropped stays in the envelope as
// null (recorded: schema-drop); one that is new makes a new schema, where
// Debezium fails.
func TestEnvelopeAfterAlter(t *testing.T) {
	t.Parallel()
	e := newEnveloped(t, func(o *router.Options) {
		o.AdditionalPlacement, o.AdditionalMissing = "b:envelope,c:envelope", "ignore"
		o.ValueConverter.SchemasEnable = false
	})
	b := schema.Column{Name: "b", TypeOID: 25, TypeMod: -1}
	c := schema.Column{Name: "c", TypeOID: 23, TypeMod: -1}
	e.want(e.bind(outbox(b)), row(uuid, "all", "k", "T", "{}", "y"), `{"payload":"{}","b":"y"}`)
	e.want(e.bind(outbox()), row(uuid, "all", "k", "T", "{}"), `{"payload":"{}","b":null}`)
	e.want(e.bind(outbox(b, c)), row(uuid, "all", "k", "T", "{}", "y", "7"), `{"payload":"{}","b":"y","c":7}`)
}

func TestEnvelopeWithExpansion(t *testing.T) {
	t.Parallel()
	e := newEnveloped(t, func(o *router.Options) { o.ExpandJSONPayload, o.ValueConverter.SchemasEnable = true, false })
	p := e.bind(outbox())
	e.want(p, row(uuid, "all", "k", "T", `{"a": [1, 2], "b": null}`), `{"payload":{"a":[1,2]},"eventType":"T"}`)
	e.want(p, row(uuid, "all", "k", "T", `[1, "x"]`), `{"payload":"[1, \"x\"]","eventType":"T"}`)
	e.want(p, row(uuid, "all", "k", "T", null), `{"payload":null,"eventType":"T"}`)
}

func TestUnexpanded(t *testing.T) {
	t.Parallel()
	p := plan(t, outbox(), func(o *router.Options) { o.ExpandJSONPayload, o.ValueConverter = true, jsonPlain })
	deep := func(n int) string {
		b := make([]byte, 0, 2*n)
		for range n {
			b = append(b, '[')
		}
		b = append(b, '1')
		for range n {
			b = append(b, ']')
		}
		return `{"a":` + string(b) + `}`
	}
	cases := map[string]struct {
		payload string
		want    router.Unexpanded
	}{
		"object":             {`{"a": 1}`, router.Expanded},
		"F04 deep":           {deep(900), router.Expanded},
		"too deep":           {deep(1001), router.NotJSON},
		"null":               {null, router.Expanded},
		"blank before":       {` {"a": 1}`, router.NotObject},
		"empty":              {``, router.NotObject},
		"string":             {`"{}"`, router.NotObject},
		"single quotes":      {`{'a': 1}`, router.NotJSON},
		"leading zero":       {`{"a": 01}`, router.NotJSON},
		"F01 beyond 64 bits": {`{"n": 12345678901234567890}`, router.NotUniform},
		"F04 mixed":          {`{"a": [1, "x"]}`, router.NotUniform},
	}
	for name, tc := range cases {
		var rec router.Record
		if err := p.Route(row(uuid, "all", "k", "T", tc.payload), now, &rec); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if rec.Unexpanded != tc.want {
			t.Errorf("%s: %v, want %v", name, rec.Unexpanded, tc.want)
		}
	}
}

func BenchmarkRouteJSON(b *testing.B) {
	values := row(uuid, "User", "10711fa5", "UserCreated", `{"email": "gh@mefi.in", "n": 1, "tags": ["a", "b"]}`)
	cases := map[string]func(*router.Options){
		"schemas": func(o *router.Options) { o.KeyConverter, o.ValueConverter = jsonSchema, jsonSchema },
		"envelope": func(o *router.Options) {
			o.ValueConverter, o.AdditionalPlacement = jsonSchema, "type:envelope:eventType"
		},
		"expanded": func(o *router.Options) { o.ValueConverter, o.ExpandJSONPayload = jsonPlain, true },
	}
	for name, change := range cases {
		b.Run(name, func(b *testing.B) {
			p := plan(b, outbox(), change)
			var rec router.Record
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Route(values, now, &rec); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestStructText is StringConverter on an envelope: Java's toString, without
// the fields that are null (recorded: null-with-default-string,
// types-bytea-string).
func TestStructText(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	rel := outbox(
		schema.Column{Name: "f", TypeOID: 16, TypeMod: -1, Default: text("f")},
		schema.Column{Name: "n", TypeOID: 1700, TypeMod: 10<<16 + 2 + 4, Default: text("1.50")},
		schema.Column{Name: "ts", TypeOID: 1114, TypeMod: -1, Default: text("1970-01-01 00:00:00")},
		schema.Column{Name: "by", TypeOID: 17, TypeMod: -1, Default: text(`\x01`)}, // a default that Debezium ignores
		schema.Column{Name: "e", TypeOID: 25, TypeMod: -1, Default: text("")},
	)
	e := newEnveloped(t, func(o *router.Options) {
		o.ValueConverter = stringConverter
		o.AdditionalPlacement = "f:envelope,n:envelope,ts:envelope,by:envelope,e:envelope"
	})
	p := e.bind(rel)
	e.want(p, row(uuid, "all", "k", "T", `{"d": 1}`, null, null, null, null, null), `Struct{payload={"d": 1},f=false,n=1.50,ts=0,e=}`)
	e.want(p, row(uuid, "all", "k", "T", null, "t", "2.00", "1970-01-01 00:00:01", `\x00ff10`, "x"),
		`Struct{f=true,n=2.00,ts=1000000,by=java.nio.HeapByteBuffer[pos=0 lim=3 cap=3],e=x}`)
}
