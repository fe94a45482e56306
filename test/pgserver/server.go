// Package pgserver runs real PostgreSQL servers for tests, benchmarks and the quickstart. It promises that a server is
// usable when Start returns, that it keeps its port and data over stops and crashes, and that neither a process nor a
// file of it is left behind when the program ends, in whatever way. It returns errors and knows nothing of testing.
package pgserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/internal/child"
	"github.com/outbox-relay/outbox-relay/test/internal/freeport"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
)

const (
	superuser = "postgres"

	readyTimeout = time.Minute           // for a server to accept connections; crash recovery included
	readyPoll    = 20 * time.Millisecond // a connect attempt costs about a millisecond
	bindTries    = 5                     // a free port may be taken before the server binds it
)

// ErrStopped is returned by what needs a running server.
var ErrStopped = errors.New("the PostgreSQL server is not running")

// Server is one PostgreSQL cluster in a temporary folder. Its methods may be called by several goroutines.
type Server struct {
	config  Config
	bin     Binaries
	account account
	dir     string
	port    int
	reaper  *child.Reaper

	mu   sync.Mutex // held for the whole of a start or stop
	proc *child.Process
}

// Start finds the binaries, makes a cluster and starts it. ctx bounds the start alone, not the life of the server.
// The caller must call Close.
func Start(ctx context.Context, config Config) (*Server, error) {
	bin, err := Find(ctx, config.Major)
	if err != nil {
		return nil, err
	}
	acct, err := serverAccount()
	if err != nil {
		return nil, err
	}
	if err := acct.reachable(bin.Dir); err != nil {
		return nil, err
	}
	s := &Server{config: config, bin: bin, account: acct}
	if err := s.makeFolders(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.initdb(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.writeFiles(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if err := s.firstStart(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// makeFolders creates the server's folder with a reaper that removes it.
func (s *Server) makeFolders() error {
	base, err := s.tempBase()
	if err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp(base, "outbox-pg-"); err != nil {
		return fmt.Errorf("make a folder for PostgreSQL: %w", err)
	}
	if err := s.account.own(s.dir); err != nil {
		return err
	}
	// SIGQUIT is the immediate shutdown: it also frees the shared memory, which SIGKILL leaves behind.
	s.reaper, err = child.NewReaper("QUIT", s.dir)
	return err
}

// tempBase is the temporary folder, or /tmp when that one is closed to the server's user or so long that the path of
// the socket would not fit into its address (108 bytes on Linux, 104 elsewhere).
func (s *Server) tempBase() (string, error) {
	var errs []error
	for _, dir := range []string{os.TempDir(), "/tmp"} {
		const longest = 104 - len("/outbox-pg-1234567890/.s.PGSQL.12345.lock")
		err := s.account.reachable(dir)
		if err == nil && len(dir) > longest {
			err = fmt.Errorf("%s is too long for the path of a socket", dir)
		}
		if err == nil {
			return dir, nil
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

// command prepares a program of PostgreSQL that runs as the server's user and writes to the log file.
func (s *Server) command(log *os.File, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin.Dir, program), args...)
	cmd.Dir = s.dir // the current folder may be closed to the server's user
	cmd.Env = environment()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.account.credential}
	return cmd
}

// environment is ours without what would change the server: PGDATA, PGPORT, locale.
func environment() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "PG") && !strings.HasPrefix(kv, "LC_") && !strings.HasPrefix(kv, "LANG") {
			env = append(env, kv)
		}
	}
	return append(env, "LC_ALL=C")
}

func (s *Server) initdb(ctx context.Context) error {
	args := []string{"-D", s.DataDir(), "-U", superuser, "-E", "UTF8", "--no-locale", "--no-sync"}
	if s.config.Password == "" {
		args = append(args, "-A", "trust")
	} else {
		file := filepath.Join(s.dir, "password")
		if err := os.WriteFile(file, []byte(s.config.Password+"\n"), 0o600); err != nil {
			return fmt.Errorf("write the password file for initdb: %w", err)
		}
		defer os.Remove(file)
		if err := s.account.own(file); err != nil {
			return err
		}
		args = append(args, "-A", "scram-sha-256", "--pwfile", file)
	}
	proc, err := s.spawn("initdb", args...)
	if err != nil {
		return err
	}
	code, err := proc.Wait(ctx)
	if err != nil {
		return errors.Join(err, proc.Kill(), s.reaper.Forget(proc))
	}
	if code != 0 {
		return errors.Join(fmt.Errorf("initdb failed: %s\n%s", proc.State(), s.LogTail(20)), s.reaper.Forget(proc))
	}
	return s.reaper.Forget(proc)
}

// spawn starts a program that ends with us at the latest.
func (s *Server) spawn(program string, args ...string) (*child.Process, error) {
	log, err := os.OpenFile(s.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of PostgreSQL: %w", err)
	}
	defer log.Close() // the program has its own descriptor
	proc, err := child.Start(program, s.command(log, program, args...))
	if err != nil {
		return nil, err
	}
	if err := s.reaper.Watch(proc); err != nil {
		return nil, errors.Join(err, proc.Kill())
	}
	return proc, nil
}

// firstStart chooses the port that the server keeps from then on.
func (s *Server) firstStart(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for range bindTries {
		ports, err := freeport.Pick(1)
		if err != nil {
			return err
		}
		s.port = ports[0]
		conf := filepath.Join(s.DataDir(), "postgresql.auto.conf")
		if err := os.WriteFile(conf, []byte(s.config.conf(s.port, s.dir)), 0o600); err != nil {
			return fmt.Errorf("write the server's configuration: %w", err)
		}
		if err = s.launch(ctx); err == nil {
			return nil
		}
		errs = append(errs, err)
		if !strings.Contains(s.LogTail(20), "could not bind") {
			break
		}
	}
	return errors.Join(errs...)
}

// Start starts a stopped server again, with its port and data. Starting a running one is an error.
func (s *Server) Start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc != nil && s.proc.Running() {
		return fmt.Errorf("the PostgreSQL server runs already (pid %d)", s.proc.Pid())
	}
	return s.launch(ctx)
}

// launch starts the postmaster and waits until it accepts connections. s.mu is held.
func (s *Server) launch(ctx context.Context) error {
	proc, err := s.spawn("postgres", "-D", s.DataDir())
	if err != nil {
		return err
	}
	s.proc = proc
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("PostgreSQL was not ready within %v", readyTimeout))
	defer cancel()
	err = poll.Until(ctx, readyPoll, func(ctx context.Context) error {
		if !proc.Running() {
			return nil // no use to wait any longer
		}
		return s.ping(ctx)
	})
	if err == nil && !proc.Running() {
		err = fmt.Errorf("it ended with %s", proc.State())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("start PostgreSQL %d: %w\n%s", s.bin.Major, err, s.LogTail(20)), s.end(proc))
	}
	return nil
}

