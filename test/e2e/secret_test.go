package e2e_test

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// marker is a password that no text contains by chance.
const marker = "Xy7MarkerPassword"

// mustNotTell demands that a password shows nowhere in what a relay has written.
func (p *relay) mustNotTell(t testing.TB, where string) {
	t.Helper()
	if all := p.Stdout() + p.Stderr(); strings.Contains(all, marker) {
		t.Errorf("the password is in the output (%s):\n%s", where, all)
	}
}

// TestPasswordsAreNeverShown lets relays log in with the right password, in every way to give it, at the most talkative
// log level, and looks for the password in everything that they write or serve.
func TestPasswordsAreNeverShown(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{Password: marker})
	r := newRig(t, setup{server: server})
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(marker+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bare := strings.Replace(r.db.DSN, ":"+marker+"@", "@", 1)
	tests := []struct {
		name string
		args []string
		env  []string
	}{
		{"in the URL", []string{"-database.url", r.db.DSN}, nil},
		{"as an option", []string{"-database.url", bare, "-database.password", marker}, nil},
		{"in the environment", []string{"-database.url", bare}, []string{"OUTBOX_RELAY_DATABASE_PASSWORD=" + marker}},
		{"in libpq's environment", []string{"-database.url", bare}, []string{"PGPASSWORD=" + marker}},
		{"in a file", []string{"-database.url", bare, "-database.password.file", file}, nil},
		{"in a keyword string", []string{"-database.url", keywords(t, r.db.DSN)}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			args := append(r.args(test.args...), "-log.level", "trace", "-web.pprof")
			p := &relay{Proc: proctest.StartProgram(t, procs.Config{Path: r.path, Args: args, Env: append(test.env, haltAtRace)})}
			line := p.await(t, 0, "outbox-relay started")
			p.addr, _ = procs.LineField(line.Text, "listen")
			p.await(t, 0, "streaming")
			for _, path := range []string{"/status", "/metrics", "/readyz", "/", "/debug/pprof/cmdline"} {
				if strings.Contains(p.get(t, path), marker) {
					t.Errorf("the password is in %s", path)
				}
			}
			p.stop(t)
			p.mustNotTell(t, test.name)
			onTheLine := slices.ContainsFunc(test.args, func(arg string) bool { return strings.Contains(arg, marker) })
			if warned := strings.Contains(p.Stderr(), "secrets on the command line"); warned != onTheLine {
				t.Errorf("a warning of what ps shows: %t, want %t", warned, onTheLine)
			}
			for _, instead := range []string{"-check", "-check.format=json", "-config.print"} {
				p := &relay{Proc: proctest.StartProgram(t, procs.Config{Path: r.path, Args: append(args, "-check", instead), Env: append(test.env, haltAtRace)})}
				if code := p.awaitEnd(t, startTimeout); code != 0 {
					t.Errorf("%s: exit code %d:\n%s", instead, code, p.Stdout()+p.Stderr())
				}
				p.mustNotTell(t, test.name+", "+instead)
			}
		})
	}
}

// keywords turns a URL into libpq's other form.
func keywords(t testing.TB, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	return "host=" + u.Hostname() + " port=" + u.Port() + " user=" + u.User.Username() + " password=" + password +
		" dbname=" + strings.TrimPrefix(u.Path, "/") + " sslmode=disable"
}

// TestPasswordsAreNotInErrors gives a password together with a mistake.
func TestPasswordsAreNotInErrors(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{Password: "the right one"})
	r := newRig(t, setup{server: server, bootstrap: deadBroker(t)})
	config := filepath.Join(t.TempDir(), "relay.conf")
	if err := os.WriteFile(config, []byte("database.password "+marker+"\nslot.nmae=x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(r.db.DSN, "the%20right%20one", marker, 1)
	if !strings.Contains(wrong, marker) {
		t.Fatalf("the connection string has no password: %s", wrong)
	}
	tests := []struct {
		name string
		args []string
		word string // of the message
	}{
		{"wrong password in the URL", []string{"-database.url", wrong}, "password authentication failed"},
		{"wrong password as an option", []string{"-database.password", marker}, "password authentication failed"},
		{"port that is no number", []string{"-database.url", "postgres://u:" + marker + "@h:port/d"}, "database.url"},
		{"unescaped password", []string{"-database.url", "postgres://u:" + marker + "%zz/@h/d"}, "database.url"},
		{"unescaped password with a colon and a slash", []string{"-database.url", "postgres://u:a:" + marker + "/b@h/d"}, "database.url"},
		{"sslmode that does not exist", []string{"-database.url", "postgres://u:" + marker + "@h/d?sslmode=bogus"}, "database.url"},
		{"password as a parameter", []string{"-database.url", "postgres://u@h/d?sslmode=bogus&password=" + marker}, "database.url"},
		{"keyword string with a bad sslmode", []string{"-database.url", "host=h password=" + marker + " sslmode=bogus"}, "database.url"},
		{"keyword string with an open quote", []string{"-database.url", "host=h password='" + marker}, "database.url"},
		{"keyword string without a keyword", []string{"-database.url", "host=h password=x " + marker}, "database.url"},
		{"password twice", []string{"-database.password", marker, "-database.password.file", "f"}, "database.password.file"},
		{"mistyped option", []string{"-database.pasword", marker}, "database.password"},
		{"mistyped option with =", []string{"-database.pasword=" + marker}, "database.password"},
		{"option of another kind in a file", []string{"-config", config}, "slot.name"},
		{"stray argument", []string{"-database.user", "u", marker}, "argument"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := r.launch(t, test.args...)
			p.mustEnd(t, exitConfig, test.word)
			p.mustNotTell(t, test.name)
		})
	}
}

// TestKafkaPasswordIsNotInErrors gives credentials to a broker that wants none.
func TestKafkaPasswordIsNotInErrors(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{})
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256"} {
		t.Run(mechanism, func(t *testing.T) {
			p := r.start(t, "-security.protocol", "SASL_PLAINTEXT", "-sasl.mechanism", mechanism, "-sasl.username", "u",
				"-sasl.password", marker, "-log.level", "trace")
			select {
			case <-p.Done():
			case <-failing(t, p):
			}
			p.mustNotTell(t, mechanism)
		})
	}
}

// failing is closed once the relay logs that Kafka does not take records, and at the latest after a while.
func failing(t testing.TB, p *relay) <-chan struct{} {
	t.Helper()
	done := make(chan struct{})
	ctx := wait.Context(t, 10*time.Second)
	go func() {
		defer close(done)
		if _, err := p.WaitLog(ctx, 0, procs.Field("message", "Kafka does not take records, retrying")); err != nil && ctx.Err() == nil {
			t.Log(err)
		}
	}()
	t.Cleanup(func() { <-done })
	return done
}
