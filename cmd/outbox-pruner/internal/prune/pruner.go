package prune

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/replication"
)

// Pruner prunes the tables of one configuration. Make it with New.
type Pruner struct {
	cfg   Config
	log   zerolog.Logger
	state *state
	told  map[string]bool
	lost  *logging.Repeated

	conn   *pgx.Conn
	worked bool // a pass has succeeded
}

// New makes a Pruner. It does not connect; Run does.
func New(cfg Config) *Pruner {
	return &Pruner{
		cfg: cfg, log: cfg.Log, state: newState(cfg), told: map[string]bool{},
		lost: logging.NewRepeated(cfg.Log, "pass failed, trying again", "passes succeed again", time.Now),
	}
}

const (
	backoffFirst = 500 * time.Millisecond
	backoffMost  = 30 * time.Second
)

// Run makes passes until ctx is done, or one if the configuration says so. It returns nil after a stop that was asked for and after one
// good pass, otherwise why it cannot go on. Transient trouble does not end a daemon; a run of one pass it does.
func (p *Pruner) Run(ctx context.Context) error {
	defer func() { closeConn(p.conn) }()
	for backoff := backoffFirst; ; {
		err := p.all(ctx)
		p.state.ran(err)
		switch {
		case ctx.Err() != nil && !p.cfg.Once:
			return nil
		case err == nil && p.cfg.Once:
			return nil
		case err == nil:
			p.lost.Recovered()
			p.worked, backoff = true, backoffFirst
			wait(ctx, p.cfg.Interval)
			continue
		case p.cfg.Once, !replication.Retryable(err, p.worked):
			return err
		}
		p.cfg.Metrics.failed(replication.Reason(err))
		pause := backoff
		if isLate(err) {
			pause = p.cfg.Interval // it has waited for the slots already
		} else {
			backoff = min(2*backoff, backoffMost)
		}
		p.lost.Failed(err, func(e *zerolog.Event) { e.Str("reason", replication.Reason(err)).Stringer("backoff", pause) })
		wait(ctx, pause)
	}
}

// wait pauses with jitter of a tenth, so that many pruners do not come in step.
func wait(ctx context.Context, d time.Duration) {
	d += rand.N(d/5+1) - d/10
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func isLate(err error) bool {
	var late *unconfirmed
	return errors.As(err, &late)
}

// all makes one pass over each table. Trouble with one does not keep the others from theirs, unless the connection is gone.
func (p *Pruner) all(ctx context.Context) (err error) {
	if p.conn == nil {
		if p.conn, err = p.open(ctx); err != nil {
			p.conn = nil
			return err
		}
	}
	var errs []error
	for _, target := range p.cfg.Targets {
		err := p.prune(ctx, p.conn, target)
		errs = append(errs, err)
		if ctx.Err() != nil || p.conn.IsClosed() {
			break
		}
	}
	err = gravest(errs)
	if err != nil && !isLate(err) {
		closeConn(p.conn) // whatever state it is in
		p.conn = nil
	}
	return err
}

// gravest puts errors together so that the one decides that is hardest to mend.
func gravest(errs []error) error {
	var worst error
	for _, err := range errs {
		if err != nil && (worst == nil || replication.ClassOf(err) > replication.ClassOf(worst)) {
			worst = err
		}
	}
	var others []error
	for _, err := range errs {
		if err != nil && !errors.Is(err, worst) {
			others = append(others, err)
		}
	}
	if others == nil {
		return worst
	}
	return &replication.Problem{Class: replication.ClassOf(worst), Reason: replication.Reason(worst), Err: errors.Join(append([]error{worst}, others...)...)}
}

// once reports true the first time for a remark.
func (p *Pruner) once(remark string) bool {
	if p.told[remark] {
		return false
	}
	p.told[remark] = true
	return true
}