// end kills what is left of a server and lets go of it. s.mu is held.
func (s *Server) end(proc *child.Process) error {
	s.proc = nil
	return errors.Join(proc.Kill(), s.reaper.Forget(proc))
}

// ping succeeds when this server answers a query. The port may have gone to another server, of another test program,
// before ours could bind it, so the answer must be ours.
func (s *Server) ping(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var dir string
	if err := conn.QueryRow(ctx, "SHOW data_directory").Scan(&dir); err != nil {
		return err
	}
	if dir != s.DataDir() {
		return fmt.Errorf("port %d belongs to another server", s.port)
	}
	return nil
}

// DSN is the URL of a database on this server for user postgres, over TCP. It holds the password if there is one.
func (s *Server) DSN(database string) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.User(superuser),
		Host:     net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	if s.config.Password != "" {
		u.User = url.UserPassword(superuser, s.config.Password)
	}
	return u.String()
}

// Port is the TCP port on 127.0.0.1, the same for the whole life of the server.
func (s *Server) Port() int { return s.port }

// Pid is the process id of the postmaster, 0 while the server is stopped.
func (s *Server) Pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		return 0
	}
	return s.proc.Pid()
}

// SocketDir is the folder of the Unix socket, to be used as host in a DSN.
func (s *Server) SocketDir() string { return s.dir }

// DataDir is the data directory of the cluster.
func (s *Server) DataDir() string { return filepath.Join(s.dir, "data") }

// Major is the major version of the server.
func (s *Server) Major() int { return s.bin.Major }

// Binaries tells where the server's programs are; an installation may have clients like pg_recvlogical beside them.
func (s *Server) Binaries() Binaries { return s.bin }

// LogTail returns the last n lines that the server has logged.
func (s *Server) LogTail(n int) string { return child.Tail(s.logFile(), n) }

func (s *Server) logFile() string { return filepath.Join(s.dir, "log") }

// CreateDatabase makes an empty database.
func (s *Server) CreateDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	defer conn.Close(ctx)
	// template0 never has a session of somebody else on it, which would make the copy fail.
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" TEMPLATE template0"); err != nil {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	return nil
}

// Running reports whether the server's main process is there; a paused one is.
func (s *Server) Running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proc != nil && s.proc.Running()
}
