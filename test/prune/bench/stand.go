package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

const (
	database      = "bench"
	prunerPackage = "github.com/outbox-relay/outbox-relay/cmd/outbox-pruner"
	startTimeout  = 5 * time.Minute // builds included
	passTimeout   = 30 * time.Minute

	setup = `CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), aggregatetype varchar(255) NOT NULL, aggregateid varchar(255) NOT NULL,
			type varchar(255) NOT NULL, payload jsonb, created_at timestamptz NOT NULL DEFAULT clock_timestamp());
		CREATE INDEX ON outbox (created_at);
		CREATE PUBLICATION outbox_relay FOR TABLE outbox WITH (publish = 'insert');
		CREATE TABLE outbox_pruner (name text PRIMARY KEY, state jsonb NOT NULL, updated_at timestamptz NOT NULL DEFAULT now())`

	insert = `INSERT INTO outbox (aggregatetype, aggregateid, type, payload)
		SELECT 'order', i::text, 'Changed', jsonb_build_object('pad', repeat('x', 280)) FROM generate_series(1, $1::int) i`
)

// stand is the servers and programs of a run.
type stand struct {
	choices
	dir     string
	server  *pgserver.Server
	cluster *kfake.Cluster
	relay   *procs.Proc
	pruner  string // path of the program
	conn    *pgx.Conn
	dsn     string
}

func newStand(ctx context.Context, c choices) (*stand, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	s := &stand{choices: c}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *stand) start(ctx context.Context) (err error) {
	if s.dir, err = os.MkdirTemp("", "outbox-prunebench-"); err != nil {
		return fmt.Errorf("make a folder for the programs: %w", err)
	}
	relay, err := procs.Build(ctx, procs.RelayPackage, s.dir)
	if err != nil {
		return err
	}
	if s.pruner, err = procs.Build(ctx, prunerPackage, s.dir); err != nil {
		return err
	}
	if s.server, err = pgserver.Start(ctx, pgserver.Config{Settings: map[string]string{
		"fsync": strconv.FormatBool(s.fsync), "full_page_writes": "on", "shared_buffers": "1GB", "max_wal_size": "4GB", "autovacuum_naptime": "10s",
	}}); err != nil {
		return err
	}
	if err := s.server.CreateDatabase(ctx, database); err != nil {
		return err
	}
	s.dsn = s.server.DSN(database)
	if s.conn, err = pgx.Connect(ctx, s.dsn); err != nil {
		return err
	}
	if _, err := s.conn.Exec(ctx, setup); err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	if s.cluster, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "outbox.event.order")); err != nil {
		return fmt.Errorf("start the broker: %w", err)
	}
	s.relay, err = procs.Start(procs.Config{Path: relay, Args: []string{"-database.url", s.dsn, "-slot.create",
		"-bootstrap.servers", strings.Join(s.cluster.ListenAddrs(), ","), "-web.listen-address", "127.0.0.1:0", "-log.format", "json"}})
	if err != nil {
		return err
	}
	if _, err := s.relay.WaitLog(ctx, 0, procs.Field("message", "streaming")); err != nil {
		return err
	}
	return s.prune(ctx) // so that all that comes can be proven
}

func (s *stand) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var errs []error
	if s.relay != nil {
		errs = append(errs, s.relay.Close())
	}
	if s.conn != nil {
		errs = append(errs, s.conn.Close(ctx))
	}
	if s.cluster != nil {
		s.cluster.Close()
	}
	if s.server != nil {
		errs = append(errs, s.server.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

// prune makes one pass.
func (s *stand) prune(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, passTimeout)
	defer cancel()
	p, err := procs.Start(procs.Config{Path: s.pruner, Args: []string{"-database.url", s.dsn, "-once", "-retention", "0s", "-table.field.event.timestamp", "created_at",
		"-confirm.timeout", "5m", "-batch.size", strconv.Itoa(s.batch), "-pause", s.pause.String()}})
	if err != nil {
		return err
	}
	code, err := p.Wait(ctx)
	if err == nil && code != 0 {
		err = fmt.Errorf("the pruner ended with %d:\n%s", code, p.Tail(5))
	}
	return errors.Join(err, p.Close())
}

// fill commits a backlog and waits until the relay has it.
func (s *stand) fill(ctx context.Context, rows int) error {
	for rows > 0 {
		n := min(rows, 10_000)
		if _, err := s.conn.Exec(ctx, insert, n); err != nil {
			return fmt.Errorf("fill the outbox: %w", err)
		}
		rows -= n
	}
	var at string
	if err := s.conn.QueryRow(ctx, `SELECT pg_current_wal_lsn()::text`).Scan(&at); err != nil {
		return err
	}
	for done := false; !done; {
		if err := s.conn.QueryRow(ctx, `SELECT confirmed_flush_lsn >= $1::text::pg_lsn FROM pg_replication_slots WHERE slot_name = 'outbox_relay'`, at).Scan(&done); err != nil {
			return fmt.Errorf("wait for the relay: %w", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	// What the fill left to do for the server is not to fall into the first phase that is measured.
	_, err := s.conn.Exec(ctx, `CHECKPOINT`)
	return err
}

// measure makes all rounds. The phase without the pruner comes first in one round and last in the next, so that what only
// time changes does not look like the pruner's doing.
func measure(ctx context.Context, c choices, stderr io.Writer) (rounds []round, err error) {
	s, err := newStand(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	length := firstLength
	for i := range c.rounds {
		fmt.Fprintf(stderr, "round %d of %d\n", i+1, c.rounds)
		if err := s.fill(ctx, c.rows/c.rounds); err != nil {
			return nil, err
		}
		r, err := s.round(ctx, i%2 == 0, length)
		if err != nil {
			return nil, err
		}
		length = r.took
		rounds = append(rounds, r)
	}
	return rounds, nil
}

// firstLength is that of the first phase without the pruner; later ones last as long as the last one with it.
const firstLength = 10 * time.Second

// round measures both phases.
func (s *stand) round(ctx context.Context, withoutFirst bool, length time.Duration) (r round, err error) {
	idle := func() error {
		r.without, err = s.inserts(ctx, func(ctx context.Context) error {
			select {
			case <-ctx.Done():
			case <-time.After(length):
			}
			return ctx.Err()
		})
		return err
	}
	pruning := func() error {
		r.with, err = s.inserts(ctx, func(ctx context.Context) error {
			began := time.Now()
			if err := s.prune(ctx); err != nil {
				return err
			}
			r.took, r.pruned = time.Since(began), s.rows/s.rounds
			return nil
		})
		return err
	}
	phases := []func() error{pruning, idle}
	if withoutFirst {
		phases = []func() error{idle, pruning}
	}
	for _, phase := range phases {
		if err := phase(); err != nil {
			return r, err
		}
	}
	return r, nil
}
