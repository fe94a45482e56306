package replication

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"
)

// Sample is what the catalog says about the slot at one moment. It comes over a
// connection of its own, so that it tells the truth when the stream is dead.
type Sample struct {
	At       time.Time
	Err      error         // the sample could not be taken; the rest is then empty
	ServerAt pglogrepl.LSN // where the server writes now
	Slot     SlotInfo
	SlotGone bool
	Tables   error  // not nil: the publication does not carry the outbox table as it must
	Sync     string // sync_state of the relay's walsender, "" if it has none
	XminAge  int64  // age of the slot's catalog_xmin in transactions

	Unread []string // slots of the other shards that nobody reads
}

// Retained is how many bytes of WAL the server keeps for the slot.
func (s *Sample) Retained() int64 { return distance(s.ServerAt, pglogrepl.LSN(s.Slot.RestartLSN)) }

// Unconfirmed is how many bytes of WAL were written since the confirmed position.
func (s *Sample) Unconfirmed() int64 {
	return distance(s.ServerAt, pglogrepl.LSN(s.Slot.ConfirmedFlushLSN))
}

func distance(to, from pglogrepl.LSN) int64 {
	if to < from {
		return 0
	}
	return int64(to - from)
}

// tablesEvery is how many samples share one look at publication and tables,
// which takes a scan of pg_class. A bad one is looked at again at once.
const tablesEvery = 2

// Monitor samples the slot every interval until ctx is done, after a failure
// sooner. It reconnects by itself, and tells a failure as a Sample with Err.
func Monitor(ctx context.Context, cfg Config, interval time.Duration, tell func(Sample)) {
	m := monitor{cfg: &cfg}
	defer m.close()
	for {
		sample := m.take(ctx, interval)
		if ctx.Err() != nil {
			return
		}
		tell(sample)
		pause := interval
		if sample.Err != nil || m.taken <= firstSamples {
			pause = min(interval, afterFailure)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

const (
	// afterFailure is when a failed sample is taken again.
	afterFailure = time.Second
	// firstSamples follow each other as fast: the first is older than the stream.
	firstSamples = 3
)

// monitor keeps its connection from one sample to the next.
type monitor struct {
	cfg    *Config
	conn   *pgx.Conn
	taken  int
	tables error // as last looked at
	unread []string
}

func (m *monitor) close() {
	closeSQL(m.conn)
	m.conn = nil
}

// take samples once and drops the connection on an error.
func (m *monitor) take(ctx context.Context, timeout time.Duration) Sample {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	sample, err := m.sample(ctx)
	if err != nil {
		m.close()
		return Sample{At: time.Now(), Err: fmt.Errorf("watch slot %q: %w", m.cfg.Slot, err)}
	}
	m.taken++
	return sample
}

func (m *monitor) sample(ctx context.Context) (s Sample, err error) {
	s.At = time.Now()
	if m.conn == nil {
		if m.conn, err = m.cfg.Dial(ctx); err != nil {
			return s, err
		}
	}
	found := false
	if s.Slot, found, err = findSlot(ctx, m.conn, m.cfg.Slot); err != nil {
		return s, err
	}
	s.SlotGone = !found
	if err := serverSide(ctx, m.conn, m.cfg, &s); err != nil {
		return s, err
	}
	if m.tables != nil || m.taken%tablesEvery == 0 {
		if m.tables, err = publicationState(ctx, m.conn, m.cfg); err != nil {
			return s, err
		}
		if err := m.siblings(ctx); err != nil {
			return s, err
		}
	}
	s.Unread = m.unread
	s.Tables = m.tables
	return s, nil
}

func serverSide(ctx context.Context, conn *pgx.Conn, cfg *Config, s *Sample) error {
	var lsn string
	err := conn.QueryRow(ctx, `SELECT `+serverEnd+`,
		coalesce((SELECT r.sync_state FROM pg_catalog.pg_stat_replication r WHERE r.pid = $2), ''),
		coalesce((SELECT age(catalog_xmin) FROM pg_catalog.pg_replication_slots WHERE slot_name = $1), 0)::int8`,
		cfg.Slot, s.Slot.ActivePID).Scan(&lsn, &s.Sync, &s.XminAge)
	if err != nil {
		return err
	}
	s.ServerAt, err = pglogrepl.ParseLSN(lsn)
	return err
}

// publicationState tells a failed look-up (second result) from a publication
// that is not as it must be (first result).
func publicationState(ctx context.Context, conn *pgx.Conn, cfg *Config) (problem, err error) {
	tables, err := findTables(ctx, conn, cfg)
	switch {
	case err != nil && ClassOf(err) == Configuration:
		return err, nil
	case err != nil:
		return nil, err
	}
	pub, err := readPublication(ctx, conn, cfg.Publication)
	if errors.Is(err, pgx.ErrNoRows) {
		return configuration("no_publication", fmt.Errorf("publication %q does not exist any more", cfg.Publication)), nil
	}
	if err != nil {
		return nil, err
	}
	if err := markPublished(ctx, conn, cfg.Publication, tables); err != nil {
		return nil, err
	}
	if problem := checkPublication(cfg, pub, tables); problem != nil || cfg.Routable == nil {
		return problem, nil
	}
	return checkColumns(ctx, conn, cfg, tables)
}

// checkColumns asks whether new rows could be relayed, before the first one that
// cannot stops the relay: a column was dropped or renamed, or a column list hides it.
func checkColumns(ctx context.Context, conn *pgx.Conn, cfg *Config, tables []table) (problem, err error) {
	problem, err = unroutable(ctx, conn, cfg, tables)
	if problem != nil {
		problem = configuration("table_columns", fmt.Errorf("the next row will stop the relay: %w", problem))
	}
	return problem, err
}
