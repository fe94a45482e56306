package replication_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/test/faultproxy"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// silence is short enough for a test, and long for a server on the same machine.
const silence = 400 * time.Millisecond

// proxied makes the configuration go through a proxy.
func proxied(t *testing.T, db *pgtest.DB) (replication.Config, *faultproxy.Proxy) {
	t.Helper()
	u, err := url.Parse(db.DSN)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := faultproxy.Listen(u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	u.Host = proxy.Addr()
	cfg := config(t, db)
	cfg.Connect = func() (*pgx.ConnConfig, error) { return pgx.ParseConfig(u.String()) }
	cfg.Silence = silence
	return cfg, proxy
}

// run runs a stream in the background.
func run(t *testing.T, stream *replication.Stream, h replication.Handler) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- stream.Run(t.Context(), context.Background(), h) }()
	return done
}

// wantSilent demands ErrServerSilent within a time that a human would call soon.
func wantSilent(t *testing.T, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		if !errors.Is(err, replication.ErrServerSilent) {
			t.Errorf("ended with %v, want %v", err, replication.ErrServerSilent)
		}
		if replication.ClassOf(err) != replication.Transient || replication.Reason(err) != "silent" {
			t.Errorf("class %v, reason %q of %v", replication.ClassOf(err), replication.Reason(err), err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it goes on")
	}
}

// TestSilentStreamEnds is the half-open connection (pain B15): the server's side is
// gone, or everything is swallowed, and nothing says so.
func TestSilentStreamEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(*faultproxy.Proxy)
	}{
		{"connection forgotten", func(p *faultproxy.Proxy) { p.Forget() }},
		{"network black", func(p *faultproxy.Proxy) { p.SetBoth(faultproxy.Faults{Stall: true}) }},
		{"answers swallowed", func(p *faultproxy.Proxy) { p.Set(faultproxy.ToClient, faultproxy.Faults{Stall: true}) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.NewDB(t)
			db.Exec(t, outboxTable)
			cfg, proxy := proxied(t, db)
			stream, err := open(t, cfg, replication.Position{}, newEvents())
			if err != nil {
				t.Fatal(err)
			}
			done := run(t, stream, &collector{rows: make(chan string, 10), at: stream.Position().Confirmed})
			test.do(proxy)
			wantSilent(t, done)
		})
	}
}

// TestBusyServerIsNotGivenUp lets the server decode a big transaction of another
// table for much longer than it may be silent. Giving it up would make it begin
// again, for ever. A timeout of the server's own far away keeps it from sending
// anything meanwhile.
func TestBusyServerIsNotGivenUp(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	db.Exec(t, `CREATE TABLE other (n int)`)
	db.Exec(t, `ALTER DATABASE `+pgx.Identifier{db.Name}.Sanitize()+` SET wal_sender_timeout = '1h'`)
	cfg, _ := proxied(t, db)
	cfg.Silence = 300 * time.Millisecond
	stream, err := open(t, cfg, replication.Position{}, newEvents())
	if err != nil {
		t.Fatal(err)
	}
	db.Exec(t, `INSERT INTO other SELECT generate_series(1, 700000)`)
	db.Exec(t, `INSERT INTO outbox VALUES (1)`)
	h := &collector{rows: make(chan string, 10), at: stream.Position().Confirmed}
	quiet := make(chan time.Duration, 1)
	watched, stop := context.WithCancel(t.Context())
	go func() { quiet <- longestSilence(watched, stream) }()
	done := run(t, stream, h)
	select {
	case <-h.rows:
	case err := <-done:
		t.Errorf("the stream ended: %v", err)
	case <-time.After(time.Minute):
		t.Error("the row behind the big transaction has not come")
	}
	stop()
	if longest := <-quiet; longest < 2*cfg.Silence {
		t.Skipf("the server was silent for %v only: this machine is too fast for the test", longest)
	}
}

// longestSilence watches until ctx ends.
func longestSilence(ctx context.Context, stream *replication.Stream) (longest time.Duration) {
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		longest = max(longest, time.Since(stream.LastReceived()))
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return longest
		}
	}
}

// slowHandler takes a while for the first row.
type slowHandler struct {
	collector
	first func()
}

func (h *slowHandler) Insert(_ *schema.Relation, _ []schema.Datum) error {
	if h.first != nil {
		h.first()
		h.first = nil
	}
	return nil
}

// TestFrozenSnapshotEnds freezes the link in the middle of a table.
func TestFrozenSnapshotEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(*faultproxy.Proxy)
	}{
		{"connection forgotten", func(p *faultproxy.Proxy) { p.Forget() }},
		{"network black", func(p *faultproxy.Proxy) { p.SetBoth(faultproxy.Faults{Stall: true}) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			snapshot, proxy := bigSnapshot(t)
			h := &slowHandler{first: func() { test.do(proxy) }}
			done := make(chan error, 1)
			go func() { done <- snapshot.Run(t.Context(), h) }()
			wantSilent(t, done)
		})
	}
}

// TestSnapshotWaitsForASlowHandler: a broker that is away is no silence of the
// server.
func TestSnapshotWaitsForASlowHandler(t *testing.T) {
	t.Parallel()
	snapshot, _ := bigSnapshot(t)
	h := &slowHandler{first: func() { <-time.After(3 * silence) }}
	if err := snapshot.Run(t.Context(), h); err != nil {
		t.Error(err)
	}
}

// bigSnapshot is one of a table that does not fit into the buffers on the way.
func bigSnapshot(t *testing.T) (*replication.Snapshot, *faultproxy.Proxy) {
	t.Helper()
	db := pgtest.NewDB(t)
	db.Exec(t, outboxTable)
	db.Exec(t, `INSERT INTO outbox SELECT n, repeat(md5(n::text), 1000) FROM generate_series(1, 1000) n`)
	cfg, proxy := proxied(t, db)
	cfg.Snapshot = replication.Initial
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	session, err := replication.Prepare(ctx, cfg, replication.Position{}, newEvents())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	if session.Snapshot() == nil {
		t.Fatal("there is no snapshot to take")
	}
	return session.Snapshot(), proxy
}

// TestBusyQueryIsNotGivenUp: a scan of a bloated table brings no row for long.
func TestBusyQueryIsNotGivenUp(t *testing.T) {
	t.Parallel()
	cfg, proxy := proxied(t, pgtest.NewDB(t))
	conn, err := cfg.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), `SELECT pg_sleep(3 * $1::float8)`, silence.Seconds()); err != nil {
		t.Fatalf("a query that takes long: %v", err)
	}
	// The context's own end still counts.
	short, cancel := context.WithTimeout(t.Context(), silence/4)
	defer cancel()
	if _, err := conn.Exec(short, `SELECT pg_sleep(60)`); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a query with a deadline ended with %v", err)
	}
	proxy.Forget()
	var refused *net.OpError
	if _, err := conn.Exec(t.Context(), `SELECT 1`); err == nil || errors.As(err, &refused) && refused.Op == "dial" {
		t.Errorf("a query over a forgotten connection ended with %v", err)
	}
}
