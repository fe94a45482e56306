package pgserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/internal/child"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
)

// helperEnv makes the test program start a server and then die in the way the value says, instead of running tests.
const helperEnv = "OUTBOX_TEST_PGSERVER_HELPER"

func TestMain(m *testing.M) {
	if end := os.Getenv(helperEnv); end != "" {
		helper(end)
		return
	}
	goleak.VerifyTestMain(m)
}

func helper(end string) {
	server, err := pgserver.Start(context.Background(), pgserver.Config{})
	if err != nil {
		panic(err)
	}
	fmt.Println(server.Pid(), server.SocketDir())
	if end == "paused" {
		if err := server.Pause(); err != nil {
			panic(err)
		}
	}
	panic("as the test wants it")
}

func start(t *testing.T, config pgserver.Config) *pgserver.Server {
	t.Helper()
	server, err := pgserver.Start(wait.Context(t, 2*time.Minute), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		if err := server.Close(); err != nil {
			t.Errorf("second close: %v", err)
		}
		if _, err := os.Stat(server.DataDir()); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("data directory after Close: %v, want it gone", err)
		}
	})
	return server
}

// query returns the one text that a query gives.
func query(t *testing.T, dsn, sql string) string {
	t.Helper()
	ctx := wait.Context(t, 30*time.Second)
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	var text string
	if err := conn.QueryRow(ctx, sql).Scan(&text); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return text
}

func TestSettings(t *testing.T) {
	t.Parallel()
	server := start(t, pgserver.Config{Settings: map[string]string{
		"max_replication_slots": "7", "log_line_prefix": `it's \ `,
	}})
	tests := []struct{ setting, want string }{
		{"wal_level", "logical"},
		{"max_wal_senders", "50"},
		{"fsync", "off"},
		{"listen_addresses", "127.0.0.1"},
		{"max_replication_slots", "7"},
		{"log_line_prefix", `it's \ `},
		{"port", strconv.Itoa(server.Port())},
		{"server_encoding", "UTF8"},
		{"TimeZone", "UTC"},
	}
	for _, test := range tests {
		if got := query(t, server.DSN("postgres"), "SHOW "+test.setting); got != test.want {
			t.Errorf("%s is %q, want %q", test.setting, got, test.want)
		}
	}
	socket := fmt.Sprintf("host=%s port=%d user=postgres dbname=postgres", server.SocketDir(), server.Port())
	if got := query(t, socket, "SELECT (inet_server_addr() IS NULL)::text"); got != "true" {
		t.Errorf("socket is TCP, want a Unix socket")
	}
	if major := query(t, server.DSN("postgres"), "SHOW server_version_num"); !strings.HasPrefix(major, strconv.Itoa(server.Major())) {
		t.Errorf("version %s, Major says %d", major, server.Major())
	}
}

