package dbzconfig_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// machine has a few variables and files.
func machine(contents ...string) dbzconfig.Input {
	in := files(contents...)
	in.Environ = []string{"HOST=pg", "EMPTY=", "DB_NAME=shop", "SECRET=s", "debezium=no"}
	in.ReadFile = func(path string) ([]byte, error) {
		content, ok := map[string]string{"/run/db.properties": "user = reader\npass\\:word=p\\u0041\n", "/run/secret/user": "writer\n", "/run/bad": "a=\\u1"}[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return []byte(content), nil
	}
	return in
}

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"${env:HOST}", "pg"},
		{"${HOST}", "pg"},
		{"a-${HOST}.${DB_NAME}-b", "a-pg.shop-b"},
		{"${EMPTY}", ""},
		{"${NONE:fallback}", "fallback"},
		{"${HOST:fallback}", "pg"},
		{"${NONE:}", ""},
		{"${NONE:-fallback}", "fallback"},
		{"${NONE:a:b}", "a:b"},
		{"${file:/run/db.properties:user}", "reader"},
		{"${file:/run/db.properties:pass:word}", "pA"},
		{"${file:/run/secret/user}", "writer"},
		{"${dir:/run/secret:user}", "writer"},
		{"${directory:/run/secret:user}", "writer"},
		{"${file:/run/${NONE:secret}/user}", "writer"},
		{"${env:${NONE:HOST}}", "pg"},
		{"plain $ { } text", "plain $ { } text"},
		{"${HOST", "${HOST"},
		{"$${HOST}", "$pg"},

		{"${env:NONE}", "!the environment variable NONE is not set"},
		{"${NONE}", "!the environment variable NONE is not set"},
		{"${NONE} ${ALSO}", "!the environment variable ALSO is not set"},
		{"${file:/run/none:user}", "!${file:/run/none:user}: there is no such file here"},
		{"${file:/run/db.properties:none}", "!the file has no such key"},
		{"${file:/run/bad:a}", "!line 1"},
		{"${secrets:ns/db:password}", `!only the Kafka Connect worker can ask its config provider "secrets"`},
		{"${secrets:${NONE}:password}", `!its config provider "secrets"`},
		{"${secretsmanager:db:password}", `!its config provider "secretsmanager"`},
		{"@HOST@", "!@HOST@ is a template's mark"},
		{"db-__ENV__", "!__ENV__ is a template's mark"},
		{"{{ .Values.host }}", "!{{ .Values.host }} is a template's mark"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(machine(with("database.hostname", test.text)))
			checkRefusals(t, res)
			for _, f := range res.Flags {
				if f.Name == "database.hostname" {
					checkResolved(t, f, test.want)
				}
			}
		})
	}
}

func checkResolved(t *testing.T, f dbzconfig.Flag, want string) {
	t.Helper()
	reason, fails := strings.CutPrefix(want, "!")
	switch {
	case fails && f.Unresolved == nil:
		t.Errorf("got %q, want it unresolved", f.Value)
	case fails && (!strings.Contains(f.Unresolved.Error(), reason) || !strings.HasSuffix(f.Unresolved.Error(), "; otherwise give -"+f.Name)):
		t.Errorf("got %v, want %q", f.Unresolved, reason)
	case !fails && (f.Value != want || f.Unresolved != nil):
		t.Errorf("got %q, %v, want %q", f.Value, f.Unresolved, want)
	}
}

func TestProvidersOfTheWorker(t *testing.T) {
	t.Parallel()
	worker := "plugin.path=/x\nconfig.providers=props,env\nconfig.providers.props.class=org.apache.kafka.common.config.provider.FileConfigProvider\nconfig.providers.env.class=com.example.EnvProvider\n"
	res := dbzconfig.Import(machine(with("database.user", "${props:/run/db.properties:user}", "database.dbname", "${env:DB_NAME}"), worker))
	checkFlags(t, res, "database.user", "reader", "database.dbname", "(unresolved)")
}

// TestRoutedByValue checks that the router's groups are no placeholders, and placeholders no groups.
func TestRoutedByValue(t *testing.T) {
	t.Parallel()
	tests := []struct{ regex, replacement, want string }{
		{"", "x.${routedByValue}", "x.${routedByValue}"},
		{"", "x.$${routedByValue}", "x.${routedByValue}"},
		{"", "${HOST}.${routedByValue}", "pg.${routedByValue}"},
		{"", "${NONE:app}.${routedByValue}", "app.${routedByValue}"},
		{"", "${NONE}.${routedByValue}", "(unresolved)"},
		{"(?<HOST>.*)", "${HOST}", "${HOST}"},
		{"(.*)", "x.$1", "x.$1"},
		{"", "${routeByValue}", "!did you mean ${routedByValue}?"},
		{"", "${routedBy}.x", "!did you mean ${routedByValue}?"},
		{"", "${routedByValue:type}", "!only letters and digits"},
		{".*", "", "!no group named"},
		{"(", "x", "!regular expression"},
		{"", "$2", "!no group 2"},
	}
	for _, test := range tests {
		t.Run(test.regex+" "+test.replacement, func(t *testing.T) {
			t.Parallel()
			var options []string
			if test.regex != "" {
				options = append(options, "transforms.outbox.route.topic.regex", test.regex)
			}
			if test.replacement != "" {
				options = append(options, "transforms.outbox.route.topic.replacement", test.replacement)
			}
			res := dbzconfig.Import(machine(with(options...)))
			if reason, fails := strings.CutPrefix(test.want, "!"); fails {
				checkRefusals(t, res, reason)
				return
			}
			checkRefusals(t, res)
			checkFlags(t, res, "route.topic.replacement", test.want)
		})
	}
}

func TestServerPlaceholders(t *testing.T) {
	t.Parallel()
	res := dbzconfig.Import(machine("debezium.sink.type=kafka\ndebezium.source.topic.prefix=app\ndebezium.source.slot.name=${debezium.source.topic.prefix}_slot\n" +
		"debezium.source.database.user=${db.name}\ndebezium.source.database.hostname=${my.host:there}\ndebezium.transforms=o\ndebezium.transforms.o.type=EventRouter\n" +
		"debezium.source.database.dbname=$${x}\ndebezium.transforms.o.route.topic.replacement=\\\\${routedByValue}\n"))
	checkRefusals(t, res)
	checkFlags(t, res, "slot.name", "app_slot", "database.user", "shop", "database.hostname", "there", "database.dbname", "${x}", "route.topic.replacement", "${routedByValue}")
}

func TestPasswordFiles(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, password, file string }{
		{"${dir:/run/secret:password}", "(unset)", "/run/secret/password"},
		{"${file:/run/secret/password}", "(unset)", "/run/secret/password"},
		{"${file:/run/db.properties:pass:word}", "pA", "(unset)"},
		{"${env:SECRET}", "s", "(unset)"},
		{"x${dir:/run/secret:user}", "xwriter", "(unset)"},
		{"a__X__b", "a__X__b", "(unset)"},
		{"__X__", "(unresolved)", "(unset)"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(machine(with("database.password", test.text)))
			checkRefusals(t, res)
			checkFlags(t, res, "database.password", test.password, "database.password.file", test.file)
		})
	}
}
