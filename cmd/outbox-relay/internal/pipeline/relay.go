// Package pipeline joins the parts into a relay: it reads rows from the slot,
// routes them, gives them to the producer, and confirms what the brokers have
// acknowledged. It owns the session loop: connect, stream, lost, back off,
// connect.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
	"github.com/outbox-relay/outbox-relay/schema"
)

// Config is what a relay needs. Everything must be set, but for what says that it
// may be empty.
type Config struct {
	Replication     replication.Config
	Router          *router.Router
	ExcludeColumns  replication.List           // column.exclude.list: schema.table.column that the router does not see; may be empty
	Unavailable     []byte                     // unavailable.value.placeholder
	Heartbeat       Heartbeat                  // may be empty
	DropSlot        bool                       // slot.drop.on.stop
	After           func(*router.Record) error // changes each event's record behind the router; nil for nothing
	Columns         schema.Columns             // the router's
	Errors          Errors
	Producer        *kafka.Producer
	Limits          Limits
	ReadyMaxAge     time.Duration // ready.max-age: how old an unacknowledged event may be
	ShutdownTimeout time.Duration // how long a stop may wait for acknowledgements
	Tracer          Tracer        // nil for none
	Metrics         *Metrics
	Log             zerolog.Logger

	Database string   // for the log
	Brokers  []string // as above
}

// Relay is one slot being relayed.
type Relay struct {
	cfg   Config
	log   zerolog.Logger
	state state
	last  replication.Position
	lost  *logging.Repeated
	held  *logging.Repeated // the slot, by another process

	behind  *logging.Repeated // a standby
	standby atomic.Pointer[heldBack]

	sample     atomic.Pointer[replication.Sample]
	interrupt  atomic.Pointer[context.CancelCauseFunc] // ends the session that runs
	syncWarned atomic.Bool

	skip        *skipper                 // nil for nothing
	snapshotted bool                     // this process has relayed a snapshot
	progress    atomic.Pointer[progress] // of the snapshot that is read; nil while none is
	recent      recent
	backlog     backlog
	outboxes    outboxes
	unfit       string // why new rows may not be relayed, as last logged
	unread      unread // slots of other shards
}

// New makes a Relay. It does not connect; Run does.
func New(cfg Config) *Relay {
	r := &Relay{
		cfg: cfg, log: cfg.Log,
		lost: logging.NewRepeated(cfg.Log, "replication session lost, connecting again", "replication session restored", time.Now),
		held: logging.NewRepeated(cfg.Log, "waiting for the replication slot", "replication slot is free", time.Now),

		behind: logging.NewRepeated(cfg.Log, "PostgreSQL holds events back until a standby has them", "no standby holds events back", time.Now),
	}
	r.backlog.log = cfg.Log
	r.cfg.Replication.Routable = routable(&r.cfg)
	r.cfg.Replication.Found = r.outboxes.note
	r.skip = newSkipper(cfg.Errors.Skip, cfg.Log, cfg.Metrics)
	r.state.set(PhaseConnecting)
	cfg.Metrics.attach(r)
	return r
}

const (
	backoffFirst = 100 * time.Millisecond
	backoffMost  = 10 * time.Second
	// healthyAfter is how long a session must have lasted for the next trouble to
	// count as new.
	healthyAfter = time.Minute
)

// Run relays until ctx is done, then stops in good order: it reads to the end of
// the open transaction, waits for the acknowledgements and confirms them. It
// returns nil after a complete stop, and otherwise why it cannot go on.
// Transient trouble never ends it.
func (r *Relay) Run(ctx context.Context) error {
	if r.cfg.DropSlot {
		r.log.Warn().Str("slot", r.cfg.Replication.Slot).Msg("slot.drop.on.stop is on: events committed between a stop and the next start are not relayed")
	}
	backoff := backoffFirst
	for {
		began := time.Now()
		unacked, err := r.session(ctx)
		switch {
		case err == nil:
			return nil
		case !replication.Retryable(err, r.last.SystemID != ""), wornOut(err):
			r.state.fail(err)
			return err
		case ctx.Err() != nil && unacked > 0:
			return fmt.Errorf("stopped with %d events unacknowledged: %w", unacked, err)
		case ctx.Err() != nil:
			return nil // whatever the trouble is, nothing was left undone
		}
		if r.state.streamedFor() > healthyAfter || time.Since(began) > healthyAfter {
			backoff = backoffFirst
		}
		r.retry(ctx, err, backoff)
		backoff = min(2*backoff, backoffMost)
	}
}

