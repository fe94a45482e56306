package security_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/crypto/bcrypt"

	"github.com/outbox-relay/outbox-relay/test/certs"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// hides demands that none of the secrets is in a text.
func hides(t testing.TB, where, text string, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		if strings.Contains(text, s) {
			t.Errorf("a secret (%s…) is in %s:\n%s", s[:4], where, text)
		}
	}
}

// kafkaSecretsHidden gives every secret in every way at the most talkative level, right and wrong, and looks for them in
// all that the relay writes, prints and serves.
func kafkaSecretsHidden(t *testing.T, c *cluster) {
	ways := c.secured(t)
	store := issue(t, c.own, certs.Subject{Name: certSubject})
	secretLine := strings.Split(string(store.Key), "\n")[1]
	secrets := []string{saslPassword, clientSecret, secretLine, "Xy7MarkerWrong"}
	tests := []struct {
		name, way string
		args, env []string
	}{
		{"password as an option", "SCRAM-SHA-256", []string{"-sasl.password.file", "", "-sasl.password", saslPassword}, nil},
		{"password in the environment", "PLAIN", []string{"-sasl.password.file", ""}, []string{"OUTBOX_RELAY_SASL_PASSWORD=" + saslPassword}},
		{"client secret as an option", "OAUTHBEARER", []string{"-sasl.oauthbearer.client.credentials.client.secret.file", "", "-sasl.oauthbearer.client.credentials.client.secret", clientSecret}, nil},
		{"key as an option", "mTLS", []string{"-ssl.keystore.location", "", "-ssl.keystore.key", string(store.Key), "-ssl.keystore.certificate.chain", string(store.Certificate)}, nil},
		{"key in the environment", "mTLS", []string{"-ssl.keystore.location", "", "-ssl.keystore.certificate.chain", string(store.Certificate)}, []string{"OUTBOX_RELAY_SSL_KEYSTORE_KEY=" + string(store.Key)}},
		{"password of the key", "mTLS", nil, []string{"OUTBOX_RELAY_SSL_KEY_PASSWORD=Xy7MarkerWrong"}}, // which is not encrypted
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := newOutbox(t, c)
			c.allow(t, users[test.way], o.topic, kmsg.ACLOperationWrite)
			args := o.args("", append(append([]string{}, ways[test.way]...), append(test.args, "-log.level", "trace", "-web.pprof")...)...)
			code, output := check(t, test.env, args...)
			hides(t, "-check", output, secrets...)
			if code != 0 {
				t.Errorf("exit code %d:\n%s", code, output)
			}
			_, output = check(t, test.env, append(args, "-check.format", "json")...)
			hides(t, "-check.format json", output, secrets...)
			_, output = check(t, test.env, append(args, "-config.print")...)
			hides(t, "-config.print", output, secrets...)
			r := stream(t, test.env, args...)
			o.insert(t)
			o.arrived(t, c, 1)
			r.hidesAll(t, nil, "", secrets...)
			r.stop(t)
			hides(t, "the log", r.Stdout()+r.Stderr(), secrets...)
		})
	}
	wrong := []string{"Xy7MarkerWrong"}
	for name, args := range map[string][]string{
		"SCRAM-SHA-256": {"-sasl.password.file", "", "-sasl.password", wrong[0]},
		"PLAIN":         {"-sasl.password.file", "", "-sasl.password", wrong[0]},
		"OAUTHBEARER":   {"-sasl.oauthbearer.client.credentials.client.secret.file", "", "-sasl.oauthbearer.client.credentials.client.secret", wrong[0]},
		"mTLS":          {"-ssl.keystore.location", "", "-ssl.keystore.key", wrong[0], "-ssl.keystore.certificate.chain", string(store.Certificate)},
	} {
		t.Run("wrong, "+name, func(t *testing.T) {
			o := newOutbox(t, c)
			code, output := check(t, nil, o.args("", append(append([]string{}, ways[name]...), append(args, "-log.level", "trace")...)...)...)
			if hides(t, "-check", output, wrong...); code != exitConfig {
				t.Errorf("exit code %d:\n%s", code, output)
			}
		})
	}
}

