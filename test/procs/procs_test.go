package procs_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/internal/child"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// helperEnv makes the test program start a process and panic instead of running tests.
const helperEnv = "OUTBOX_TEST_PROCS_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(helperEnv) != "" {
		p, err := procs.Start(procs.Config{Path: "/bin/sh", Args: []string{"-c", "sleep 600"}})
		if err != nil {
			panic(err)
		}
		fmt.Println(p.Pid())
		panic("as the test wants it")
	}
	goleak.VerifyTestMain(m)
}

// sh runs a shell script.
func sh(t *testing.T, script string, env ...string) *procs.Proc {
	t.Helper()
	p, err := procs.Start(procs.Config{Path: "/bin/sh", Args: []string{"-c", script}, Env: env, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestOutputAndExitCode(t *testing.T) {
	t.Parallel()
	p := sh(t, `echo "out $WHO"; echo err >&2; printf unfinished; exit 3`, "WHO=me")
	code, err := p.Wait(wait.Context(t, 10*time.Second))
	if err != nil || code != 3 {
		t.Errorf("code %d, error %v, want 3", code, err)
	}
	if got, want := p.Stdout(), "out me\nunfinished\n"; got != want {
		t.Errorf("stdout %q, want %q", got, want)
	}
	if got, want := p.Stderr(), "err\n"; got != want {
		t.Errorf("stderr %q, want %q", got, want)
	}
	if n := len(p.Lines()); n != 3 || p.Mark() != 3 {
		t.Errorf("%d lines, mark %d, want 3", n, p.Mark())
	}
}

func TestWaitLog(t *testing.T) {
	t.Parallel()
	ctx := wait.Context(t, 20*time.Second)
	p := sh(t, `
		trap 'echo "{\"message\":\"reloaded\",\"times\":2}"' USR1
		echo "{\"message\":\"started\",\"lsn\":\"0/16B3748\"}" >&2
		while :; do sleep 0.01; done`)
	started, err := p.WaitLog(ctx, 0, procs.Field("message", "started"))
	if err != nil {
		t.Fatal(err)
	}
	if lsn, ok := procs.LineField(started.Text, "lsn"); !ok || lsn != "0/16B3748" || !started.Stderr {
		t.Errorf("line %+v, lsn %q", started, lsn)
	}
	mark := p.Mark()
	if err := p.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	match := procs.All(procs.Field("times", "2"), procs.Contains("reloaded"))
	again, err := p.WaitLog(ctx, mark, match)
	if err != nil || again.N < mark || again.Stderr {
		t.Errorf("line %+v, error %v, want one on stdout from %d on", again, err, mark)
	}
	if first, err := p.WaitLog(ctx, 0, procs.Regexp(regexp.MustCompile(`start(ed)?`))); err != nil || first.N != started.N {
		t.Errorf("line %+v, error %v, want the first once more", first, err)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, err = p.WaitLog(short, 0, procs.Contains("never written"))
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "reloaded") {
		t.Errorf("error %v, want a deadline with the last lines", err)
	}
}

func TestWaitLogEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	p := sh(t, `echo last words`)
	_, err := p.WaitLog(wait.Context(t, 20*time.Second), 0, procs.Contains("never written"))
	if err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "last words") {
		t.Errorf("error %v, want one about the end, with the last lines", err)
	}
}

func TestManyAndLongLinesDoNotBlock(t *testing.T) {
	t.Parallel()
	p := sh(t, `seq 1 120000; head -c 200000 /dev/zero | tr '\0' x; echo; echo end`)
	if _, err := p.WaitLog(wait.Context(t, 20*time.Second), 0, procs.Regexp(regexp.MustCompile("^end$"))); err != nil {
		t.Fatalf("%.300v", err)
	}
	lines := p.Lines()
	if len(lines) > 50_000 || lines[len(lines)-1].N < 120_000 {
		t.Errorf("%d lines kept, the last is number %d, want at most 50,000 and more than 120,000", len(lines), lines[len(lines)-1].N)
	}
	for i, line := range lines {
		if line.N != lines[0].N+i {
			t.Fatalf("line %d after %d", line.N, lines[0].N+i-1)
		}
	}
}

func TestStopAndKill(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(p *procs.Proc) error
		want int
	}{
		{"stop", func(p *procs.Proc) error { _, err := p.Stop(wait.Context(t, 10*time.Second)); return err }, 5},
		{"kill", (*procs.Proc).Kill, -1},
		{"close", (*procs.Proc).Close, -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := sh(t, `trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done`)
			if _, err := p.WaitLog(wait.Context(t, 10*time.Second), 0, procs.Contains("ready")); err != nil {
				t.Fatal(err)
			}
			if err := test.end(p); err != nil {
				t.Fatal(err)
			}
			if code, err := p.Wait(wait.Context(t, 10*time.Second)); err != nil || code != test.want || p.Running() {
				t.Errorf("code %d, running %v, error %v, want code %d", code, p.Running(), err, test.want)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	p := sh(t, `trap 'exit 0' TERM; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo ready; while :; do sleep 0.01; done`)
	if _, err := p.WaitLog(wait.Context(t, 30*time.Second), 0, procs.Contains("ready")); err != nil {
		t.Fatal(err)
	}
	rss, err := p.RSS()
	peak, peakErr := p.PeakRSS()
	if err := errors.Join(err, peakErr); err != nil || rss < 100<<10 || peak < rss || peak > 64<<20 {
		t.Errorf("%d bytes resident, %d at most, error %v, want what a shell needs", rss, peak, err)
	}
	cpu, err := p.CPU()
	if err != nil || cpu < 50*time.Millisecond || cpu > 30*time.Second {
		t.Errorf("processor time %v, error %v, want what 300,000 turns take", cpu, err)
	}
	if _, err := p.Stop(wait.Context(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if after, err := p.CPU(); err != nil || after < cpu-20*time.Millisecond {
		t.Errorf("processor time after the end %v, error %v, want at least %v", after, err, cpu)
	}
	if rss, err := p.RSS(); err == nil {
		t.Errorf("%d bytes resident after the end, want an error", rss)
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	ready := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-ready:
			fmt.Fprint(w, "path "+r.URL.Path)
		default:
			http.Error(w, "not ready", http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	addr := server.Listener.Addr().String()
	ctx := wait.Context(t, 20*time.Second)
	if status, body, err := procs.Get(ctx, addr, "/readyz"); err != nil || status != 503 || string(body) != "not ready\n" {
		t.Errorf("status %d, body %q, error %v, want 503", status, body, err)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := procs.WaitStatus(short, addr, "/readyz", 200); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "status 503") {
		t.Errorf("error %v, want a deadline and the status", err)
	}
	close(ready)
	if body, err := procs.WaitStatus(ctx, addr, "/readyz", 200); err != nil || string(body) != "path /readyz" {
		t.Errorf("body %q, error %v", body, err)
	}
}

func TestGetFromNobody(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	if status, _, err := procs.Get(wait.Context(t, 10*time.Second), addr, "/"); err == nil {
		t.Errorf("status %d from a closed port", status)
	}
}

func TestLineField(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line, want string
		ok               bool
	}{
		{"text", `{"a":"x\ty"}`, "x\ty", true},
		{"number", `{"a":12.50}`, "12.50", true},
		{"object", `{"a":{"b":1}}`, `{"b":1}`, true},
		{"missing", `{"b":1}`, "", false},
		{"no object", `["a"]`, "", false},
		{"no JSON", `a=1`, "", false},
	}
	for _, test := range tests {
		if got, ok := procs.LineField(test.line, "a"); got != test.want || ok != test.ok {
			t.Errorf("%s: %q, %v, want %q, %v", test.name, got, ok, test.want, test.ok)
		}
	}
}

func TestBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := procs.Build(wait.Context(t, time.Minute), "github.com/outbox-relay/outbox-relay/test/procs/nothing", dir)
	if err == nil || !strings.Contains(err.Error(), "procs/nothing") {
		t.Errorf("error %v, want one that names the package", err)
	}
	path, err := procs.Build(wait.Context(t, 3*time.Minute), "github.com/outbox-relay/outbox-relay/test/procs/testdata/hello", dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(filepath.Join(dir, "hello"), path); diff != "" {
		t.Error(diff)
	}
	if out, err := exec.Command(path).Output(); err != nil || string(out) != "hello\n" {
		t.Errorf("the program printed %q, error %v", out, err)
	}
}

func TestNothingOutlivesAProgramThatPanics(t *testing.T) {
	t.Parallel()
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), helperEnv+"=1")
	out, err := owner.Output()
	var pid int
	if _, scanErr := fmt.Sscanln(string(out), &pid); scanErr != nil || err == nil {
		t.Fatalf("the owner ended with %v and printed %q, want a panic after a pid", err, out)
	}
	err = poll.Until(wait.Context(t, 20*time.Second), 5*time.Millisecond, func(context.Context) error {
		if child.Alive(pid) {
			return fmt.Errorf("process %d runs", pid)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
