package dbzconfig_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// base is a configuration with nothing to complain about.
const base = `{"connector.class":"io.debezium.connector.postgresql.PostgresConnector","topic.prefix":"app","plugin.name":"pgoutput",
"database.hostname":"db","database.user":"u","database.password":"p","database.dbname":"d",
"table.include.list":"public.outbox","key.converter":"StringConverter","value.converter":"StringConverter",
"transforms":"outbox","transforms.outbox.type":"io.debezium.transforms.outbox.EventRouter"EXTRA}`

// with is base with more options: key, value, key, value. A key of base is overruled, because the last one counts.
func with(options ...string) string {
	var b strings.Builder
	for i := 0; i < len(options); i += 2 {
		b.WriteString(",\n" + quote(options[i]) + ":" + quote(options[i+1]))
	}
	return strings.Replace(base, "EXTRA", b.String(), 1)
}

// quote is a JSON string.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// files makes an input of texts, with names a, b, c.
func files(contents ...string) dbzconfig.Input {
	in := dbzconfig.Input{ReadFile: func(string) ([]byte, error) { return nil, fs.ErrNotExist }}
	for i, c := range contents {
		in.Files = append(in.Files, dbzconfig.File{Name: string(rune('a' + i)), Content: []byte(c)})
	}
	return in
}

// value returns a flag's value, or "(unset)" or "(unresolved)".
func value(res dbzconfig.Result, name string) string {
	for _, f := range res.Flags {
		switch {
		case f.Name == name && f.Unresolved != nil:
			return "(unresolved)"
		case f.Name == name:
			return f.Value
		}
	}
	return "(unset)"
}

// checkFlags compares flags: name, value, name, value.
func checkFlags(t *testing.T, res dbzconfig.Result, want ...string) {
	t.Helper()
	for i := 0; i < len(want); i += 2 {
		if got := value(res, want[i]); got != want[i+1] {
			t.Errorf("-%s: got %q, want %q", want[i], got, want[i+1])
		}
	}
}

// checkRefusals fails unless there is one refusal for each want, which it contains.
func checkRefusals(t *testing.T, res dbzconfig.Result, want ...string) {
	t.Helper()
	if len(res.Refusals) != len(want) {
		t.Errorf("%d refusals, want %d:\n%v", len(res.Refusals), len(want), errors.Join(res.Refusals...))
		return
	}
	for i, w := range want {
		if !strings.Contains(res.Refusals[i].Error(), w) {
			t.Errorf("refusal %q has no %q", res.Refusals[i], w)
		}
	}
}

// checkNotice fails unless a notice contains want.
func checkNotice(t *testing.T, res dbzconfig.Result, want string) {
	t.Helper()
	if !strings.Contains(strings.Join(res.Notices, "\n"), want) {
		t.Errorf("no notice has %q:\n%s", want, strings.Join(res.Notices, "\n"))
	}
}

// checkIgnored fails unless the one key that Debezium ignores too is told with want; no key if want is empty.
func checkIgnored(t *testing.T, res dbzconfig.Result, want string) {
	t.Helper()
	switch {
	case want == "" && len(res.Ignored) > 0:
		t.Errorf("ignored: %v", res.Ignored)
	case want != "" && (len(res.Ignored) != 1 || !strings.Contains(res.Ignored[0].String(), want)):
		t.Errorf("ignored: %v, want one with %q", res.Ignored, want)
	}
}

// checkRefusal fails unless want is in the only refusal, or there is none if want is empty.
func checkRefusal(t *testing.T, res dbzconfig.Result, want string) {
	t.Helper()
	if want == "" {
		checkRefusals(t, res)
		return
	}
	checkRefusals(t, res, want)
}