func TestPassword(t *testing.T) {
	t.Parallel()
	server := start(t, pgserver.Config{Password: "p@ss/word"})
	dsn := server.DSN("postgres")
	if got := query(t, dsn, "SELECT current_user"); got != "postgres" {
		t.Errorf("user %q, want postgres", got)
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("postgres", "wrong")
	ctx := wait.Context(t, 10*time.Second)
	conn, err := pgx.Connect(ctx, u.String())
	if err == nil {
		conn.Close(ctx)
		t.Error("a wrong password was accepted")
	}
	if got := query(t, dsn, "SELECT left(rolpassword, 13) FROM pg_authid WHERE rolname = 'postgres'"); got != "SCRAM-SHA-256" {
		t.Errorf("password stored as %q, want SCRAM", got)
	}
}

func TestDataAndPortSurvive(t *testing.T) {
	t.Parallel()
	server := start(t, pgserver.Config{})
	ctx := wait.Context(t, 2*time.Minute)
	if err := server.CreateDatabase(ctx, "with-dash"); err != nil {
		t.Fatal(err)
	}
	if err := server.CreateDatabase(ctx, "with-dash"); err == nil {
		t.Error("the same database was created twice")
	}
	stopAndStart := func(mode pgserver.Mode) func() error {
		return func() error {
			if err := server.Stop(ctx, mode); err != nil {
				return err
			}
			return server.Start(ctx)
		}
	}
	tests := []struct {
		name string
		fail func() error
	}{
		{"smart stop", stopAndStart(pgserver.Smart)},
		{"fast stop", stopAndStart(pgserver.Fast)},
		{"immediate stop", stopAndStart(pgserver.Immediate)},
		{"restart", func() error { return server.Restart(ctx, pgserver.Fast) }},
		{"kill", func() error { return errors.Join(server.Kill(), server.Start(ctx)) }},
		{"kill while paused", func() error { return errors.Join(server.Pause(), server.Kill(), server.Start(ctx)) }},
	}
	dsn := server.DSN("with-dash")
	for _, test := range tests {
		pid := server.Pid()
		if err := test.fail(); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if server.Pid() == pid || child.Alive(pid) {
			t.Errorf("%s: process %d was not replaced", test.name, pid)
		}
		if got := query(t, dsn, "SELECT current_database()"); got != "with-dash" {
			t.Errorf("%s: database %q", test.name, got)
		}
	}
	if err := server.Start(ctx); err == nil {
		t.Error("a running server was started again")
	}
}

func TestStoppedServer(t *testing.T) {
	t.Parallel()
	server := start(t, pgserver.Config{})
	ctx := wait.Context(t, time.Minute)
	if !server.Running() {
		t.Error("not running after the start")
	}
	for range 2 { // the second is no error
		if err := server.Stop(ctx, pgserver.Fast); err != nil {
			t.Fatal(err)
		}
	}
	if server.Running() || server.Pid() != 0 {
		t.Errorf("running with pid %d after the stop", server.Pid())
	}
	for name, do := range map[string]func() error{"kill": server.Kill, "pause": server.Pause, "resume": server.Resume} {
		if err := do(); !errors.Is(err, pgserver.ErrStopped) {
			t.Errorf("%s: %v, want %v", name, err, pgserver.ErrStopped)
		}
	}
	if !strings.Contains(server.LogTail(10), "database system is shut down") {
		t.Errorf("the log does not tell of the stop:\n%s", server.LogTail(10))
	}
}

func TestSmartStopWaitsForClients(t *testing.T) {
	t.Parallel()
	server := start(t, pgserver.Config{})
	conn, err := pgx.Connect(t.Context(), server.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := server.Stop(ctx, pgserver.Smart); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("smart stop with a client: %v, want %v", err, context.DeadlineExceeded)
	}
	if err := server.Start(wait.Context(t, time.Minute)); err != nil { // it was killed
		t.Error(err)
	}
}

func TestPausedServerAnswersNothing(t *testing.T) {
	t.Parallel()
	server := start(t, pgserver.Config{})
	ctx := wait.Context(t, time.Minute)
	conn, err := pgx.Connect(ctx, server.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := server.Pause(); err != nil {
		t.Fatal(err)
	}
	answer := make(chan error, 1)
	go func() { answer <- conn.Ping(ctx) }()
	select {
	case err := <-answer:
		t.Fatalf("a paused server answered (%v)", err)
	case <-time.After(200 * time.Millisecond):
	}
	if err := server.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := <-answer; err != nil {
		t.Errorf("after the pause: %v", err)
	}
}

func TestPausedServerCanBeClosed(t *testing.T) {
	t.Parallel()
	server := start(t, pgserver.Config{})
	if err := server.Pause(); err != nil {
		t.Error(err)
	}
}

func TestKilledServerCanBeClosed(t *testing.T) {
	t.Parallel()
	server := start(t, pgserver.Config{})
	if err := server.Kill(); err != nil {
		t.Error(err)
	}
}

func TestStartIsBoundedByItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	server, err := pgserver.Start(ctx, pgserver.Config{})
	if err == nil {
		t.Error(server.Close())
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, pgserver.ErrNotFound) { // no program can be asked for its version
		t.Errorf("start with an ended context: %v", err)
	}
}

func TestBadSettingIsToldWithTheLog(t *testing.T) {
	t.Parallel()
	server, err := pgserver.Start(wait.Context(t, time.Minute), pgserver.Config{Settings: map[string]string{"wal_level": "loud"}})
	if err == nil {
		t.Fatal(errors.Join(errors.New("started with a wrong setting"), server.Close()))
	}
	if !strings.Contains(err.Error(), `invalid value for parameter "wal_level"`) {
		t.Errorf("the error does not say what PostgreSQL said: %v", err)
	}
}

func TestNothingOutlivesAProgramThatPanics(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"running", "paused"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			owner := exec.CommandContext(wait.Context(t, time.Minute), os.Args[0])
			owner.Env = append(os.Environ(), helperEnv+"="+end)
			owner.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out, err := owner.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := owner.Start(); err != nil {
				t.Fatal(err)
			}
			var pid int
			var dir string
			_, scanErr := fmt.Fscanln(out, &pid, &dir)
			if _, err := io.Copy(io.Discard, out); err != nil {
				t.Error(err)
			}
			if err := owner.Wait(); err == nil || scanErr != nil {
				t.Fatalf("the owner ended with %v, its answer: %v; want a panic after the answer", err, scanErr)
			}
			awaitGone(t, pid, dir)
		})
	}
}

func awaitGone(t *testing.T, pid int, dir string) {
	t.Helper()
	err := poll.Until(wait.Context(t, 30*time.Second), 10*time.Millisecond, func(context.Context) error {
		if child.Alive(pid) {
			return fmt.Errorf("the postmaster %d still runs", pid)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s is still there (%v)", dir, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