// retry tells about the lost session and waits, with jitter, so that many relays
// do not come back in step.
func (r *Relay) retry(ctx context.Context, err error, backoff time.Duration) {
	reason := replication.Reason(err)
	r.state.fail(err)
	r.state.set(PhaseBackingOff)
	r.cfg.Metrics.reconnects.WithLabelValues(reason).Inc()
	wait := backoff/2 + rand.N(backoff)
	r.lost.Failed(err, func(e *zerolog.Event) { e.Str("reason", reason).Stringer("backoff", wait.Round(time.Millisecond)) })
	select {
	case <-ctx.Done():
	case <-time.After(wait):
	}
}

// session opens one stream and relays it until it ends. It returns nil only
// after a complete stop, and how many events it left unacknowledged.
func (r *Relay) session(ctx context.Context) (unacked int, err error) {
	r.state.set(PhaseConnecting)
	prepared, unacked, err := r.prepare(ctx)
	if prepared == nil {
		return unacked, err
	}
	stream, err := prepared.Stream(ctx)
	if err != nil {
		return 0, err
	}
	defer stream.Close() //nolint:errcheck // what mattered was confirmed by Finish
	position := stream.Position()
	f := newFlow(uint64(position.Confirmed), r.cfg.Limits, r.cfg.Metrics.delays)
	r.follow(f)
	defer f.spans.abandon()
	r.state.streaming(stream, f)
	defer r.state.ended()
	r.announce(position)

	err = r.relay(ctx, stream, f)
	position.Confirmed = pglogrepl.LSN(f.confirmed.Load())
	r.last = position
	if err == nil && r.cfg.DropSlot {
		stream.Close() //nolint:errcheck // the slot must be free
		r.dropSlot()
	}
	return f.load().Records, err
}

func (r *Relay) announce(p replication.Position) {
	r.held.Recovered()
	r.lost.Recovered()
	if r.skip != nil && r.skip.LSN != 0 {
		r.skip.passed(p.Confirmed) // of what came before, nothing comes any more
	}
	r.log.Info().Str("database", r.cfg.Database).Str("slot", r.cfg.Replication.Slot).Str("publication", r.cfg.Replication.Publication).
		Stringer("confirmed_lsn", p.Confirmed).Strs("brokers", r.cfg.Brokers).Str("system_id", p.SystemID).Int32("timeline", p.Timeline).Msg("streaming")
}

var errProducerEnded = errors.New("the producer ended")

// produce starts the producer on a flow. hard ends when cancel is called, when
// the producer gives up, and shutdown.timeout after ctx: a stop drains first. wait
// returns what the producer ended with.
func (r *Relay) produce(ctx context.Context, f *flow) (hard context.Context, cancel context.CancelCauseFunc, wait func() error) {
	hard, cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		r.state.set(PhaseStopping)
		r.log.Info().Str("cause", context.Cause(ctx).Error()).Int("unacked", f.load().Records).Msg("stopping")
		time.AfterFunc(r.cfg.ShutdownTimeout, func() { cancel(errShutdownTimeout) })
	})
	produced := make(chan error, 1)
	go func() {
		err := r.cfg.Producer.Run(hard, f)
		if err != nil {
			cancel(fmt.Errorf("%w: %w", errProducerEnded, err))
		}
		produced <- err
	}()
	return hard, cancel, func() error {
		unhook()
		return <-produced
	}
}

// relay runs reader and producer. The reader owns the stream and runs here; when
// either ends, the other is ended and waited for.
func (r *Relay) relay(ctx context.Context, stream *replication.Stream, f *flow) error {
	hard, cancel, wait := r.produce(ctx, f)
	r.interrupt.Store(&cancel)
	defer r.interrupt.Store(nil)
	h := r.newHandler(f, stream.Position().Confirmed)
	h.describe = func(rel *schema.Relation) error { return stream.Describe(hard, rel) }
	h.nameNow = func(oid uint32) (string, string, error) { return stream.NameNow(hard, oid) }
	h.isNamed = func(oid uint32) (bool, error) { return stream.NamedByPublication(hard, oid) }
	h.wait = func(room <-chan struct{}) error { return stream.Wait(hard, room, h) }
	defer r.startHeart(hard, h)()

	err := r.read(ctx, hard, stream, h)
	cancel(err)
	if err != nil && !errors.Is(err, errProducerEnded) {
		stream.Close() //nolint:errcheck // a server that shuts down must not wait for the producer's last answers
	}
	if producerErr := wait(); producerErr != nil && errors.Is(err, errProducerEnded) {
		err = brokerProblem(r.cfg.Replication.Slot, producerErr)
		r.farewell(stream, h)
	}
	return err
}

