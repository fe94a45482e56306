package replication

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"
)

// Position is where a stream stood on one particular history of one particular
// server. It means nothing on another.
type Position struct {
	SystemID  string
	Timeline  int32
	Confirmed pglogrepl.LSN
}

// Reporter is told what happens while a session opens.
type Reporter interface {
	// SlotCreated: events committed before lsn are not sent; rows counts those
	// that the table held already, or is -1 where the role may not look.
	SlotCreated(slot string, lsn pglogrepl.LSN, rows int64)
	// WaitingForSlot: another process reads the slot. Called at each attempt.
	WaitingForSlot(slot string, pid int32, application string)
	// WaitingForTransaction: the slot's creation waits for a running transaction.
	WaitingForTransaction(pid int32, application, state string, age time.Duration)
	// SnapshotBegins: the rows that the tables hold are relayed before the stream,
	// which goes on from lsn. again tells that the slot is older than the snapshot:
	// rows committed since lsn come twice.
	SnapshotBegins(slot string, lsn pglogrepl.LSN, again bool)
	// StandbyBehind: the server holds events back until a standby has them, as it was
	// told to by synchronized_standby_slots (17 and later). Called again while it lasts.
	StandbyBehind(slot, message string)
	// HistoryChanged: this is not the server, or not the timeline, that was read before.
	HistoryChanged(before, now Position)
	// SlotMoved: somebody else has confirmed past where this process had: another
	// relay that took over, or somebody who advanced the slot or made it anew.
	SlotMoved(slot string, from, to pglogrepl.LSN)
}

// takeoverPoll is how often a slot that another process holds is asked for. A
// crashed holder's connection is closed by its kernel at once, so this is how
// long a takeover takes. The first attempts follow each other faster: after a
// restart the walsender of the process before needs only a moment to notice.
const (
	takeoverPoll  = 500 * time.Millisecond
	takeoverFirst = 20 * time.Millisecond
)

// Open is Prepare and Stream, for a Config whose snapshot mode never takes one.
func Open(ctx context.Context, cfg Config, last Position, report Reporter) (*Stream, error) {
	s, err := Prepare(ctx, cfg, last, report)
	if err != nil {
		return nil, err
	}
	return s.Stream(ctx)
}

// Session is a server that was prepared for a stream, or for a snapshot before it.
// It belongs to one goroutine. Its owner must Close it, unless it became a Stream.
type Session struct {
	opener
	position Position
}

// Prepare connects, makes publication and slot on a first start, and checks both.
//
// last is where this process stood in an earlier session: on the same history
// the stream starts there even if the server's own record of it went back in a
// crash. A slot that is missing although this process has read it before is an
// error, whatever the configuration allows, but for the snapshot mode WhenNeeded.
func Prepare(ctx context.Context, cfg Config, last Position, report Reporter) (*Session, error) {
	cfg.setDefaults()
	s := &Session{opener: opener{cfg: &cfg, last: last, report: report}}
	if err := s.begin(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Session) begin(ctx context.Context) (err error) {
	if err := s.connect(ctx); err != nil {
		return err
	}
	if s.position, err = s.identify(ctx); err != nil {
		return err
	}
	return s.prepare(ctx)
}

// Snapshot returns the rows to relay before the stream, or nil if there are none
// to. After it a new Session must be prepared for the stream.
func (s *Session) Snapshot() *Snapshot { return s.snapshot }

// FinishSnapshot notes, durably, that every row of the snapshot has been relayed.
func (s *Session) FinishSnapshot(ctx context.Context) error {
	_, err := s.sql.Exec(ctx, "COMMIT")
	if err == nil {
		err = dropSlot(ctx, s.sql, markerName(s.cfg.Slot))
	}
	if err == nil {
		return nil
	}
	// The connection may have died of idleness; what is to be noted is still true.
	conn, err := s.cfg.Dial(ctx)
	if err != nil {
		return err
	}
	closeSQL(s.sql)
	s.sql = conn
	return dropSlot(ctx, s.sql, markerName(s.cfg.Slot))
}

// Stream starts the stream, waiting for as long as another process reads the
// slot. The caller must Close the Stream; the Session is closed with it, also
// after an error.
func (s *Session) Stream(ctx context.Context) (*Stream, error) {
	stream, err := s.open(ctx)
	if err != nil {
		s.Close()
		return nil, err
	}
	return stream, nil
}

// Close gives the connections back, without regard to what was going on.
func (s *Session) Close() { s.close() }

func (s *Session) open(ctx context.Context) (*Stream, error) {
	if s.snapshot != nil {
		return nil, errors.New("start replication: the snapshot comes first")
	}
	if err := s.start(ctx, s.position); err != nil {
		return nil, err
	}
	info, found, err := findSlot(ctx, s.sql, s.cfg.Slot)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, slotMissing(s.cfg.Slot)
	}
	if err := s.shortenStatus(ctx); err != nil {
		return nil, err
	}
	position, slotAt := s.position, pglogrepl.LSN(info.ConfirmedFlushLSN)
	if err := s.refuseAhead(ctx, slotAt); err != nil {
		return nil, err
	}
	if position.Confirmed != 0 && slotAt > position.Confirmed {
		s.report.SlotMoved(s.cfg.Slot, position.Confirmed, slotAt)
	}
	position.Confirmed = max(position.Confirmed, slotAt)
	if position.Confirmed == 0 {
		return nil, human("slot_position", fmt.Errorf("replication slot %q has no confirmed position", s.cfg.Slot))
	}
	return newStream(&s.opener, position), nil
}

