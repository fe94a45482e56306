package router_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

var vectorsFile = flag.String("vectors", "testdata/event-router.jsonl", "vectors that TestVectors replays")

// vector is one input of Debezium's Event Router and what it made of it; see
// testdata/README.md.
type vector struct {
	N          int               `json:"n"`
	Name       string            `json:"name"`
	Config     map[string]string `json:"config"`
	Op         string            `json:"op"`
	EnvelopeTs int64             `json:"envelope_ts_ms"`
	HashOrder  bool              `json:"hash_order_dependent"`
	Columns    []vectorColumn    `json:"columns"`
	Expect     expectation       `json:"expect"`
}

type vectorColumn struct {
	Name    string  `json:"name"`
	PgType  string  `json:"pg_type"`
	NotNull bool    `json:"not_null"`
	Default *string `json:"default"`
	Text    *string `json:"text"`
}

type expectation struct {
	Dropped     bool               `json:"dropped"`
	Warned      bool               `json:"warned"`
	Error       string             `json:"error"`
	ConfigError string             `json:"config_error"`
	Topic       string             `json:"topic"`
	Partition   *int32             `json:"partition"`
	Timestamp   *int64             `json:"timestamp"`
	Headers     []map[string]any   `json:"headers"`
	Key         map[string]*string `json:"key"`
	Value       map[string]*string `json:"value"`
}

// setup is a choice of converters that the vectors hold results for.
type setup struct {
	name               string // as in key and value
	header             string // as in headers
	keys, values, head schema.Converter
}

var (
	stringConverter = schema.Converter{Name: "string"}
	simpleConverter = schema.Converter{Name: "simple"}
	jsonPlain       = schema.Converter{Name: "json"}
	jsonSchema      = schema.Converter{Name: "json", SchemasEnable: true}
)

var setups = []setup{
	{"string", "simple", stringConverter, stringConverter, simpleConverter},
	{"json", "simple", jsonPlain, jsonPlain, simpleConverter},
	{"json_schema", "json_schema", jsonSchema, jsonSchema, jsonSchema},
	{"binary_b64", "simple", stringConverter, schema.Converter{Name: "binary"}, simpleConverter},
}

// outcome is what the router made of a vector.
type outcome struct {
	configErr, bindErr, routeErr error
	action                       router.Action
	rec                          router.Record
}

func (o *outcome) err() error { return errors.Join(o.configErr, o.bindErr, o.routeErr) }

func TestVectors(t *testing.T) {
	t.Parallel()
	vectors := readVectors(t, *vectorsFile)
	used := map[string]int{}
	for _, v := range vectors {
		for _, s := range setups {
			name := fmt.Sprintf("%d %s %s", v.N, v.Name, s.name)
			got := v.route(s)
			if b := betterFor(v, s); b != nil {
				used[b.why]++
				if err := b.check(v, got); err != nil {
					t.Errorf("%s: %s: %v", name, b.why, err)
				}
				continue
			}
			for _, problem := range v.compare(s, got) {
				t.Errorf("%s: %s\nconfig %v", name, problem, v.Config)
			}
		}
	}
	for _, b := range better {
		if used[b.why] == 0 && *vectorsFile == flag.Lookup("vectors").DefValue {
			t.Errorf("no vector needs this exception any more: %s", b.why)
		}
	}
	t.Logf("%d vectors, each with %d sets of converters; answered better on purpose: %v", len(vectors), len(setups), used)
}

func readVectors(t *testing.T, path string) []*vector {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []*vector
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		v := &vector{}
		if err := json.Unmarshal(lines.Bytes(), v); err != nil {
			t.Fatalf("%s, line %d: %v", path, len(out)+1, err)
		}
		out = append(out, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("%s has no vectors", path)
	}
	return out
}