// dropTimeout bounds slot.drop.on.stop: the server frees the slot soon after the
// stream has ended.
const dropTimeout = 10 * time.Second

// dropSlot does what slot.drop.on.stop asks for. The stop was complete, so a
// failure is told and changes nothing.
func (r *Relay) dropSlot() {
	ctx, cancel := context.WithTimeout(context.Background(), dropTimeout)
	defer cancel()
	if err := replication.DropSlot(ctx, r.cfg.Replication); err != nil {
		r.log.Error().Err(err).Msg("slot.drop.on.stop: the slot is still there and keeps WAL")
		return
	}
	r.log.Warn().Str("slot", r.cfg.Replication.Slot).Msg("slot.drop.on.stop: slot dropped; events committed before the next start are not relayed")
}

// newHandler makes the reader's side of a flow that starts at a position.
func (r *Relay) newHandler(f *flow, at pglogrepl.LSN) *handler {
	return &handler{
		trace: r.cfg.Tracer, flow: f, at: uint64(at), slot: r.cfg.Replication.Slot, router: r.cfg.Router, after: r.cfg.After, tables: &r.cfg.Replication.Tables, outboxes: &r.outboxes, messages: &r.cfg.Replication.Messages,
		exclude: r.cfg.ExcludeColumns, missing: r.cfg.Unavailable,
		errors: r.cfg.Errors, skip: r.skip, columns: r.cfg.Columns, kinds: r.cfg.Metrics.kinds,
		metrics: r.cfg.Metrics, ignored: ignored{log: r.log}, targets: make(map[*schema.Relation]*target),
	}
}

var errShutdownTimeout = errors.New("shutdown.timeout passed before everything was acknowledged; what was not is sent again at the next start")

// read reads until the stop, then waits for the acknowledgements and confirms.
func (r *Relay) read(stop, hard context.Context, stream *replication.Stream, h *handler) error {
	if err := stream.Run(hard, stop, h); err != nil {
		if h.refused {
			r.deliver(hard, h, func(ctx context.Context) error { return stream.Wait(ctx, h.flow.drained, h) })
			r.farewell(stream, h)
		} else if replication.ClassOf(err) == replication.Human {
			r.deliverRest(hard, stream, h)
		}
		return err
	}
	h.finish()
	err := h.wait(h.flow.drained)
	if errors.Is(err, errShutdownTimeout) {
		r.farewell(stream, h)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(hard), farewellTimeout)
	defer cancel()
	if err := stream.Finish(ctx, h); err != nil {
		return err
	}
	r.log.Info().Stringer("confirmed_lsn", h.Confirmed()).Msg("stopped, everything relayed is confirmed")
	return nil
}

// deliver lets the rows before a refused one arrive, for no restart would get
// past it: they are acknowledged within shutdown.timeout. wait waits for that.
func (r *Relay) deliver(hard context.Context, h *handler, wait func(context.Context) error) {
	ctx, cancel := context.WithTimeout(hard, r.cfg.ShutdownTimeout)
	defer cancel()
	h.finish()
	if err := wait(ctx); err != nil {
		r.log.Debug().Err(err).Msg("rows before the refused one were not all acknowledged")
	}
}

// deliverRest does the same where the server ended the stream at what no restart gets
// past. What comes before must not wait in a slot that a person may have to drop.
func (r *Relay) deliverRest(hard context.Context, stream *replication.Stream, h *handler) {
	r.deliver(hard, h, func(ctx context.Context) error { return stream.Wait(ctx, h.flow.drained, h) })
	stream.Close() //nolint:errcheck // the slot must be free
	ctx, cancel := context.WithTimeout(context.Background(), farewellTimeout)
	defer cancel()
	if err := replication.Advance(ctx, r.cfg.Replication, h.Confirmed()); err != nil {
		r.log.Debug().Err(err).Msg("last position was not confirmed")
	}
}

// farewellTimeout bounds the last words to the server.
const farewellTimeout = 3 * time.Second

// farewell confirms what was acknowledged before an end with an error, so that
// less is sent again. Its own failure changes nothing.
func (r *Relay) farewell(stream *replication.Stream, h *handler) {
	ctx, cancel := context.WithTimeout(context.Background(), farewellTimeout)
	defer cancel()
	if err := stream.Finish(ctx, h); err != nil {
		r.log.Debug().Err(err).Msg("last position was not confirmed")
	}
}