// lookupTimeout bounds each question to the server while a session opens. A server
// that is frozen, or a link that swallows everything, would hold it for ever.
const lookupTimeout = 30 * time.Second

// bounded asks with lookupTimeout.
func bounded[T any](ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	return ask(ctx)
}

// shortenStatus keeps the status interval within what the server waits for: in
// the middle of a transaction the position does not move, and what it asks for
// stands behind the rows that are not read yet.
func (o *opener) shortenStatus(ctx context.Context) error {
	millis, err := bounded(ctx, func(ctx context.Context) (n int64, err error) {
		err = o.sql.QueryRow(ctx, `SELECT setting::int8 FROM pg_catalog.pg_settings WHERE name = 'wal_sender_timeout'`).Scan(&n)
		return n, err
	})
	if err != nil {
		return fmt.Errorf("look up wal_sender_timeout: %w", err)
	}
	if timeout := time.Duration(millis) * time.Millisecond; timeout > 0 {
		o.cfg.StatusInterval = min(o.cfg.StatusInterval, timeout/3)
	}
	return nil
}

type opener struct {
	cfg    *Config
	last   Position
	report Reporter
	repl   *pgconn.PgConn
	wire   *wire
	sql    *pgx.Conn

	snapshot *Snapshot // nil if none is due
	unnoted  bool      // the publication does not say yet that there is a slot
}

// connect opens both connections at the same time.
func (o *opener) connect(ctx context.Context) error {
	var g errgroup.Group
	g.Go(func() (err error) {
		o.repl, o.wire, err = o.cfg.connectReplication(ctx)
		return err
	})
	g.Go(func() (err error) {
		o.sql, err = o.cfg.Dial(ctx)
		return err
	})
	return g.Wait()
}

// close releases what was opened. It does not heed the caller's context, which
// may be the reason for closing.
func (o *opener) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if o.repl != nil {
		o.repl.Close(ctx) //nolint:errcheck // the connection is given up either way
	}
	closeSQL(o.sql)
}

// closeSQL closes a connection, if there is one, on which nothing depends any more.
// It also waits for what pgconn started by itself when a query was broken off.
func closeSQL(conn *pgx.Conn) {
	if conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	conn.Close(ctx) //nolint:errcheck // nothing depends on it
	select {
	case <-conn.PgConn().CleanupDone():
	case <-ctx.Done():
	}
}

// closeTimeout bounds the farewell to a server that may not answer any more.
const closeTimeout = 2 * time.Second

