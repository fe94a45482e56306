package floor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// Source is the slot to read.
type Source struct {
	DSN         string // of the database, without replication=database
	Slot        string
	Publication string
}

const (
	readBuffer   = 256 << 10        // bytes of one read of the socket, as the relay has it
	statusEvery  = time.Second      // between two reports of what is confirmed, as the relay does it
	slotBusy     = "55006"          // SQLSTATE object_in_use: the process before us was killed a moment ago
	slotTimeout  = 10 * time.Second // for that one to be gone
	slotInterval = 5 * time.Millisecond
)

// stream is a running replication stream. It belongs to one goroutine.
type stream struct {
	conn      *pgconn.PgConn
	confirmed pglogrepl.LSN
	sentAt    time.Time
}

// handler gets the messages of a stream. insert gets a whole Insert message, which it must not keep; commit the end of
// a transaction. confirm says up to where the server may forget.
type handler interface {
	insert(ctx context.Context, msg []byte) error
	commit(end pglogrepl.LSN)
	confirm() pglogrepl.LSN
}

// errEnough is what a handler returns when it has seen all it wants.
var errEnough = errors.New("all rows were read")

// open connects and starts the stream, again and again while another process has the slot. wrap, if not nil, is put
// around the connection's reading side.
func open(ctx context.Context, source Source, wrap func(io.Reader) io.Reader) (*stream, error) {
	ctx, cancel := context.WithTimeout(ctx, slotTimeout)
	defer cancel()
	ticker := time.NewTicker(slotInterval)
	defer ticker.Stop()
	for {
		s, err := openOnce(ctx, source, wrap)
		var pgErr *pgconn.PgError
		if err == nil || !errors.As(err, &pgErr) || pgErr.Code != slotBusy {
			return s, err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}

func openOnce(ctx context.Context, source Source, wrap func(io.Reader) io.Reader) (*stream, error) {
	config, err := pgconn.ParseConfig(source.DSN)
	if err != nil {
		return nil, err // pgconn leaves the password out
	}
	config.RuntimeParams["replication"] = "database"
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		if wrap != nil {
			r = wrap(r)
		}
		return pgproto3.NewFrontend(bufio.NewReaderSize(r, readBuffer), w)
	}
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	err = pglogrepl.StartReplication(ctx, conn, source.Slot, 0, pglogrepl.StartReplicationOptions{
		PluginArgs: []string{"proto_version '1'", "publication_names '" + source.Publication + "'"},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start replication on slot %q: %w", source.Slot, err), conn.Close(ctx))
	}
	return &stream{conn: conn, sentAt: time.Now()}, nil
}

// run reads until the handler has had enough (nil) or anything fails.
func (s *stream) run(ctx context.Context, h handler) error {
	for {
		msg, err := s.conn.Frontend().Receive()
		if err != nil {
			return fmt.Errorf("read the slot: %w", err)
		}
		switch msg := msg.(type) {
		case *pgproto3.CopyData:
			err = s.handle(ctx, msg.Data, h)
		case *pgproto3.ErrorResponse:
			err = pgconn.ErrorResponseToPgError(msg)
		}
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *stream) handle(ctx context.Context, data []byte, h handler) error {
	if len(data) == 0 {
		return errors.New("read the slot: an empty message")
	}
	due := false
	switch data[0] {
	case pglogrepl.XLogDataByteID:
		xlog, err := pglogrepl.ParseXLogData(data[1:])
		if err != nil {
			return err
		}
		if err := dispatch(ctx, xlog.WALData, h); err != nil {
			return err
		}
		due = time.Since(s.sentAt) > statusEvery
	case pglogrepl.PrimaryKeepaliveMessageByteID:
		keepalive, err := pglogrepl.ParsePrimaryKeepaliveMessage(data[1:])
		if err != nil {
			return err
		}
		due = keepalive.ReplyRequested
	}
	if !due {
		return nil
	}
	return s.report(ctx, h.confirm())
}

// report tells the server what is confirmed. A zero position changes nothing there.
func (s *stream) report(ctx context.Context, confirmed pglogrepl.LSN) error {
	s.confirmed, s.sentAt = max(s.confirmed, confirmed), time.Now()
	status := pglogrepl.StandbyStatusUpdate{WALWritePosition: s.confirmed, WALFlushPosition: s.confirmed, WALApplyPosition: s.confirmed}
	if err := pglogrepl.SendStandbyStatusUpdate(ctx, s.conn, status); err != nil {
		return fmt.Errorf("report the confirmed position: %w", err)
	}
	return nil
}
