package dbzconfig_test

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// utf16Text is text with a byte order mark, as Windows' tools write it.
func utf16Text(text string, order binary.AppendByteOrder) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

// The same text is the same configuration, in each encoding and with each system's line ends.
func TestEncodings(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"JSON": with("table.field.event.key", "größe😀"), "YAML": "config:\n"}
	var options map[string]string
	if err := json.Unmarshal([]byte(texts["JSON"]), &options); err != nil {
		t.Fatal(err)
	}
	for _, key := range slices.Sorted(maps.Keys(options)) {
		texts["YAML"] += "  " + key + ": " + options[key] + "\n"
		texts["properties"] += key + "=" + options[key] + "\n"
	}
	for name, plain := range texts {
		want := describe(dbzconfig.Import(files(plain)))
		if !strings.Contains(want, "-table.include.list=public.outbox") || strings.Contains(want, "REFUSALS\n  ") {
			t.Fatalf("%s is no good configuration:\n%s\n%s", name, plain, want)
		}
		for encoding, text := range map[string]string{
			"byte order mark": "\ufeff" + plain, "CR LF": strings.ReplaceAll(plain, "\n", "\r\n"),
			"UTF-16, little endian": utf16Text(plain, binary.LittleEndian), "UTF-16, big endian": utf16Text(plain, binary.BigEndian),
			"UTF-16 and CR LF": utf16Text(strings.ReplaceAll(plain, "\n", "\r\n"), binary.LittleEndian),
		} {
			if !dbzconfig.Detect([]byte(text)) {
				t.Errorf("%s, %s: not detected", name, encoding)
			}
			if diff := cmp.Diff(want, describe(dbzconfig.Import(files(text)))); diff != "" {
				t.Errorf("%s, %s:\n%s", name, encoding, diff)
			}
		}
	}
}

// What Connect would not take for an option's name is none here either.
func TestKeysAreExact(t *testing.T) {
	t.Parallel()
	for key, nearest := range map[string]string{
		"slot.name ": "slot.name", " slot.name": "slot.name", "Slot.Name": "slot.name", "slot_name": "slot.name", "slot.nam\u0435": "slot.name",
		" transforms.outbox.route.by.field": "transforms.outbox.route.by.field",
	} {
		res := dbzconfig.Import(files(with(key, "x")))
		checkRefusals(t, res)
		checkFlags(t, res, "slot.name", "debezium", "route.by.field", "(unset)")
		if len(res.Ignored) != 1 || res.Ignored[0].Key() != key || res.Ignored[0].Nearest != nearest {
			t.Errorf("%q: ignored %v, want it with the nearest name %s", key, res.Ignored, nearest)
		}
	}
}

func TestPrefixes(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"my app", "$PREFIX", "größe", "", "a/b"} {
		checkRefusals(t, dbzconfig.Import(files(with("topic.prefix", prefix))), "is no prefix that Debezium takes")
	}
	res := dbzconfig.Import(files(with("topic.prefix", "My_App-1.x")))
	checkRefusals(t, res)
	checkFlags(t, res, "topic.prefix", "My_App-1.x")
}
