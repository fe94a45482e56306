package router_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// outbox is the reference table; extra columns follow it.
func outbox(extra ...schema.Column) *schema.Relation {
	return &schema.Relation{OID: 16400, Namespace: "public", Name: "outbox", Columns: append([]schema.Column{
		{Name: "id", TypeOID: 2950, TypeMod: -1, Key: true, NotNull: true},
		{Name: "aggregatetype", TypeOID: 1043, TypeMod: 259, NotNull: true},
		{Name: "aggregateid", TypeOID: 1043, TypeMod: 259, NotNull: true},
		{Name: "type", TypeOID: 1043, TypeMod: 259, NotNull: true},
		{Name: "payload", TypeOID: 3802, TypeMod: -1},
	}, extra...)}
}

// row makes a row of texts; "\x00" stands for NULL, which no text can hold.
func row(texts ...string) []schema.Datum {
	out := make([]schema.Datum, len(texts))
	for i, s := range texts {
		if s != null {
			out[i] = schema.Datum{Kind: schema.Text, Bytes: []byte(s)}
		}
	}
	return out
}

const (
	null = "\x00"
	uuid = "59a42efd-b015-44a9-9dde-cb36d9002425"
	now  = int64(1556890294484)
)

// plan binds options to a table, or ends the test.
func plan(t testing.TB, rel *schema.Relation, change func(*router.Options)) *router.Plan {
	t.Helper()
	o := router.DefaultOptions()
	if change != nil {
		change(&o)
	}
	r, err := router.New(o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Bind(rel)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var ignoreScratch = cmpopts.IgnoreUnexported(router.Record{})

func TestRouteDefault(t *testing.T) {
	t.Parallel()
	p := plan(t, outbox(), nil)
	cases := map[string]struct {
		row  []schema.Datum
		want router.Record
	}{
		"as documented": {
			row(uuid, "User", "10711fa5", "UserCreated", `{"email": "gh@mefi.in"}`),
			router.Record{Topic: "outbox.event.User", Key: []byte("10711fa5"), Value: []byte(`{"email": "gh@mefi.in"}`)},
		},
		"E12 an empty key is a key": {
			row(uuid, "User", "", "T", `{}`),
			router.Record{Topic: "outbox.event.User", Key: []byte{}, Value: []byte(`{}`)},
		},
		"E12 a null key is none": {
			row(uuid, "User", null, "T", `{}`),
			router.Record{Topic: "outbox.event.User", Value: []byte(`{}`)},
		},
		"E22 null payload": {
			row(uuid, "User", "k", "T", null),
			router.Record{Topic: "outbox.event.User", Key: []byte("k")},
		},
		"E22 empty payload": {
			row(uuid, "User", "k", "T", ""),
			router.Record{Topic: "outbox.event.User", Key: []byte("k"), Value: []byte{}},
		},
		"F17 JSON's null": {
			row(uuid, "User", "k", "T", "null"),
			router.Record{Topic: "outbox.event.User", Key: []byte("k"), Value: []byte("null")},
		},
		"a line end in the type is not routed": {
			row(uuid, "a\nb", "k", "T", "1"),
			router.Record{Topic: "a\nb", Key: []byte("k"), Value: []byte("1")},
		},
	}
	var rec router.Record // shared, so that nothing of one row may show in the next
	for name, tc := range cases {
		if err := p.Route(tc.row, now, &rec); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tc.want.Partition, tc.want.Timestamp = router.ByKey, now
		tc.want.Headers = []router.Header{{Key: "id", Value: []byte(uuid)}}
		if diff := cmp.Diff(tc.want, rec, ignoreScratch); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRouteDoesNotAllocate(t *testing.T) {
	header := func(o *router.Options) {
		o.AdditionalPlacement = "type:header:eventType,n:header,at:header,flag:header,f:header"
		o.EventTimestamp = "ts"
	}
	cases := map[string]struct {
		plan *router.Plan
		row  []schema.Datum
	}{
		"default": {plan(t, outbox(), nil), row(uuid, "User", "10711fa5", "T", `{"a": 1}`)},
		"headers and time": {plan(t, outbox(
			schema.Column{Name: "n", TypeOID: 20, TypeMod: -1},
			schema.Column{Name: "at", TypeOID: 1184, TypeMod: -1},
			schema.Column{Name: "flag", TypeOID: 16, TypeMod: -1},
			schema.Column{Name: "f", TypeOID: 701, TypeMod: -1},
			schema.Column{Name: "ts", TypeOID: 1114, TypeMod: -1},
		), header), row(uuid, "User", "k", "T", `{}`, "42", "2019-03-24 20:52:59.5+00", "t", "1.5", "2019-03-24 20:52:59.123456")},
	}
	for name, tc := range cases {
		var rec router.Record
		allocs := testing.AllocsPerRun(1000, func() {
			if err := tc.plan.Route(tc.row, now, &rec); err != nil {
				t.Fatal(err)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations for a row, want 0", name, allocs)
		}
	}
}

func BenchmarkRoute(b *testing.B) {
	p := plan(b, outbox(), nil)
	values := row(uuid, "User", "10711fa5", "UserCreated", `{"email": "gh@mefi.in"}`)
	var rec router.Record
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Route(values, now, &rec); err != nil {
			b.Fatal(err)
		}
	}
}

func TestRowErrors(t *testing.T) {
	t.Parallel()
	part := func(o *router.Options) { o.AdditionalPlacement = "p:partition" }
	stamped := func(o *router.Options) { o.EventTimestamp = "ts" }
	extra := []schema.Column{{Name: "p", TypeOID: 23, TypeMod: -1}, {Name: "ts", TypeOID: 1114, TypeMod: -1}}
	unchanged := row(uuid, "User", "k", "T", "{}", null, null)
	unchanged[4] = schema.Datum{Kind: schema.Unchanged}
	cases := map[string]struct {
		change func(*router.Options)
		row    []schema.Datum
		column string
	}{
		"null type":            {nil, row(uuid, null, "k", "T", "{}", null, null), "aggregatetype"},
		"E30 null id":          {nil, row(null, "User", "k", "T", "{}", null, null), "id"},
		"unchanged payload":    {nil, unchanged, "payload"},
		"E29 negative":         {part, row(uuid, "User", "k", "T", "{}", "-1", null), "p"},
		"before 1970":          {stamped, row(uuid, "User", "k", "T", "{}", null, "1960-01-01 00:00:00"), "ts"},
		"garbled timestamp":    {stamped, row(uuid, "User", "k", "T", "{}", null, "yesterday"), "ts"},
		"garbled payload time": {func(o *router.Options) { o.EventPayload = "ts" }, row(uuid, "User", "k", "T", "{}", null, "yesterday"), "ts"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rec router.Record
			err := plan(t, outbox(extra...), tc.change).Route(tc.row, now, &rec)
			var re *router.RowError
			if !errors.As(err, &re) || re.Column != tc.column {
				t.Fatalf("got %v, want a RowError about %s", err, tc.column)
			}
			if strings.Contains(err.Error(), "yesterday") {
				t.Errorf("the value shows in the error: %v", err)
			}
		})
	}
	var rec router.Record
	if err := plan(t, outbox(), nil).Route(row(uuid), now, &rec); err == nil {
		t.Error("a row of one value was routed")
	}
}

func TestTimestampAndPartition(t *testing.T) {
	t.Parallel()
	extra := []schema.Column{
		{Name: "p", TypeOID: 23, TypeMod: -1}, {Name: "q", TypeOID: 23, TypeMod: -1},
		{Name: "us", TypeOID: 1114, TypeMod: -1}, {Name: "ms", TypeOID: 1114, TypeMod: 3},
	}
	values := func(p, q, us, ms string) []schema.Datum { return row(uuid, "User", "k", "T", "{}", p, q, us, ms) }
	by := func(column string) func(*router.Options) {
		return func(o *router.Options) { o.EventTimestamp, o.AdditionalPlacement = column, "p:partition,q:partition" }
	}
	nanos := func(o *router.Options) { o.EventTimestamp, o.Types.TimePrecision = "us", "nanoseconds" }
	cases := map[string]struct {
		change    func(*router.Options)
		row       []schema.Datum
		stamp     int64
		partition int32
	}{
		"no option":                   {nil, values("1", "2", null, null), now, router.ByKey},
		"F09 microseconds":            {by("us"), values("1", "2", "2019-03-24 20:52:59.123456", null), 1553460779123, 2},
		"F09 milliseconds":            {by("ms"), values("1", null, null, "2019-03-24 20:52:59.123"), 1553460779123, router.ByKey},
		"F09 nanoseconds":             {nanos, values(null, null, "2019-03-24 20:52:59.123456", null), 1553460779123, router.ByKey},
		"NULL falls back":             {by("us"), values(null, "7", null, null), now, 7},
		"-0.5 ms is cut toward zero":  {by("us"), values(null, null, "1969-12-31 23:59:59.9995", null), 0, router.ByKey},
		"-1 ms means none to Connect": {by("us"), values(null, null, "1969-12-31 23:59:59.999", null), now, router.ByKey},
		"1970 itself":                 {by("us"), values(null, null, "1970-01-01 00:00:00", null), 0, router.ByKey},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rec router.Record
			if err := plan(t, outbox(extra...), tc.change).Route(tc.row, now, &rec); err != nil {
				t.Fatal(err)
			}
			if rec.Timestamp != tc.stamp || rec.Partition != tc.partition {
				t.Errorf("timestamp %d, partition %d, want %d and %d", rec.Timestamp, rec.Partition, tc.stamp, tc.partition)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	extra := []schema.Column{
		{Name: "tenant", TypeOID: 25, TypeMod: -1}, {Name: "flag", TypeOID: 16, TypeMod: -1}, {Name: "by", TypeOID: 17, TypeMod: -1},
		{Name: "line", TypeOID: 628, TypeMod: -1},
	}
	set := func(o *router.Options) {
		o.Context = []router.ContextHeader{{Key: "__debezium.context.taskId", Value: "0"}}
		o.AdditionalPlacement = "type:header:eventType,tenant:header:id,flag:header,by:header,nope:header,line:header"
		o.AdditionalMissing = "ignore"
	}
	asJSON := func(o *router.Options) {
		set(o)
		o.HeaderConverter = schema.Converter{Name: "json", SchemasEnable: true}
	}
	values := row(uuid, "User", "k", "Created", "{}", null, "t", `\x00ff`, "{1,2,3}")
	cases := map[string]struct {
		change func(*router.Options)
		want   []router.Header
	}{
		"F13 simple": {set, []router.Header{
			{Key: "__debezium.context.taskId", Value: []byte("0")},
			{Key: "id", Value: []byte(uuid)}, {Key: "eventType", Value: []byte("Created")}, {Key: "id"},
			{Key: "flag", Value: []byte("true")}, {Key: "by", Value: []byte("AP8=")},
		}},
		"JSON": {asJSON, []router.Header{
			{Key: "__debezium.context.taskId", Value: []byte(`{"schema":{"type":"string","optional":false},"payload":"0"}`)},
			{Key: "id", Value: []byte(`{"schema":{"type":"string","optional":false,"name":"io.debezium.data.Uuid","version":1},"payload":"` + uuid + `"}`)},
			{Key: "eventType", Value: []byte(`{"schema":{"type":"string","optional":false},"payload":"Created"}`)},
			{Key: "id", Value: []byte(`{"schema":{"type":"string","optional":true},"payload":null}`)},
			{Key: "flag", Value: []byte(`{"schema":{"type":"boolean","optional":true},"payload":true}`)},
			{Key: "by", Value: []byte(`{"schema":{"type":"bytes","optional":true},"payload":"AP8="}`)},
		}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rec router.Record
			if err := plan(t, outbox(extra...), tc.change).Route(values, now, &rec); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, rec.Headers); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestManyTopics goes beyond what the router remembers.
func TestManyTopics(t *testing.T) {
	t.Parallel()
	o := router.DefaultOptions()
	o.RouteTopicRegex = `(?<routedByValue>\w+)-v\d+`
	r, err := router.New(o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := r.Bind(outbox())
	if err != nil {
		t.Fatal(err)
	}
	var rec router.Record
	for i := range 12_000 {
		if err := p.Route(row(uuid, fmt.Sprintf("t%d-v1", i), "k", "T", "{}"), now, &rec); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("outbox.event.t%d", i); rec.Topic != want {
			t.Fatalf("topic %s, want %s", rec.Topic, want)
		}
	}
}