// hidesAll looks into everything that a running relay serves.
func (r relay) hidesAll(t testing.TB, config *tls.Config, user string, secrets ...string) {
	t.Helper()
	addr := r.address(t)
	scheme := "http://"
	if config != nil {
		scheme = "https://"
	}
	client := &http.Client{Timeout: within, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: config}}
	for _, path := range []string{"/", "/status", "/metrics", "/readyz", "/livez", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=2", "/status/events"} {
		req, err := http.NewRequestWithContext(wait.Context(t, within), http.MethodGet, scheme+addr+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if user != "" {
			req.SetBasicAuth(user, webPassword)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(firstEvent{resp.Body, resp.Header.Get("Content-Type") == "text/event-stream"})
		resp.Body.Close()
		if err != nil || len(body) == 0 || resp.StatusCode == http.StatusUnauthorized {
			t.Fatalf("%s: %s, %d bytes, %v", path, resp.Status, len(body), err)
		}
		hides(t, path, string(body), secrets...)
	}
}

// firstEvent ends a stream of events, which goes on for ever, with what comes first: the whole state.
type firstEvent struct {
	io.Reader
	stream bool
}

func (f firstEvent) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if f.stream && strings.Contains(string(p[:n]), "\n\n") {
		return n, io.EOF
	}
	return n, err
}

func (r relay) address(t testing.TB) string {
	t.Helper()
	line, err := r.WaitLog(wait.Context(t, within), 0, procs.Field("message", "outbox-relay started"))
	if err != nil {
		t.Fatal(err)
	}
	addr, ok := procs.LineField(line.Text, "listen")
	if !ok {
		t.Fatalf("no address in %s", line.Text)
	}
	return addr
}

const webPassword = "Xy7MarkerWebPassword"

// TestEndpointIsGuarded gives the relay a web.config.file and asks it with and without proof.
func TestEndpointIsGuarded(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	dir := t.TempDir()
	i := issue(t, d.own, certs.Subject{Name: "relay", IPs: loopback})
	hash, err := bcrypt.GenerateFromPassword([]byte(webPassword), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/cert.pem", i.Certificate)
	write(t, dir+"/key.pem", i.Key)
	config := write(t, dir+"/web.yml", fmt.Appendf(nil, "tls_server_config:\n  cert_file: cert.pem\n  key_file: key.pem\nbasic_auth_users:\n  prometheus: %s\n", hash))
	args := d.args(scramRole, "127.0.0.1", "-database.sslmode", "verify-full", "-database.sslrootcert", d.trust, "-web.config.file", config, "-log.level", "trace", "-web.pprof")
	r := stream(t, []string{"PGPASSWORD=" + password}, args...)
	r.hidesAll(t, &tls.Config{RootCAs: d.own.Pool()}, "prometheus", password, webPassword, string(hash))
	client := &http.Client{Timeout: within, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: d.own.Pool()}}}
	resp, err := client.Get("https://" + r.address(t) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a password: %s", resp.Status)
	}
	r.stop(t)
	hides(t, "the log", r.Stdout()+r.Stderr(), password, webPassword, string(hash))
	code, output := check(t, []string{"PGPASSWORD=" + password}, append(args, "-config.print")...)
	if hides(t, "-config.print", output, password, webPassword, string(hash)); code != 0 {
		t.Errorf("exit code %d:\n%s", code, output)
	}
}

// TestNothingSecretOnTheCommandLine starts a relay whose secrets are all in files and the environment, as the
// documentation says, and reads what ps would show.
func TestNothingSecretOnTheCommandLine(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	secret := file(t, "password", []byte(password))
	r := stream(t, nil, d.args(scramRole, "127.0.0.1", "-database.password.file", secret, "-database.sslmode", "require")...)
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", r.Pid()))
	if err != nil {
		t.Skipf("no /proc: %v", err)
	}
	hides(t, "the command line", string(line), password)
	r.stop(t)
}
