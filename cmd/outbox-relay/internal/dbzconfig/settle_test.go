package dbzconfig_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// TestSettle checks that what a stronger source sets is not asked of the file.
func TestSettle(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		config string
		given  string
		want   string // the errors, separated by |
		gone   string // a flag that must not be left
	}{
		{"nothing given", with("database.user", "${NONE}"), "", "NONE is not set", "database.user"},
		{"given", with("database.user", "${NONE}"), "database.user", "", "database.user"},
		{"connection string", with("database.user", "${NONE}", "database.hostname", "${secrets:a:b}"), "database.url", "", "database.user"},
		{"password file instead", with("database.password", "${NONE}"), "database.password.file", "", "database.password"},
		{"not both passwords", with(), "database.password.file", "", "database.password"},
		{"not both passwords, turned around", with("database.password", "${dir:/a:b}"), "database.password", "", "database.password.file"},
		{"no converters", bare(), "", "key.converter is not in|value.converter is not in", ""},
		{"one converter", bare(), "key.converter", "value.converter is not in", ""},
		{"both converters", bare(), "key.converter value.converter", "", ""},
		{"refused class", with("value.converter", "io.confluent.connect.avro.AvroConverter"), "value.converter", "", ""},
		{"either flag settles", with("transforms.outbox.route.topic.replacement", "${x}"), "route.topic.regex", "", ""},
		{"nothing settles", with("converters", "isbn"), "converters", "custom converters", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			given := func(flag string) bool { return slices.Contains(strings.Fields(test.given), flag) }
			flags, errs := dbzconfig.Import(files(test.config)).Settle(given)
			var want []string
			if test.want != "" {
				want = strings.Split(test.want, "|")
			}
			if len(errs) != len(want) {
				t.Fatalf("got %v, want %q", errors.Join(errs...), want)
			}
			for i := range want {
				if !strings.Contains(errs[i].Error(), want[i]) {
					t.Errorf("got %v, want %q", errs[i], want[i])
				}
			}
			if slices.ContainsFunc(flags, func(f dbzconfig.Flag) bool { return f.Name == test.gone || f.Unresolved != nil }) {
				t.Errorf("flags %v", flags)
			}
		})
	}
}

func TestStrict(t *testing.T) {
	t.Parallel()
	in := files(with("tombstone.on.delete", "false", "_comment", "x"))
	res := dbzconfig.Import(in)
	checkRefusals(t, res)
	if len(res.Ignored) != 2 || res.Ignored[0].Key() != "tombstone.on.delete" || res.Ignored[0].Nearest != "tombstones.on.delete" {
		t.Errorf("ignored: %v", res.Ignored)
	}
	in.Strict = true
	checkRefusals(t, dbzconfig.Import(in), "a:5 tombstone.on.delete; did you mean tombstones.on.delete? (config.strict)", "a:6 _comment (config.strict)")
}
