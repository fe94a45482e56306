package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
)

// Two ways to give one secret are a contradiction, whichever would win, and none of them shows.
func TestSecretsGivenTwice(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"password in the URL and in a file", []string{"-database.url", "postgres://u:geheim@h/d", "-database.password.file", "f"}, "database.url holds a password, and database.password.file is given"},
		{"password as a parameter of the URL", []string{"-database.url", "postgres://u@h/d?password=geheim", "-database.password.file", "f"}, "database.url holds a password"},
		{"password among keywords", []string{"-database.url", "host=h password = geheim", "-database.password.file", "f"}, "database.url holds a password"},
		{"password and file", []string{"-database.password", "geheim", "-database.password.file", "f"}, "database.password and database.password.file"},
		{"Kafka's password", []string{"-sasl.password", "geheim", "-sasl.password.file", "f"}, "sasl.password and sasl.password.file"},
		{"client secret", []string{"-sasl.oauthbearer.client.credentials.client.secret", "geheim", "-sasl.oauthbearer.client.credentials.client.secret.file", "f"}, "client.secret and sasl.oauthbearer.client.credentials.client.secret.file"},
		{"key", []string{"-ssl.keystore.key", "geheim", "-ssl.keystore.key.file", "f"}, "ssl.keystore.key and ssl.keystore.key.file"},
		{"password of the key", []string{"-ssl.key.password", "geheim", "-ssl.key.password.file", "f"}, "ssl.key.password and ssl.key.password.file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, _, stderr := execute(t, nil, append([]string{"-bootstrap.servers", "kafka:9092"}, test.args...)...)
			if code != daemon.Config || !strings.Contains(stderr, test.want) || strings.Contains(stderr, "geheim") {
				t.Errorf("exit %d, want %q in, and no secret in\n%s", code, test.want, stderr)
			}
		})
	}
}

// What contradicts itself in Kafka's security is told in one go, by Kafka's names.
func TestSecurityMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		want []string
	}{
		{"OAUTHBEARER without anything", []string{"-security.protocol", "SASL_SSL", "-sasl.mechanism", "OAUTHBEARER"},
			[]string{"sasl.oauthbearer.token.endpoint.url: is empty", "client.credentials.client.id: is empty", "client.credentials.client.secret: is not given"}},
		{"OAUTHBEARER with a name", []string{"-security.protocol", "SASL_SSL", "-sasl.mechanism", "OAUTHBEARER", "-sasl.username", "u"}, []string{"sasl.username: OAUTHBEARER takes none"}},
		{"PLAIN with a client", []string{"-security.protocol", "SASL_SSL", "-sasl.mechanism", "PLAIN", "-sasl.oauthbearer.scope", "s"}, []string{"does not use the options sasl.oauthbearer.*"}},
		{"endpoint that is no URL", []string{"-security.protocol", "SASL_SSL", "-sasl.mechanism", "OAUTHBEARER", "-sasl.oauthbearer.token.endpoint.url", "idp"}, []string{"is not an http or https URL"}},
		{"endpoint with a password", []string{"-security.protocol", "SASL_SSL", "-sasl.mechanism", "OAUTHBEARER", "-sasl.oauthbearer.token.endpoint.url", "https://u:geheim@idp/"}, []string{"holds a user"}},
		{"key without its chain", []string{"-security.protocol", "SSL", "-ssl.keystore.key.file", "f"}, []string{"ssl.keystore.key and ssl.keystore.certificate.chain"}},
		{"two key stores", []string{"-security.protocol", "SSL", "-ssl.keystore.location", "f", "-ssl.keystore.key.file", "f", "-ssl.keystore.certificate.chain", "c"}, []string{"ssl.keystore.location: give either it"}},
		{"two trust stores", []string{"-security.protocol", "SSL", "-ssl.truststore.location", "f", "-ssl.truststore.certificates", "c"}, []string{"ssl.truststore.location and ssl.truststore.certificates"}},
		{"password without a key", []string{"-security.protocol", "SSL", "-ssl.key.password.file", "f"}, []string{"ssl.key.password: there is no key"}},
		{"certificates without TLS", []string{"-ssl.keystore.key.file", "f", "-ssl.keystore.certificate.chain", "c"}, []string{"PLAINTEXT does not encrypt"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, _, stderr := execute(t, nil, append([]string{"-bootstrap.servers", "kafka:9092"}, test.args...)...)
			for _, want := range test.want {
				if code != daemon.Config || !strings.Contains(stderr, want) || strings.Contains(stderr, "geheim") {
					t.Errorf("exit %d, want %q in, and no secret in\n%s", code, want, stderr)
				}
			}
		})
	}
}

// A file of libpq's that cannot be read is a mistake of its own option.
func TestUnreadableFilesAreNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.pem")
	if err := os.WriteFile(garbage, []byte("geheim"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(dir, "none")
	tests := []struct {
		args   []string
		option string
	}{
		{[]string{"-database.sslrootcert", none}, "database.sslrootcert"},
		{[]string{"-database.sslrootcert", garbage}, "database.sslrootcert"},
		{[]string{"-database.sslcert", garbage, "-database.sslkey", none}, "database.sslkey"},
		{[]string{"-database.sslcert", none, "-database.sslkey", garbage}, "database.sslkey"},
		{[]string{"-web.config.file", none}, "web.config.file"},
	}
	for _, test := range tests {
		code, _, stderr := execute(t, nil, append([]string{"-bootstrap.servers", "127.0.0.1:1", "-database.url", "postgres://u@127.0.0.1:1/d", "-database.sslmode", "require", "-web.listen-address", "127.0.0.1:0"}, test.args...)...)
		if code != daemon.Config || !strings.Contains(stderr, test.option) || strings.Contains(stderr, "geheim") {
			t.Errorf("%v: exit %d and\n%s", test.args, code, stderr)
		}
	}
}

// The check tells of both sides and ends with the gravest code, in either form.
func TestCheckWithoutServers(t *testing.T) {
	t.Parallel()
	for format, want := range map[string]string{"text": "error    kafka.bootstrap.servers", "json": `"check": "postgresql.connection"`} {
		code, stdout, stderr := execute(t, nil, "-check", "-check.format", format, "-bootstrap.servers", "127.0.0.1:1", "-database.url", "postgres://u:geheim@127.0.0.1:1/d")
		if code != daemon.Restart || !strings.Contains(stdout, want) || stderr != "" || strings.Contains(stdout, "geheim") {
			t.Errorf("%s: exit %d, stdout\n%s\nstderr\n%s", format, code, stdout, stderr)
		}
	}
}