// route runs the vector through a router of its own.
func (v *vector) route(s setup) (o outcome) {
	opts, err := v.options()
	if err != nil {
		o.configErr = err
		return o
	}
	opts.KeyConverter, opts.ValueConverter, opts.HeaderConverter = s.keys, s.values, s.head
	r, err := router.New(opts)
	if err != nil {
		o.configErr = err
		return o
	}
	if o.action = r.Action(router.Op(v.Op[0])); o.action != router.Publish {
		return o
	}
	rel, row := v.table()
	p, err := r.Bind(rel)
	if err != nil {
		o.bindErr = err
		return o
	}
	o.routeErr = p.Route(row, v.EnvelopeTs, &o.rec)
	return o
}

// options reads the vector's configuration as a flag parser would.
func (v *vector) options() (router.Options, error) {
	o := router.DefaultOptions()
	o.TopicPrefix = "srv"
	texts := map[string]*string{
		"table.field.event.id": &o.EventID, "table.field.event.key": &o.EventKey, "table.field.event.type": &o.EventType,
		"table.field.event.payload": &o.EventPayload, "table.field.event.timestamp": &o.EventTimestamp,
		"table.field.event.schema.version":  &o.EventSchemaVersion,
		"table.fields.additional.placement": &o.AdditionalPlacement, "table.field.additional.missing": &o.AdditionalMissing,
		"route.by.field": &o.RouteByField, "route.topic.regex": &o.RouteTopicRegex, "route.topic.replacement": &o.RouteTopicReplacement,
		"table.json.payload.null.behavior":        &o.JSONPayloadNull,
		"table.json.payload.empty.array.behavior": &o.JSONPayloadEmptyArray,
		"field.name.adjustment.mode":              &o.FieldNameAdjustment,
		"table.op.invalid.behavior":               &o.OpInvalidBehavior,
		"unknown.option":                          new(string), // a vector of Debezium ignoring it
	}
	bools := map[string]*bool{
		"route.tombstone.on.empty.payload": &o.RouteTombstoneOnEmptyPayload,
		"table.expand.json.payload":        &o.ExpandJSONPayload,
	}
	for name, value := range v.Config {
		switch text, isText := texts[name]; {
		case isText:
			*text = value
		case bools[name] == nil:
			return o, fmt.Errorf("the test does not know option %s", name)
		case strings.EqualFold(value, "true"), strings.EqualFold(value, "false"):
			*bools[name] = strings.EqualFold(value, "true")
		default:
			return o, fmt.Errorf("%s: %q is not a boolean", name, value)
		}
	}
	return o, nil
}

// pgTypes are the types of the vectors: OID and modifier.
var pgTypes = map[string]struct {
	oid uint32
	mod int32
}{
	"uuid": {2950, -1}, "varchar(255)": {1043, 259}, "text": {25, -1}, "jsonb": {3802, -1}, "json": {114, -1},
	"bool": {16, -1}, "int2": {21, -1}, "int4": {23, -1}, "int8": {20, -1}, "float4": {700, -1}, "float8": {701, -1},
	"timestamp": {1114, -1}, "timestamp(3)": {1114, 3}, "timestamptz": {1184, -1}, "date": {1082, -1},
	"numeric": {1700, -1}, "numeric(10,2)": {1700, 10<<16 + 2 + 4}, "numeric(18,8)": {1700, 18<<16 + 8 + 4},
	"bytea": {17, -1}, "text[]": {1009, -1}, "int4[]": {1007, -1}, "jsonb[]": {3807, -1},
}

func (v *vector) table() (*schema.Relation, []schema.Datum) {
	rel := &schema.Relation{OID: 16400, Namespace: "public", Name: "outbox"}
	var row []schema.Datum
	for _, c := range v.Columns {
		col := schema.Column{Name: c.Name, NotNull: c.NotNull, Default: c.Default, TypeMod: -1}
		if labels, isEnum := strings.CutPrefix(c.PgType, "enum("); isEnum {
			col.TypeOID = 16390
			col.Type = &schema.TypeInfo{Name: "e", Kind: 'e', Labels: strings.Split(strings.TrimSuffix(labels, ")"), ",")}
		} else if t, ok := pgTypes[c.PgType]; ok {
			col.TypeOID, col.TypeMod = t.oid, t.mod
		} else {
			panic("the test does not know type " + c.PgType)
		}
		rel.Columns = append(rel.Columns, col)
		d := schema.Datum{}
		if c.Text != nil {
			d = schema.Datum{Kind: schema.Text, Bytes: []byte(*c.Text)}
		}
		row = append(row, d)
	}
	return rel, row
}

