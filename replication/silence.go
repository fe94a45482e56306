package replication

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// A server that says nothing for long is dead, or its network is, or it is busy:
// it decodes a big transaction of other tables, or scans a table of dead rows.
// Giving a busy one up makes it begin again, perhaps for ever. What tells them
// apart is a look from outside, over a connection of its own.

const (
	// silenceLimit is how long the server may be silent before it is looked at. A
	// stream has asked for a sign at half of it, which an idle server gives at once.
	silenceLimit = 10 * time.Second
	// silencePatience times the limit is given up although the look failed too.
	silencePatience = 3
	// lookTimeout bounds the look at least, else half of the limit does: the stream
	// stands meanwhile.
	lookTimeout = 2 * time.Second
)

// errUnseen is a look that has not found the process: behind a pooler it has
// another number than the client was told.
var errUnseen = errors.New("the server does not list the process")

// busy reports whether a process of the server is at work: it waits neither for
// its client nor for something to do. It is the one with the number, or the one
// that reads the slot; "" for none. A role sees its own processes without any
// grant.
func (c *Config) busy(ctx context.Context, pid uint32, slot string) (busy bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, max(lookTimeout, c.Silence/2))
	defer cancel()
	config, err := c.connConfig()
	if err != nil {
		return false, err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, err
	}
	defer closeSQL(conn)
	var seen bool
	// WalSenderMain is of type Activity; waiting for WAL or for room to write is Client.
	err = conn.QueryRow(ctx, `SELECT count(*) > 0, count(*) FILTER (WHERE coalesce(wait_event_type, '') NOT IN ('Client', 'Activity')) > 0
		FROM pg_catalog.pg_stat_activity WHERE pid = $1 OR pid = (SELECT active_pid FROM pg_catalog.pg_replication_slots WHERE slot_name = $2)`,
		int32(pid), slot).Scan(&seen, &busy)
	if err == nil && !seen && slot == "" {
		err = errUnseen
	}
	return busy, err
}

// checkSilence returns ErrServerSilent if the server has been silent for too long
// and is not busy. An idle one may have spoken while it was looked at: what it
// said has arrived by the next tick.
func (s *Stream) checkSilence(ctx context.Context, silent time.Duration) error {
	limit := s.cfg.Silence
	switch {
	case silent < limit:
		s.idle = false
		return nil
	case s.idle:
		return fmt.Errorf("read from slot %q: nothing for %s: %w", s.slot, silent.Round(time.Second), ErrServerSilent)
	case time.Since(s.lookedAt) < limit/2:
		return nil
	}
	busy, err := s.cfg.busy(ctx, s.conn.PID(), s.slot)
	s.lookedAt = time.Now()
	s.idle = !busy && (err == nil || silent >= silencePatience*limit)
	return nil
}

// patientConn is the network connection of an ordinary session. Its reads end
// with ErrServerSilent when the server is silent and not busy, however long the
// caller's context would wait.
type patientConn struct {
	net.Conn
	limit time.Duration
	busy  func() (bool, error)

	mu       sync.Mutex
	deadline time.Time // the caller's; zero if it has none
}

// Read implements net.Conn. A read that timed out here has taken nothing, so TLS
// above it does not notice.
func (c *patientConn) Read(p []byte) (int, error) {
	for silent := c.limit; ; silent += c.limit {
		mine, err := c.arm()
		if err != nil {
			return 0, err
		}
		n, err := c.Conn.Read(p)
		if !mine || n > 0 || !os.IsTimeout(err) || c.interrupted() {
			return n, err
		}
		busy, err := c.busy()
		if !busy && (err == nil || silent >= silencePatience*c.limit) {
			return 0, fmt.Errorf("nothing for %s: %w", silent, ErrServerSilent)
		}
	}
}

// dialPatient is Dial's way to the network.
func (c *Config) dialPatient(config *pgx.ConnConfig, pid func() uint32) {
	limit := c.Silence
	if limit == 0 {
		limit = silenceLimit
	}
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		busy := func() (bool, error) { return c.busy(context.WithoutCancel(ctx), pid(), "") }
		return &patientConn{Conn: conn, limit: limit, busy: busy}, nil
	}
}

// arm sets the time until which a read may last, and answers whether that is
// ours and not the caller's.
func (c *patientConn) arm() (mine bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	until := time.Now().Add(c.limit)
	if !c.deadline.IsZero() && c.deadline.Before(until) {
		return false, c.Conn.SetReadDeadline(c.deadline)
	}
	return true, c.Conn.SetReadDeadline(until)
}

// interrupted answers whether the caller's own deadline has passed meanwhile:
// pgconn moves it into the past to end a read.
func (c *patientConn) interrupted() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.deadline.IsZero() && !time.Now().Before(c.deadline)
}

// SetDeadline implements net.Conn.
func (c *patientConn) SetDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return c.Conn.SetDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (c *patientConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = t
	return c.Conn.SetReadDeadline(t)
}
