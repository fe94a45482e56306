package router_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

func TestRouteRekeyed(t *testing.T) {
	t.Parallel()
	const before = "a0000000-0000-4000-8000-000000000001"
	keyed := outbox()
	keyed.Columns[0].Primary = true
	two := outbox(schema.Column{Name: "tenant", TypeOID: 23, TypeMod: -1, Primary: true, NotNull: true})
	two.Columns[0].Primary = true
	tests := []struct {
		name   string
		rel    *schema.Relation
		change func(*router.Options)
		before []schema.Datum
		want   []router.Header
	}{
		{"simple header converter", keyed, nil, row(before, null, null, null, null), []router.Header{
			{Key: "__debezium.oldkey", Value: []byte(`{"id":"` + before + `"}`)}, {Key: "id", Value: []byte(uuid)},
		}},
		{"before the context headers", keyed, func(o *router.Options) { o.Context = []router.ContextHeader{{Key: "c", Value: "v"}} },
			row(before, null, null, null, null), []router.Header{
				{Key: "__debezium.oldkey", Value: []byte(`{"id":"` + before + `"}`)}, {Key: "c", Value: []byte("v")}, {Key: "id", Value: []byte(uuid)},
			}},
		{"json with schema", keyed, func(o *router.Options) {
			o.TopicPrefix = "srv"
			o.HeaderConverter = schema.Converter{Name: "json", SchemasEnable: true}
		}, row(before, null, null, null, null), []router.Header{
			{Key: "__debezium.oldkey", Value: []byte(`{"schema":{"type":"struct","fields":[{"type":"string","optional":false,"name":"io.debezium.data.Uuid","version":1,"field":"id"}],"optional":false,"name":"srv.public.outbox.Key"},"payload":{"id":"` + before + `"}}`)},
			{Key: "id", Value: []byte(`{"schema":{"type":"string","optional":false,"name":"io.debezium.data.Uuid","version":1},"payload":"` + uuid + `"}`)},
		}},
		{"a key of two columns", two, func(o *router.Options) { o.HeaderConverter.Name = "string" }, row(before, null, null, null, null, "7"), []router.Header{
			{Key: "__debezium.oldkey", Value: []byte(`Struct{id=` + before + `,tenant=7}`)}, {Key: "id", Value: []byte(uuid)},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			values := row(uuid, "User", "k", "T", "{}")
			if tt.rel == two {
				values = row(uuid, "User", "k", "T", "{}", "8")
			}
			var rec router.Record
			p := plan(t, tt.rel, tt.change)
			for range 2 { // the second time the key is prepared already
				if err := p.RouteRekeyed(tt.before, values, now, &rec); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, rec.Headers); diff != "" {
					t.Errorf("headers (-want +got):\n%s", diff)
				}
			}
			if string(rec.Value) != "{}" || string(rec.Key) != "k" {
				t.Errorf("key %q, value %q", rec.Key, rec.Value)
			}
		})
	}
}

func TestRouteRekeyedRefuses(t *testing.T) {
	t.Parallel()
	rel := outbox()
	rel.Columns[0].Primary = true
	var rec router.Record
	if err := plan(t, rel, nil).RouteRekeyed(row(uuid), row(uuid, "User", "k", "T", "{}"), now, &rec); err == nil {
		t.Error("an old key with too few columns was taken")
	}
	rel.Columns[0].TypeOID = 604 // a polygon, which Debezium leaves out
	p := plan(t, rel, func(o *router.Options) { o.EventID = "type" })
	if err := p.RouteRekeyed(row(uuid, null, null, null, null), row(uuid, "User", "k", "T", "{}"), now, &rec); err == nil {
		t.Error("a key that cannot be written was taken")
	}
}
