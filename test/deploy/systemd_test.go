package deploy_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// units returns the paths of copies of the unit files whose programs exist.
func units(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "deploy/systemd/*.*"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var copies []string
	for _, file := range files {
		if ext := filepath.Ext(file); ext != ".service" && ext != ".timer" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = regexp.MustCompile(`/usr/bin/outbox-\w+`).ReplaceAll(text, []byte("/bin/true"))
		path := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		copies = append(copies, path)
	}
	return copies
}

// TestUnits has systemd's own tool read the units, and judge how much they may do: 10 is everything, 0 nothing.
func TestUnits(t *testing.T) {
	t.Parallel()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed (Debian: systemd)")
	}
	files := units(t)
	if out := succeed(t, analyze, append([]string{"verify", "--man=no"}, files...)...); out != "" {
		t.Errorf("systemd-analyze verify says\n%s", out)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".service") {
			succeed(t, analyze, "security", "--offline=true", "--no-pager", "--threshold=15", file) // exposure of 1.5
		}
	}
}

// setting returns a setting of a unit.
func setting(t *testing.T, unit, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + `=(.*)$`).FindStringSubmatch(read(t, "deploy/systemd/"+unit))
	if m == nil {
		t.Fatalf("%s has no %s", unit, name)
	}
	return m[1]
}

// TestUnitFitsTheProgram compares what the unit says with the program's exit codes and defaults.
func TestUnitFitsTheProgram(t *testing.T) {
	t.Parallel()
	if got := setting(t, "outbox-relay.service", "RestartPreventExitStatus"); got != "2 3" {
		t.Errorf("RestartPreventExitStatus=%s: 2 and 3 are the codes that no restart mends", got)
	}
	stop, err := time.ParseDuration(setting(t, "outbox-relay.service", "TimeoutStopSec") + "s")
	if err != nil || stop <= 20*time.Second+5*time.Second { // -shutdown.timeout, and the last words
		t.Errorf("TimeoutStopSec is %v (%v), too close to -shutdown.timeout's default of 20s", stop, err)
	}
}

// notifications is the socket that systemd would read.
type notifications struct {
	*net.UnixConn
	path string
}

func listenForNotifications(t *testing.T) notifications {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return notifications{conn, path}
}

// until reads until a line begins with the text, and returns all lines so far; nil if the time is over first.
func (n notifications) until(t *testing.T, text string, within time.Duration) []string {
	t.Helper()
	if err := n.SetReadDeadline(time.Now().Add(within)); err != nil {
		t.Fatal(err)
	}
	var all []string
	for buf := make([]byte, 4096); ; {
		size, err := n.Read(buf)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(buf[:size]), "\n")
		all = append(all, lines...)
		if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, text) }) {
			return all
		}
	}
}

// must is until that has to succeed.
func (n notifications) must(t *testing.T, text string) []string {
	t.Helper()
	all := n.until(t, text, time.Minute)
	if all == nil {
		t.Fatalf("nothing like %q was told within a minute", text)
	}
	return all
}

// TestNotify runs the relay as systemd would with Type=notify and a watchdog. While the brokers are away it is alive
// and not ready; when they come it is ready; a process that hangs does not ping; a stop is announced.
func TestNotify(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, schema.DDL)
	n := listenForNotifications(t)
	const watchdog = 1500 * time.Millisecond
	env := []string{"NOTIFY_SOCKET=" + n.path, "WATCHDOG_USEC=1500000"}
	absent := freeAddress(t)
	p := proctest.Start(t, relayOptions(db, absent, "deploy_notify", "127.0.0.1:0"), env)
	told := n.must(t, "STATUS=not ready: ")
	for range 3 {
		told = append(told, n.must(t, "WATCHDOG=1")...)
	}
	if slices.Contains(told, "READY=1") {
		t.Errorf("ready without brokers: %q", told)
	}
	stop(t, p)

	bootstrap, _ := kfaketest.New(t, 1, nil)
	p = proctest.Start(t, relayOptions(db, bootstrap, "deploy_notify", "127.0.0.1:0"), env)
	n.must(t, "READY=1")
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	n.until(t, "nothing", 500*time.Millisecond) // what was sent before
	if lines := n.until(t, "WATCHDOG=1", watchdog); lines != nil {
		t.Errorf("a process that hangs sent %q", lines)
	}
	if err := p.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	n.must(t, "WATCHDOG=1")
	stop(t, p)
	n.must(t, "STOPPING=1")
}

// stop ends a relay with SIGTERM and insists on exit code 0.
func stop(t *testing.T, p *procs.Proc) {
	t.Helper()
	if code, err := p.Stop(wait.Context(t, time.Minute)); code != 0 || err != nil {
		t.Errorf("exit %d, %v", code, err)
	}
}
