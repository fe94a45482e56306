package replication

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

const (
	// tickEvery is how often the stream looks whether a status is due. A position
	// that moved is sent at the next tick, so this bounds how much is sent again
	// after a crash, and how long a relay must live to make any progress.
	tickEvery = 200 * time.Millisecond
	// behindAfter is how old a transaction may be when the server sends it before
	// the reader counts as behind: far more than a live one takes.
	behindAfter = 50 * time.Millisecond
	// writeTimeout bounds a status update; 34 bytes wait only on a dead connection.
	writeTimeout = 5 * time.Second
)

// Stream is a running replication stream. Its methods must be called from one
// goroutine, but for Position and LastReceived, which any may call.
type Stream struct {
	cfg      *Config
	conn     *pgconn.PgConn
	sql      *pgx.Conn // for Describe
	wire     *wire
	report   Reporter
	slot     string
	interval time.Duration
	start    Position

	dec      Decoder
	received pglogrepl.LSN // highest position seen on this connection
	sent     pglogrepl.LSN // flush position of the last status
	sentAt   time.Time
	pinged   bool      // asked for a sign since data last arrived
	lookedAt time.Time // when the server was last looked at from outside
	idle     bool      // it was idle then, and silent
}

func newStream(o *opener, start Position) *Stream {
	return &Stream{cfg: o.cfg, conn: o.repl, sql: o.sql, wire: o.wire, report: o.report, slot: o.cfg.Slot, interval: o.cfg.StatusInterval, start: start, received: start.Confirmed}
}

// Position returns the history that is read, and the confirmed position from
// which the stream started.
func (s *Stream) Position() Position { return s.start }

// LastReceived is when the server last sent anything.
func (s *Stream) LastReceived() time.Time { return s.wire.lastData() }

// Run reads until stop is done and the last transaction is complete (nil), ctx
// is done (its cause), the connection is lost, or the Handler returns an error.
// After nil the stream is still open: see Wait and Finish.
func (s *Stream) Run(ctx, stop context.Context, h Handler) error {
	s.wire.wait = h.Flush
	defer func() { s.wire.wait = nil }()
	// A blocked read ends when its deadline is moved into the past.
	interrupt := func() { s.conn.Conn().SetReadDeadline(time.Unix(1, 0)) } //nolint:errcheck // a closed connection ends the read anyway
	defer context.AfterFunc(ctx, interrupt)()
	defer context.AfterFunc(stop, interrupt)()
	for {
		if err := s.arm(); err != nil {
			return err
		}
		for due := false; !due; {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if stop.Err() != nil && !s.dec.InTransaction() {
				h.Flush()
				return nil
			}
			var err error
			if due, err = s.receive(h); err != nil {
				return err
			}
		}
		if err := s.tick(ctx, h); err != nil {
			return err
		}
	}
}

// arm sets the time of the next tick. Reads that would wait longer fail with a
// timeout, after which protocol and TLS go on where they were.
func (s *Stream) arm() error {
	if err := s.conn.Conn().SetReadDeadline(time.Now().Add(s.cfg.TickInterval)); err != nil {
		return fmt.Errorf("read from slot %q: %w", s.slot, err)
	}
	return nil
}

// receive handles one message, or reports that the next tick is due. It reads
// past pgconn, whose own method starts another goroutine that reads from the
// connection when there is an error.
func (s *Stream) receive(h Handler) (due bool, err error) {
	msg, err := s.conn.Frontend().Receive()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("read from slot %q: %w", s.slot, err)
	}
	s.pinged = false
	return false, s.handle(msg, h)
}

func (s *Stream) handle(msg pgproto3.BackendMessage, h Handler) error {
	switch m := msg.(type) {
	case *pgproto3.CopyData:
		return s.copyData(m.Data, h)
	case *pgproto3.ErrorResponse:
		return s.serverError(pgconn.ErrorResponseToPgError(m))
	case *pgproto3.NoticeResponse:
		return s.notice(m)
	case *pgproto3.CopyDone, *pgproto3.CommandComplete, *pgproto3.ReadyForQuery:
		return ErrStreamEnded
	}
	return nil // ParameterStatus and the like
}

const (
	xlogHeader = 1 + 8 + 8 + 8 // 'w', start, end, time
	keepalive  = 1 + 8 + 8 + 1 // 'k', end, time, reply requested
)

func (s *Stream) copyData(data []byte, h Handler) error {
	switch {
	case len(data) > xlogHeader && data[0] == pglogrepl.XLogDataByteID:
		s.received = max(s.received, pglogrepl.LSN(binary.BigEndian.Uint64(data[1:])))
		s.dec.sent = binary.BigEndian.Uint64(data[17:])
		err := s.dec.Decode(data[xlogHeader:], h)
		s.wire.behind = s.dec.age(s.dec.begin.CommitTime) > behindAfter
		var malformed *MalformedError
		if errors.As(err, &malformed) {
			return human("protocol", fmt.Errorf("read from slot %q near %s: %w", s.slot, s.received, err))
		}
		return err
	case len(data) == keepalive && data[0] == pglogrepl.PrimaryKeepaliveMessageByteID:
		return s.keepalive(pglogrepl.LSN(binary.BigEndian.Uint64(data[1:])), data[keepalive-1] != 0, h)
	}
	return human("protocol", fmt.Errorf("read from slot %q: a message of %d bytes after %s is none of the replication protocol", s.slot, len(data), s.received))
}

