package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// round is one run of a plan, with a database, a slot and topics of its own.
type round struct {
	stand *stand
	plan  plan
	name  string // of database and slot
	slot  string
	types []string

	relay    *relay
	consumer *judge.Consumer
	before   int // records that the topics held at the begin
	report   judge.Report

	ignoreMemory bool

	mu       sync.Mutex
	began    time.Time
	notes    []string // for the log of a failed round
	problems []string // what failed
}

// run does everything. What fails is in r.problems and r.report.
func (r *round) run(ctx context.Context) {
	r.began = time.Now()
	if err := r.prepare(ctx); err != nil {
		r.fail("prepare: %v", err)
		return
	}
	if err := r.suffer(ctx); err != nil {
		r.fail("%v", err)
	}
	r.stand.heal()
	if ctx.Err() == nil {
		r.finish(ctx)
	}
}

const setupTimeout = time.Minute

// prepare makes the database, the topics, the reader and the first relay.
func (r *round) prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, setupTimeout)
	defer cancel()
	if err := r.prepareDatabase(ctx); err != nil {
		return err
	}
	config := judge.ConsumerConfig{Brokers: r.stand.kafka.Addrs()}
	var err error
	if r.plan.late {
		config.Topics = r.topics() // the relay makes them
	} else if config.From, err = r.stand.kafka.EndOffsets(ctx, r.topics()...); err != nil {
		return err
	}
	r.before = sum(config.From)
	if r.consumer, err = judge.NewConsumer(config); err != nil {
		return err
	}
	if r.plan.before > 0 {
		before := r.load()
		before.Rows, before.RowsPerSecond = r.plan.before, 0
		if err := load.New(before).Run(ctx); err != nil {
			return err
		}
		return r.relay.start() // the faults shall meet the snapshot
	}
	if err := r.relay.start(); err != nil {
		return err
	}
	_, err = r.relay.current().WaitLog(ctx, 0, procs.Field("message", "streaming"))
	return err
}

func (r *round) prepareDatabase(ctx context.Context) error {
	if err := r.stand.postgres.CreateDatabase(ctx, r.name); err != nil {
		return err
	}
	if err := load.CreateTable(ctx, r.stand.postgres.DSN(r.name), ""); err != nil {
		return err
	}
	return r.withConn(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `CREATE TABLE other (n int, text text)`)
		return err
	})
}

// launch starts a relay process over the links.
func (r *round) launch() (*procs.Proc, error) {
	dsn, err := r.stand.dsn(r.name)
	if err != nil {
		return nil, err
	}
	args := append([]string{
		"-database.url", dsn, "-slot.name", r.slot, "-bootstrap.servers", r.stand.bootstrap(),
		"-topic.prefix", topicPrefix, "-web.listen-address", "127.0.0.1:0",
	}, r.plan.options...)
	return procs.Start(procs.Config{Path: r.stand.relay, Args: args, Env: []string{"GORACE=halt_on_error=1 exitcode=66"}})
}

// load is what the writers do.
func (r *round) load() load.Config {
	config := r.plan.load
	config.DSN, config.AggregateTypes = r.stand.postgres.DSN(r.name), r.types
	return config
}

// longestWait is how long the load may go on because a fault takes longer than it was meant to: a broker that starts on a
// busy machine.
const longestWait = 5 * time.Second

// suffer writes the load and lets the faults happen, all of which are over when it returns.
func (r *round) suffer(ctx context.Context) error {
	work := load.New(r.load())
	writing, stop := context.WithCancel(ctx)
	defer stop()
	var loadErr error
	var others, faults sync.WaitGroup
	others.Go(func() { loadErr = work.Run(writing) })
	if r.plan.others > 0 {
		others.Go(func() { r.writeOthers(writing) })
	}
	first, cancel := context.WithTimeout(ctx, setupTimeout)
	err := work.WaitRows(first, 1)
	cancel()
	if err == nil {
		for _, f := range r.plan.faults {
			faults.Go(func() { r.happen(ctx, f) })
		}
		pause(ctx, r.plan.length)
		defer time.AfterFunc(longestWait, stop).Stop()
	}
	faults.Wait()
	stop()
	others.Wait()
	return errors.Join(err, loadErr)
}

// happen makes one fault.
func (r *round) happen(ctx context.Context, f fault) {
	pause(ctx, f.at)
	if ctx.Err() != nil {
		return
	}
	r.note("%s begins", f)
	var watch sync.WaitGroup
	if r.plan.patient {
		watch.Go(func() { r.mustTurnRed(ctx, f) })
	}
	if err := f.kind.do(ctx, r, f); err != nil {
		r.fail("%s: %v", f, err)
	}
	r.note("%s is over", f)
	watch.Wait()
}

func (r *round) topics() []string {
	topics := make([]string, len(r.types))
	for i, kind := range r.types {
		topics[i] = load.Topic(kind)
	}
	return topics
}

// connectTimeout is how long a server that restarts is waited for.
const connectTimeout = 30 * time.Second

// withConn runs do on a connection past the link. A server that is down is waited for, and do is tried again when its
// connection breaks.
func (r *round) withConn(ctx context.Context, do func(*pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return poll.Until(ctx, 50*time.Millisecond, func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, r.stand.postgres.DSN(r.name))
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		return do(conn)
	})
}

// fail notes a failure of the round.
func (r *round) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.note("FAILURE: %s", text)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problems = append(r.problems, text)
}

// note adds a line to the round's log.
func (r *round) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := time.Now()
	r.notes = append(r.notes, fmt.Sprintf("%s +%dms ", at.UTC().Format("15:04:05.000"), at.Sub(r.began).Milliseconds())+fmt.Sprintf(format, args...))
}

// close ends and removes all that belongs to the round.
func (r *round) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), setupTimeout)
	defer cancel()
	var errs []error
	errs = append(errs, r.relay.close())
	if r.consumer != nil {
		r.consumer.Close()
	}
	errs = append(errs, r.stand.drop(ctx, r.name))
	return errors.Join(errs...)
}
