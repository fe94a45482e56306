package security_test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/certs"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

const (
	exitConfig = 2
	within     = time.Minute // for whatever a busy machine takes seconds for
)

func authority(t testing.TB, name string) *certs.Authority {
	t.Helper()
	a, err := certs.NewAuthority(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func issue(t testing.TB, a *certs.Authority, s certs.Subject) certs.Issued {
	t.Helper()
	i, err := a.Issue(s)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// write makes a file that only this user may read, and replaces one that is there at once.
func write(t testing.TB, path string, content []byte) string {
	t.Helper()
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}

func file(t testing.TB, name string, content []byte) string {
	t.Helper()
	return write(t, filepath.Join(t.TempDir(), name), content)
}

// unique is a name for a slot, a role or a topic.
func unique(prefix string) string { return prefix + strings.ToLower(rand.Text()[:12]) }

// check runs outbox-relay -check and returns its exit code and all of its output.
func check(t testing.TB, env []string, args ...string) (code int, output string) {
	t.Helper()
	p := proctest.Start(t, append([]string{"-check", "-slot.create"}, args...), env)
	code, err := p.Wait(wait.Context(t, within))
	if err != nil {
		t.Fatal(err)
	}
	return code, p.Stdout() + p.Stderr()
}

// refused demands that a check ends with a mistake of the configuration, and names what mends it.
func refused(t testing.TB, env []string, option string, args ...string) {
	t.Helper()
	if code, output := check(t, env, args...); code != exitConfig || !strings.Contains(output, option) {
		t.Errorf("exit code %d, and want %d with %q in\n%s", code, exitConfig, option, output)
	}
}

// accepted demands that a check finds nothing wrong.
func accepted(t testing.TB, env []string, args ...string) {
	t.Helper()
	if code, output := check(t, env, args...); code != 0 {
		t.Errorf("exit code %d:\n%s", code, output)
	}
}

// relay is one that streams.
type relay struct{ *procs.Proc }

func stream(t testing.TB, env []string, args ...string) relay {
	t.Helper()
	r := relay{proctest.Start(t, append([]string{"-slot.create", "-web.listen-address", "127.0.0.1:0"}, args...), env)}
	r.await(t, 0, "streaming")
	return r
}

// await waits for a log message from line number mark on.
func (r relay) await(t testing.TB, mark int, message string) {
	t.Helper()
	if _, err := r.WaitLog(wait.Context(t, within), mark, procs.Field("message", message)); err != nil {
		t.Fatalf("wait for the message %q: %v", message, err)
	}
}

func (r relay) stop(t testing.TB) {
	t.Helper()
	if code, err := r.Stop(wait.Context(t, within)); err != nil || code != 0 {
		t.Errorf("the stop gave %d, %v; last lines:\n%s", code, err, r.Tail(20))
	}
}
