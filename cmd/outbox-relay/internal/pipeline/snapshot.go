package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/schema"
)

// prepare readies the server for the stream, and relays the snapshot before it if
// one is due. It returns neither a session nor an error if there is nothing to
// stream: the relay was stopped in the snapshot, or a snapshot was all it was
// started for. unacked counts the events of a snapshot that was broken off.
func (r *Relay) prepare(ctx context.Context) (s *replication.Session, unacked int, err error) {
	only := r.cfg.Replication.Snapshot == replication.InitialOnly
	for {
		s, err := replication.Prepare(ctx, r.database(), r.last, &reporter{r})
		if err != nil {
			return nil, 0, err
		}
		snap := s.Snapshot()
		switch {
		case snap == nil && !only:
			return s, 0, nil
		case snap == nil:
			s.Close()
			r.log.Info().Str("slot", r.cfg.Replication.Slot).Msg("the slot exists and no snapshot of it is unfinished, so there is none to take")
			return nil, 0, nil
		}
		unacked, done, err := r.snapshot(ctx, s, snap)
		s.Close()
		if err != nil || !done || only {
			return nil, unacked, err
		}
		r.snapshotted = true
	}
}

// database is the configuration for the next session: a snapshot at each start is
// taken once a process.
func (r *Relay) database() replication.Config {
	cfg := r.cfg.Replication
	if cfg.Snapshot == replication.Always && r.snapshotted {
		cfg.Snapshot = replication.Initial
	}
	return cfg
}

// snapshot relays the rows of a snapshot until the brokers have acknowledged all
// of them (done), or until the stop.
func (r *Relay) snapshot(ctx context.Context, s *replication.Session, snap *replication.Snapshot) (unacked int, done bool, err error) {
	f := newFlow(uint64(snap.LSN()), r.cfg.Limits, r.cfg.Metrics.delays)
	r.follow(f)
	defer f.spans.abandon()
	r.state.snapshot(f)
	defer r.state.ended()
	hard, cancel, wait := r.produce(ctx, f)
	h := r.newHandler(f, snap.LSN())
	h.snap = r.newProgress(snap.Rows(ctx))
	r.progress.Store(h.snap)
	defer r.progress.Store(nil)
	h.describe = func(*schema.Relation) error { return nil } // the snapshot has done it
	h.wait = func(room <-chan struct{}) error { return await(hard, room) }

	done, err = r.readSnapshot(ctx, hard, s, snap, h)
	cancel(err)
	if producerErr := wait(); producerErr != nil && errors.Is(err, errProducerEnded) {
		err = brokerProblem(r.cfg.Replication.Slot, producerErr)
	}
	return f.load().Records, done, err
}

// await waits until ch is readable, or returns why ctx is done.
func await(ctx context.Context, ch <-chan struct{}) error {
	select {
	case <-ch:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var errSnapshotStopped = errors.New("stopped in a snapshot")

func (r *Relay) readSnapshot(stop, hard context.Context, s *replication.Session, snap *replication.Snapshot, h *handler) (done bool, err error) {
	reading, end := context.WithCancelCause(hard)
	defer end(nil)
	defer context.AfterFunc(stop, func() { end(errSnapshotStopped) })()
	err = snap.Run(reading, h)
	if h.refused {
		r.deliver(hard, h, func(ctx context.Context) error { return await(ctx, h.flow.drained) })
		return false, err
	}
	if err != nil && !errors.Is(err, errSnapshotStopped) {
		return false, err
	}
	h.finish()
	if waitErr := await(hard, h.flow.drained); waitErr != nil {
		return false, waitErr
	}
	if err != nil {
		h.snap.tell("stopped in the snapshot, which begins again at the next start; everything read was acknowledged")
		return false, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(hard), finishTimeout)
	defer cancel()
	if err := s.FinishSnapshot(ctx); err != nil {
		return false, err
	}
	h.snap.tell("snapshot complete, everything in it was acknowledged")
	return true, nil
}

// finishTimeout bounds the note that a snapshot is complete.
const finishTimeout = 15 * time.Second