// identify returns where to start: the last position on the same history, else
// only the history, which leaves the start to the slot.
func (o *opener) identify(ctx context.Context) (Position, error) {
	sys, err := bounded(ctx, func(ctx context.Context) (pglogrepl.IdentifySystemResult, error) {
		return pglogrepl.IdentifySystem(ctx, o.repl)
	})
	if err != nil {
		return Position{}, fmt.Errorf("identify system: %w", err)
	}
	now := Position{SystemID: sys.SystemID, Timeline: sys.Timeline}
	if o.last.SystemID == "" {
		return now, nil
	}
	// A server whose WAL ends before what it once confirmed was restored from a copy.
	if now.SystemID != o.last.SystemID || now.Timeline != o.last.Timeline || sys.XLogPos < o.last.Confirmed {
		o.report.HistoryChanged(o.last, now)
		return now, nil
	}
	now.Confirmed = o.last.Confirmed
	return now, nil
}

// prepare makes sure of the publication and the slot, in this order: a slot made
// first would never see the publication in its past.
func (o *opener) prepare(ctx context.Context) error {
	if err := o.checkFailover(); err != nil {
		return err
	}
	if err := o.checkMessages(); err != nil {
		return err
	}
	if err := o.checkShard(); err != nil {
		return err
	}
	if err := o.refuseStandby(ctx); err != nil {
		return err
	}
	if err := o.refuseOtherCount(ctx); err != nil {
		return err
	}
	if err := o.prepareShards(ctx); err != nil {
		return err
	}
	firstStart, err := bounded(ctx, func(ctx context.Context) (bool, error) { return ensurePublication(ctx, o.sql, o.cfg) })
	if err != nil {
		return err
	}
	o.unnoted = firstStart
	if o.cfg.Snapshot.wanted() {
		return o.prepareSnapshot(ctx, firstStart)
	}
	if err := o.noSnapshotLeft(ctx); err != nil {
		return err
	}
	info, found, err := findSlot(ctx, o.sql, o.cfg.Slot)
	if err != nil {
		return err
	}
	if !found {
		return o.create(ctx, firstStart)
	}
	return o.useSlot(ctx, info)
}

// useSlot checks a slot that is there.
func (o *opener) useSlot(ctx context.Context, info SlotInfo) error {
	if err := info.check(o.cfg.Slot, o.sql.Config().Database); err != nil {
		return err
	}
	if o.unnoted {
		if err := o.note(ctx); err != nil {
			return err
		}
	}
	return o.failover(ctx, info)
}

// note ends the first start for a slot that was there before its publication knew:
// a start was interrupted, or somebody made it by hand. A role that does not own
// the publication cannot, and need not.
func (o *opener) note(ctx context.Context) error {
	err := noteSlot(ctx, o.sql, o.cfg)
	if Reason(err) == "privilege" {
		return nil
	}
	return err
}

// refuseStandby keeps a relay that met a standby, as it happens with several hosts
// in the connection string, from taking its missing slot for a lost one. The copy of
// a failover slot (17 and later) cannot be read there, and counts as none.
func (o *opener) refuseStandby(ctx context.Context) error {
	if o.sql.PgConn().ParameterStatus("in_hot_standby") == "off" {
		return nil // the server has said so at the connect
	}
	standby, err := bounded(ctx, func(ctx context.Context) (standby bool, err error) {
		err = o.sql.QueryRow(ctx, `SELECT pg_is_in_recovery() AND NOT EXISTS (SELECT FROM pg_catalog.pg_replication_slots s
			WHERE slot_name = $1 AND to_jsonb(s) ->> 'synced' IS DISTINCT FROM 'true')`, o.cfg.Slot).Scan(&standby)
		return standby, err
	})
	if err != nil {
		return fmt.Errorf("ask whether the server is a standby: %w", err)
	}
	if standby {
		return &Problem{Transient, "standby", fmt.Errorf("connected to a standby that has no slot %q of its own; add target_session_attrs=read-write to the connection string so that the primary is chosen", o.cfg.Slot)}
	}
	return nil
}

// mayCreate refuses to make a slot that may have been lost, unless it may be
// replaced.
func (o *opener) mayCreate(firstStart, replace bool) error {
	if replace || o.last.SystemID == "" && (firstStart || o.cfg.CreateSlot) {
		return nil
	}
	return slotMissing(o.cfg.Slot)
}