func (s *Stream) keepalive(end pglogrepl.LSN, reply bool, h Handler) error {
	s.received = max(s.received, end)
	if err := h.Keepalive(end); err != nil {
		return err
	}
	if !reply {
		return nil
	}
	return s.status(h.Confirmed(), false)
}

// serverError explains an error in the middle of the stream.
func (s *Stream) serverError(pg *pgconn.PgError) error {
	err := fmt.Errorf("read from slot %q: %w", s.slot, pg)
	if pg.Where != "" { // it names the position
		err = fmt.Errorf("%w (%s)", err, pg.Where)
	}
	if pg.Code == "42704" {
		return human("publication_missing", fmt.Errorf("%w: rows were written while the publication did not exist, so the slot cannot be read over them. %s", err, overHole(s.slot)))
	}
	return err
}

// notice refuses the warning with which 18 and later skip rows whose publication
// did not exist when they were written: what follows would confirm the hole.
func (s *Stream) notice(n *pgproto3.NoticeResponse) error {
	if n.Code != "55000" {
		return nil
	}
	if strings.Contains(n.Message, "synchronized_standby_slots") { // the name of a setting is not translated
		s.report.StandbyBehind(s.slot, n.Message)
		return nil
	}
	return human("publication_missing", fmt.Errorf("read from slot %q: the server skips rows: %s. The publication was dropped or made again while rows were written. "+
		"%s", s.slot, n.Message, overHole(s.slot)))
}

// overHole is the way out for rows that the slot can never bring.
func overHole(slot string) string {
	return fmt.Sprintf("Drop the slot (SELECT pg_drop_replication_slot(%s)) and start once with -snapshot.mode when_needed, which relays all rows that the table holds; "+
		"or send the events of those rows again, and start once with -slot.create", quoteLiteral(slot))
}

// tick sends a status if the position moved or the interval has passed, watches
// over a silent server, and lets the Handler do what it does in time.
func (s *Stream) tick(ctx context.Context, h Handler) error {
	if err := h.Tick(); err != nil {
		return err
	}
	now := time.Now()
	silent := now.Sub(s.wire.lastData())
	if err := s.checkSilence(ctx, silent); err != nil {
		return err
	}
	confirmed := h.Confirmed()
	ping := silent >= s.cfg.Silence/2 && !s.pinged
	if ping || confirmed > s.sent || now.Sub(s.sentAt) >= s.interval {
		s.pinged = s.pinged || ping
		return s.status(confirmed, ping)
	}
	return nil
}

// status tells the server what is confirmed. The library would replace a zero
// flush position by the write position and so confirm what was only received;
// a position above what was received would make the server skip rows. Neither
// can leave this function.
func (s *Stream) status(confirmed pglogrepl.LSN, ping bool) error {
	if confirmed < s.start.Confirmed || confirmed > s.received {
		return human("protocol", fmt.Errorf("slot %q: refusing to confirm %s, which is outside of what was received (%s to %s)", s.slot, confirmed, s.start.Confirmed, s.received))
	}
	if err := s.conn.Conn().SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return fmt.Errorf("confirm %s to slot %q: %w", confirmed, s.slot, err)
	}
	err := pglogrepl.SendStandbyStatusUpdate(context.Background(), s.conn, pglogrepl.StandbyStatusUpdate{
		WALWritePosition: s.received, WALFlushPosition: confirmed, WALApplyPosition: confirmed,
		ClientTime: time.Now(), ReplyRequested: ping,
	})
	if err != nil {
		return fmt.Errorf("confirm %s to slot %q: %w", confirmed, s.slot, err)
	}
	s.sent, s.sentAt = confirmed, time.Now()
	return nil
}

// Wait blocks until room is readable (nil) or ctx is done (its cause), while
// status updates go on. A Handler waits with it for the stages behind it, so
// that the server does not take a slow broker for a dead relay.
func (s *Stream) Wait(ctx context.Context, room <-chan struct{}, h Handler) error {
	ticker := time.NewTicker(s.cfg.TickInterval)
	defer ticker.Stop()
	defer func() { s.wire.touch(time.Now()) }()
	for {
		select {
		case <-room:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
			s.wire.touch(time.Now()) // nobody reads, so silence says nothing
			if err := s.tick(ctx, h); err != nil {
				return err
			}
		}
	}
}

// Finish confirms the Handler's position for the last time and takes leave of
// the server, so that it has surely arrived. The Stream must be closed after it.
func (s *Stream) Finish(ctx context.Context, h Handler) error {
	if err := s.status(h.Confirmed(), false); err != nil {
		return err
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(closeTimeout)
	}
	if err := s.conn.Conn().SetDeadline(deadline); err != nil {
		return fmt.Errorf("end the stream of slot %q: %w", s.slot, err)
	}
	_, err := pglogrepl.SendStandbyCopyDone(ctx, s.conn)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("end the stream of slot %q: %w", s.slot, err)
	}
	return nil
}

// Close closes the connection. The server keeps what was confirmed.
func (s *Stream) Close() error {
	s.closeSQL()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := s.conn.Close(ctx); err != nil {
		return fmt.Errorf("close the connection to PostgreSQL: %w", err)
	}
	return nil
}
