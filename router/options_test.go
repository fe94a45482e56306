package router_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change func(*router.Options)
		want   []string // parts of the error; none for valid
	}{
		"defaults": {func(*router.Options) {}, nil},
		"enumerations in any case": {func(o *router.Options) {
			o.OpInvalidBehavior, o.AdditionalMissing, o.JSONPayloadNull = " Warn ", "IGNORE", "Optional_Bytes"
		}, nil},
		"everything at once": {func(o *router.Options) {
			o.EventID, o.OpInvalidBehavior, o.AdditionalMissing = "", "explode", "x"
			o.RouteTopicRegex, o.AdditionalPlacement = "[a", "type:nowhere"
			o.KeyConverter.Name, o.Types.DecimalHandling = "avro", "big"
			o.JSONPayloadNull, o.JSONPayloadEmptyArray, o.FieldNameAdjustment = "x", "y", "z"
		}, []string{
			"-table.field.event.id: ", `-table.op.invalid.behavior: "explode" is none of warn, error, fatal`,
			"-table.field.additional.missing: ", "-route.topic.regex: ", `-table.fields.additional.placement: "type:nowhere"`,
			"-key.converter: ", "-decimal.handling.mode: ", "-table.json.payload.null.behavior: ",
			"-table.json.payload.empty.array.behavior: ", "-field.name.adjustment.mode: ",
		}},
		"a group that is not there": {func(o *router.Options) { o.RouteTopicRegex = "(.*)" },
			[]string{`-route.topic.replacement: `, `no group named "routedByValue"`}},
		"no topic": {func(o *router.Options) { o.RouteTopicReplacement = "" }, []string{"-route.topic.replacement: "}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := router.DefaultOptions()
			tc.change(&o)
			err := o.Validate()
			if (err == nil) != (tc.want == nil) {
				t.Fatalf("got %v", err)
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error lacks %q:\n%v", part, err)
				}
			}
		})
	}
}

func TestPlacement(t *testing.T) {
	t.Parallel()
	cases := map[string]string{ // list -> part of the error, "" for valid
		"type:header":                             "",
		" type : Header : eventType ":             "",
		"type:header:eventType,\n\ttype:envelope": "",
		"type:header:":                            "",
		"type:header,":                            "",
		",":                                       "",
		"type:header,,type:envelope":              "write column:placement",
		"type":                                    "write column:placement",
		"a:b:c:d":                                 "write column:placement",
		" ":                                       "write column:placement",
		":header":                                 "name is missing",
		"type:foo":                                "none of header, envelope, partition",
		"type:envelope:payload":                   `two fields named "payload"`,
		"type:envelope:x,id:envelope:x":           `two fields named "x"`,
		"type:header:x,id:header:x":               "",
	}
	for list, want := range cases {
		o := router.DefaultOptions()
		o.AdditionalPlacement = list
		err := o.Validate()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", list, err, want)
		}
	}
}

func TestBindErrors(t *testing.T) {
	t.Parallel()
	more := []schema.Column{
		{Name: "n", TypeOID: 20, TypeMod: -1}, {Name: "at", TypeOID: 1184, TypeMod: -1},
		{Name: "v", TypeOID: 1700, TypeMod: -1}, {Name: "l", TypeOID: 628, TypeMod: -1},
	}
	cases := map[string]struct {
		change func(*router.Options)
		want   []string
	}{
		"missing columns": {func(o *router.Options) { o.EventKey, o.EventPayload = "k", "p" },
			[]string{`table public.outbox lacks column(s) "k", "p"`}},
		"several at once": {func(o *router.Options) {
			o.RouteByField, o.EventTimestamp, o.EventKey, o.AdditionalPlacement = "n", "at", "v", "nope:header,n:partition,at:envelope"
			o.EventSchemaVersion = "n"
		}, []string{
			"-route.by.field: ", "-table.field.event.timestamp: ", "timestamptz", "VariableScaleDecimal",
			`lacks column "nope"`, "a partition is an integer", "-table.field.event.schema.version: ",
		}},
		"bigint timestamp":  {func(o *router.Options) { o.EventTimestamp = "n" }, []string{"bigint"}},
		"connect timestamp": {func(o *router.Options) { o.EventTimestamp, o.Types.TimePrecision = "at", "connect" }, []string{"timestamptz"}},
		"unsupported type":  {func(o *router.Options) { o.AdditionalPlacement = "l:header" }, []string{"line"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := router.DefaultOptions()
			tc.change(&o)
			r, err := router.New(o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.Bind(outbox(more...))
			if err == nil {
				t.Fatal("it was bound")
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error lacks %q:\n%v", part, err)
				}
			}
		})
	}
}

func TestAction(t *testing.T) {
	t.Parallel()
	for behavior, update := range map[string]router.Action{"warn": router.DropWarn, "error": router.DropError, "fatal": router.Fail} {
		o := router.DefaultOptions()
		o.OpInvalidBehavior = behavior
		r, err := router.New(o)
		if err != nil {
			t.Fatal(err)
		}
		want := map[router.Op]router.Action{
			router.OpInsert: router.Publish, router.OpRead: router.Publish, router.OpUpdate: update,
			router.OpDelete: router.Drop, router.OpTruncate: router.Drop,
		}
		for op, action := range want {
			if got := r.Action(op); got != action {
				t.Errorf("%s: action on %c is %v, want %v", behavior, op, got, action)
			}
		}
	}
}