// compare lists every difference from what Debezium did.
func (v *vector) compare(s setup, got outcome) (problems []string) {
	e := &v.Expect
	want := e.Value[s.name]
	wantErr := e.ConfigError + e.Error
	if p := e.Value[s.name+"_error"]; p != nil {
		wantErr += *p
	}
	switch {
	case e.Dropped:
		action := router.Drop
		if v.Op == "u" {
			action = map[string]router.Action{"warn": router.DropWarn, "error": router.DropError, "": router.DropWarn}[v.Config["table.op.invalid.behavior"]]
		}
		if got.action != action {
			return []string{fmt.Sprintf("action %v, want %v", got.action, action)}
		}
		return nil
	case wantErr != "":
		if got.err() == nil && got.action != router.Fail {
			return []string{fmt.Sprintf("no error; Debezium says %q; value %q", wantErr, got.rec.Value)}
		}
		return nil
	case got.err() != nil:
		return []string{fmt.Sprintf("error %v", got.err())}
	}
	add := func(what string, got, want any) {
		if diff := cmp.Diff(want, got); diff != "" {
			problems = append(problems, fmt.Sprintf("%s (-want +got):\n%s", what, diff))
		}
	}
	add("topic", got.rec.Topic, e.Topic)
	partition := router.ByKey
	if e.Partition != nil {
		partition = *e.Partition
	}
	add("partition", got.rec.Partition, partition)
	add("timestamp", got.rec.Timestamp, *e.Timestamp)
	if v.Config["field.name.adjustment.mode"] == "" { // Debezium also warns of each name that it adjusts
		add("warned", got.rec.Unexpanded != router.Expanded, e.Warned)
	}
	add("headers", headerTexts(got.rec.Headers), wantHeaders(e.Headers, s.header))
	key := s.name
	if key == "binary_b64" {
		key = "string"
	}
	add("key", text(got.rec.Key, false), e.Key[key])
	if _, known := e.Value[s.name]; !known {
		return problems // a struct under the string converter was not recorded
	}
	gotValue := text(got.rec.Value, s.name == "binary_b64")
	if v.HashOrder {
		gotValue, want = unordered(gotValue), unordered(want)
	}
	add("value", gotValue, want)
	return problems
}

func headerTexts(headers []router.Header) (out [][2]any) {
	for _, h := range headers {
		out = append(out, [2]any{h.Key, orNil(text(h.Value, false))})
	}
	return out
}

func wantHeaders(headers []map[string]any, form string) (out [][2]any) {
	for _, h := range headers {
		out = append(out, [2]any{h["key"], h[form]})
	}
	return out
}

func orNil(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// text is the bytes as a string, nil if they are null.
func text(b []byte, encode bool) *string {
	if b == nil {
		return nil
	}
	s := string(b)
	if encode {
		s = b64(b)
	}
	return &s
}

// unordered sorts the members of objects, and the fields of schemas, by name.
func unordered(s *string) *string {
	var tree any
	if s == nil || json.Unmarshal([]byte(*s), &tree) != nil {
		return s
	}
	sortFields(tree)
	sorted, _ := json.Marshal(tree) // it was JSON a moment ago
	out := string(sorted)
	return &out
}

func sortFields(tree any) {
	switch x := tree.(type) {
	case []any:
		for _, item := range x {
			sortFields(item)
		}
	case map[string]any:
		if fields, ok := x["fields"].([]any); ok {
			sort.SliceStable(fields, func(i, j int) bool {
				return fmt.Sprint(fields[i].(map[string]any)["field"]) < fmt.Sprint(fields[j].(map[string]any)["field"])
			})
		}
		for _, item := range x {
			sortFields(item)
		}
	}
}
