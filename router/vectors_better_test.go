package router_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/outbox-relay/outbox-relay/router"
)

// exception is a way in which the relay answers otherwise than Debezium on
// purpose. check asserts what happens instead.
type exception struct {
	why     string
	applies func(v *vector, s setup, debezium string) bool
	check   func(v *vector, got outcome) error
}

// better is the whole list; docs/compatibility.md explains it to users.
var better = []exception{
	{
		why:     "a truncation empties the table and carries no event; Debezium dies of it",
		applies: func(v *vector, _ setup, _ string) bool { return v.Op == "t" },
		check: func(_ *vector, got outcome) error {
			if got.action != router.Drop {
				return fmt.Errorf("action %v, want %v", got.action, router.Drop)
			}
			return nil
		},
	},
	{
		why: "an empty list of additional columns means none; Debezium does not start",
		applies: func(v *vector, _ setup, _ string) bool {
			list, set := v.Config["table.fields.additional.placement"]
			return set && list == ""
		},
		check: func(_ *vector, got outcome) error { return errors.Join(got.configErr, got.routeErr) },
	},
	{
		why: "an empty route.topic.replacement is refused at start; Debezium sends to a topic without a name, which no broker takes",
		applies: func(v *vector, _ setup, _ string) bool {
			return v.Expect.Error == "" && v.Expect.ConfigError == "" && v.Expect.Topic == "" && !v.Expect.Dropped
		},
		check: func(_ *vector, got outcome) error {
			if got.configErr == nil {
				return errors.New("it was accepted")
			}
			return nil
		},
	},
	{
		why: "a NULL id is refused: consumers could not recognise a repeat; Debezium sends a header without a value",
		applies: func(v *vector, s setup, _ string) bool {
			c := v.column(v.Config["table.field.event.id"])
			return c != nil && c.Text == nil && c.Default == nil && s.name != "binary_b64"
		},
		check: func(_ *vector, got outcome) error {
			var row *router.RowError
			if !errors.As(got.routeErr, &row) {
				return fmt.Errorf("got %v, want a RowError", got.err())
			}
			return nil
		},
	},
	{
		why: "bytea under the string converter is its bytes; Java prints java.nio.HeapByteBuffer[...] and loses them",
		applies: func(_ *vector, s setup, debezium string) bool {
			return s.name == "string" && strings.HasPrefix(debezium, "java.nio.HeapByteBuffer")
		},
		check: func(v *vector, got outcome) error {
			if err := got.err(); err != nil {
				return err
			}
			if want := *v.Expect.Value["binary_b64"]; b64(got.rec.Value) != want {
				return fmt.Errorf("value %s, want %s", b64(got.rec.Value), want)
			}
			return nil
		},
	},
	{
		why: "what has no stable text in Java (a byte[] prints its address) is refused by the string converter at start",
		applies: func(v *vector, s setup, _ string) bool {
			for _, made := range []map[string]*string{v.Expect.Key, v.Expect.Value} {
				if j := made["json_schema"]; j != nil && strings.Contains(*j, "VariableScaleDecimal") {
					return s.name == "string"
				}
			}
			return false
		},
		check: wantBindError,
	},
	{
		why: "binary without a delegate is refused at start for a payload that is not bytea; Debezium fails at the first row that has one",
		applies: func(v *vector, s setup, debezium string) bool {
			return s.name == "binary_b64" && debezium == "" && v.Expect.Error == "" && v.Expect.ConfigError == "" &&
				v.payload().PgType != "bytea" && v.Op != "u" && v.Op != "d"
		},
		check: wantBindError,
	},
	{
		why: "a payload that cannot be expanded is sent as its text and counted; Debezium 3.6 keeps the inferred schema and dies of it (later releases do as we do)",
		applies: func(v *vector, s setup, debezium string) bool {
			return v.Config["table.expand.json.payload"] == "true" && s.name != "binary_b64" &&
				(strings.Contains(debezium, "class java.lang.String") || strings.Contains(debezium, "Object.hashCode()"))
		},
		check: wantText,
	},
}

// betterFor finds the exception for a vector under some converters, if any.
func betterFor(v *vector, s setup) *exception {
	debezium := v.Expect.Error + v.Expect.ConfigError
	for _, name := range []string{s.name, s.name + "_error"} {
		if text := v.Expect.Value[name]; text != nil {
			debezium += *text
		}
	}
	for i := range better {
		if better[i].applies(v, s, debezium) {
			return &better[i]
		}
	}
	return nil
}

func wantBindError(_ *vector, got outcome) error {
	if got.bindErr == nil {
		return fmt.Errorf("got %v, want an error from Bind", got.err())
	}
	return nil
}

// wantText asserts that the payload's text is sent, plain or as a JSON string.
func wantText(v *vector, got outcome) error {
	if err := got.err(); err != nil {
		return err
	}
	if got.rec.Unexpanded != router.NotUniform {
		return fmt.Errorf("unexpanded is %v, want %v", got.rec.Unexpanded, router.NotUniform)
	}
	raw := *v.payload().Text
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(raw) + `"`
	inStruct := "Struct{payload=" + raw + ","
	if value := string(got.rec.Value); value != raw && !strings.Contains(value, quoted) && !strings.HasPrefix(value, inStruct) {
		return fmt.Errorf("value %q does not hold the text %q", value, raw)
	}
	return nil
}

// column finds a column by name, nil if there is none.
func (v *vector) column(name string) *vectorColumn {
	for i := range v.Columns {
		if v.Columns[i].Name == name {
			return &v.Columns[i]
		}
	}
	return nil
}

func (v *vector) payload() *vectorColumn {
	name := "payload"
	if p, set := v.Config["table.field.event.payload"]; set {
		name = p
	}
	if c := v.column(name); c != nil {
		return c
	}
	return &vectorColumn{}
}

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
