package child_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/internal/child"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

// helperEnv makes the test program play the owner of a process instead of running tests.
const helperEnv = "OUTBOX_TEST_CHILD_HELPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperEnv); dir != "" {
		helper(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// helper starts a process with a folder, tells its pid and panics when it is asked to.
func helper(dir string) {
	reaper, err := child.NewReaper("TERM", dir)
	if err != nil {
		panic(err)
	}
	p, err := child.Start("sleeper", exec.Command("sleep", "600"))
	if err != nil {
		panic(err)
	}
	if err := reaper.Watch(p); err != nil {
		panic(err)
	}
	fmt.Println(p.Pid())
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil {
		panic(err)
	}
	if strings.TrimSpace(line) == "stop and panic" {
		if err := p.Signal(syscall.SIGSTOP); err != nil {
			panic(err)
		}
	}
	panic("as the test wants it")
}

func start(t *testing.T, name string, args ...string) *child.Process {
	t.Helper()
	p, err := child.Start(name, exec.Command(name, args...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func awaitGone(t *testing.T, pid int) {
	t.Helper()
	err := poll.Until(wait.Context(t, 20*time.Second), 5*time.Millisecond, func(context.Context) error {
		if child.Alive(pid) {
			return fmt.Errorf("process %d runs", pid)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		want         int
		state        string
	}{
		{"success", "exit 0", 0, "exit status 0"},
		{"failure", "exit 7", 7, "exit status 7"},
		{"signal", "kill -KILL $$", -1, "signal: killed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, "sh", "-c", test.script)
			code, err := p.Wait(wait.Context(t, 10*time.Second))
			if err != nil || code != test.want || p.State() != test.state {
				t.Errorf("code %d, state %q, error %v, want %d, %q", code, p.State(), err, test.want, test.state)
			}
			if err := p.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
				t.Errorf("signal after the end: %v, want %v", err, os.ErrProcessDone)
			}
		})
	}
}

func TestProgramThatDoesNotExist(t *testing.T) {
	t.Parallel()
	if p, err := child.Start("nothing", exec.Command("/does/not/exist")); err == nil {
		t.Errorf("started pid %d, want an error", p.Pid())
	}
}

func TestStopKillsWhatIgnoresTheSignal(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done")
	cmd.Stdout = w
	p, err := child.Start("stubborn", cmd)
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := bufio.NewReader(r).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := p.Stop(ctx, syscall.SIGTERM); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("stop: %v, want %v", err, context.DeadlineExceeded)
	}
	if p.Running() || p.State() != "signal: killed" {
		t.Errorf("running %v, state %q, want it killed", p.Running(), p.State())
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := start(t, "sleep", "600")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("wait: %v, want %v", err, context.Canceled)
	}
	if !p.Running() {
		t.Error("the process has ended, want it left alone")
	}
}

func TestReaperEndsProcessesAndRemovesFolders(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "folder with space")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	reaper, err := child.NewReaper("KILL", dir)
	if err != nil {
		t.Fatal(err)
	}
	watched, forgotten := start(t, "sleep", "600"), start(t, "sleep", "600")
	for _, p := range []*child.Process{watched, forgotten} {
		if err := reaper.Watch(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := reaper.Forget(forgotten); err != nil {
		t.Fatal(err)
	}
	if err := reaper.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := watched.Wait(wait.Context(t, 10*time.Second)); err != nil {
		t.Errorf("the watched process: %v", err)
	}
	if !forgotten.Running() {
		t.Error("the forgotten process was ended")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder: %v, want it gone", err)
	}
	if err := reaper.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}

func TestNothingOutlivesItsOwner(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		end  func(owner *exec.Cmd, stdin *os.File) error
	}{
		{"panic", func(_ *exec.Cmd, stdin *os.File) error { _, err := stdin.WriteString("panic\n"); return err }},
		{"panic with a stopped child", func(_ *exec.Cmd, stdin *os.File) error {
			_, err := stdin.WriteString("stop and panic\n")
			return err
		}},
		{"SIGKILL", func(owner *exec.Cmd, _ *os.File) error { return owner.Process.Kill() }},
		{"SIGINT for the group, as by Ctrl-C", func(owner *exec.Cmd, _ *os.File) error {
			return syscall.Kill(-owner.Process.Pid, syscall.SIGINT)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			owner, stdin, pid := startOwner(t, dir)
			if err := test.end(owner, stdin); err != nil {
				t.Fatal(err)
			}
			if err := owner.Wait(); err == nil {
				t.Error("the owner ended well, want it to fail")
			}
			awaitGone(t, pid)
			err := poll.Until(wait.Context(t, 20*time.Second), 5*time.Millisecond, func(context.Context) error {
				if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
					return fmt.Errorf("the folder is still there (%v)", err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// startOwner runs this program as helper and returns the pid of its child.
func startOwner(t *testing.T, dir string) (owner *exec.Cmd, stdin *os.File, pid int) {
	t.Helper()
	in, stdin, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	t.Cleanup(func() { stdin.Close() })
	owner = exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), helperEnv+"="+dir)
	owner.Stdin = in
	owner.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Process.Kill() }) // it has ended unless the test failed early
	if _, err := fmt.Fscanln(stdout, &pid); err != nil {
		t.Fatalf("read the pid from the helper: %v", err)
	}
	return owner, stdin, pid
}

func TestChildren(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("sh", "-c", "sleep 600 & echo $!; wait")
	cmd.Stdout = w
	p, err := child.Start("parent", cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	}()
	w.Close()
	var want int
	if _, err := fmt.Fscanln(r, &want); err != nil {
		t.Fatal(err)
	}
	got, err := child.Children(p.Pid())
	if err != nil || !slices.Equal(got, []int{want}) {
		t.Errorf("children %v, error %v, want %d alone", got, err, want)
	}
	if !child.Alive(want) {
		t.Error("the child is not alive")
	}
}

func TestTail(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300<<10)
	tests := []struct {
		name, content string
		n             int
		want          string
	}{
		{"empty", "", 3, ""},
		{"fewer lines", "a\nb\n", 3, "a\nb"},
		{"last lines", "a\nb\nc\nd\n", 2, "c\nd"},
		{"no break at the end", "a\nb", 1, "b"},
		{"beyond the window", long + "\nend\n", 1, "end"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := child.Tail(path, test.n); got != test.want {
				t.Errorf("got %.100q, want %q", got, test.want)
			}
		})
	}
	if got := child.Tail(filepath.Join(t.TempDir(), "none"), 3); !strings.Contains(got, "no such file") {
		t.Errorf("of a missing file: %q, want the reason", got)
	}
}