func (o *opener) create(ctx context.Context, firstStart bool) error {
	if err := o.mayCreate(firstStart, false); err != nil {
		return err
	}
	if err := o.refuseUnroutable(ctx); err != nil {
		return err
	}
	lsn, _, err := createSlot(ctx, o.repl, o.cfg, o.cfg.Slot, "nothing", o.reportBlockers)
	if err != nil {
		return err
	}
	if firstStart {
		if err := noteSlot(ctx, o.sql, o.cfg); err != nil {
			return err
		}
	}
	o.report.SlotCreated(o.cfg.Slot, lsn, countRows(ctx, o.sql, o.cfg))
	return nil
}

// reportBlockers names who keeps the slot from being made, every few seconds,
// until ctx ends.
func (o *opener) reportBlockers(ctx context.Context) {
	ticker := time.NewTicker(2 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		// What cannot be found out is not worth failing for: the creation itself
		// tells its own error.
		if b, found, err := oldestWriter(context.WithoutCancel(ctx), o.sql); err == nil && found {
			o.report.WaitingForTransaction(b.PID, b.Application, b.State, b.Age)
		}
	}
}

// countLimit keeps counting from delaying the first start.
const countLimit = 1_000_000

// countRows says how many rows a table held before the slot, which will not be
// sent, and stops counting at countLimit.
func countRows(ctx context.Context, conn *pgx.Conn, cfg *Config) int64 {
	tables, err := findTables(ctx, conn, cfg)
	if err != nil {
		return -1
	}
	var total int64
	for i := range tables {
		var n int64
		sql := fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s LIMIT %d) t", tables[i].quoted(), countLimit)
		if err := conn.QueryRow(ctx, sql).Scan(&n); err != nil {
			return -1 // the role needs no SELECT to relay
		}
		total += n
	}
	return total
}

// start begins the stream, again and again while another process has the slot.
func (o *opener) start(ctx context.Context, from Position) error {
	for wait := takeoverFirst; ; {
		_, err := bounded(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, o.startOnce(ctx, from) })
		if Reason(err) != "slot_active" {
			return o.explain(ctx, err)
		}
		pid, application, err := slotHolder(ctx, o.sql, o.cfg.Slot)
		if err != nil {
			return fmt.Errorf("ask who holds replication slot %q: %w", o.cfg.Slot, err)
		}
		o.report.WaitingForSlot(o.cfg.Slot, pid, application)
		if err := pause(ctx, wait); err != nil {
			return err
		}
		wait = min(2*wait, takeoverPoll)
		// A failed START leaves the connection in an unclear state.
		if err := o.reconnect(ctx); err != nil {
			return err
		}
	}
}

func (o *opener) reconnect(ctx context.Context) (err error) {
	o.repl.Close(ctx) //nolint:errcheck // replaced by the next
	o.repl, o.wire, err = o.cfg.connectReplication(ctx)
	return err
}

func (o *opener) startOnce(ctx context.Context, from Position) error {
	arguments := []string{"proto_version '1'", "publication_names " + quoteLiteral(quoteIdent(o.cfg.Publication))}
	if o.cfg.Messages.Enabled() {
		arguments = append(arguments, "messages 'true'")
	}
	err := pglogrepl.StartReplication(ctx, o.repl, quoteIdent(o.cfg.Slot), from.Confirmed, pglogrepl.StartReplicationOptions{
		Mode: pglogrepl.LogicalReplication, PluginArgs: arguments,
	})
	if err != nil {
		return fmt.Errorf("start replication on slot %q: %w", o.cfg.Slot, err)
	}
	return nil
}

// explain asks the catalog what an error of START_REPLICATION means: lost WAL
// and plain mistakes share an SQLSTATE.
func (o *opener) explain(ctx context.Context, err error) error {
	if err == nil || ClassOf(err) == Transient {
		return err
	}
	info, found, lookupErr := findSlot(ctx, o.sql, o.cfg.Slot)
	switch {
	case lookupErr != nil:
		return err
	case !found:
		return slotMissing(o.cfg.Slot)
	}
	if bad := info.check(o.cfg.Slot, o.sql.Config().Database); bad != nil {
		return bad
	}
	return err
}
