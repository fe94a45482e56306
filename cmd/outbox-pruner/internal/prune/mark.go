package prune

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/proof"
	"github.com/outbox-relay/outbox-relay/replication"
)

const (
	// pollFirst is the pause between the first looks at a slot that has not confirmed yet; a relay does so within a second.
	pollFirst = 20 * time.Millisecond
	pollMost  = 500 * time.Millisecond
	// marksPer is how many marks a retention is divided by: ages by observation are late by at most that part.
	marksPer = 50
)

// unconfirmed is why a mark was not made: the slots did not get there in time. What was proven before stays proven.
type unconfirmed struct {
	slots []string
	after time.Duration
	lag   pglogrepl.LSN // bytes that the last slot was behind
}

func (e *unconfirmed) Error() string {
	return fmt.Sprintf("replication slot %s has not confirmed what was committed %s ago (%d bytes of WAL behind): the relay is down, far behind, or stuck. Rows that were proven before are deleted, later ones kept",
		strings.Join(e.slots, ", "), e.after.Round(time.Millisecond), e.lag)
}

// mark brings the ledger up to now: everything committed before is proven when it returns nil. The order of its steps is the proof;
// package proof says why.
func (p *Pruner) mark(ctx context.Context, conn *pgx.Conn, t *catalog.Table, ledger *proof.Ledger) (*look, error) {
	if err := p.stamp(ctx, conn); err != nil {
		return nil, err
	}
	before, err := p.lookAt(ctx, conn, t)
	if err != nil {
		return nil, err
	}
	if slot := before.unfinished(p.cfg.names(), conn.Config().Database); slot != "" {
		return nil, &replication.Problem{Class: replication.Transient, Reason: "snapshot", Err: fmt.Errorf("the relay's snapshot is not finished (slot %q is there), and may have to read the table again", slot)}
	}
	fresh, err := catalog.FreshXID(ctx, conn)
	if err != nil {
		return nil, err
	}
	// Later than the number, so that a row's own time that is not before it shows a row from after both.
	if before.evidence.At, err = catalog.Clock(ctx, conn); err != nil {
		return nil, err
	}
	p.tellBroken(t, ledger.Begin(&before.evidence, fresh))
	ledger.Forget(p.cfg.names())
	horizon, err := catalog.Horizon(ctx, conn)
	if err != nil {
		return nil, err
	}
	if err := p.tellHolder(ctx, conn); err != nil {
		return nil, err
	}
	target, err := catalog.InsertLSN(ctx, conn)
	if err != nil {
		return nil, err
	}
	at, err := catalog.Clock(ctx, conn) // later than the horizon, so that no row is taken for older than it is
	if err != nil {
		return nil, err
	}
	seen, waitErr := p.await(ctx, conn, before, target)
	if waitErr != nil {
		return before, waitErr
	}
	return before, p.finish(ctx, conn, t, ledger, before, seen, horizon, at)
}

// finish notes the mark if nothing has changed meanwhile.
func (p *Pruner) finish(ctx context.Context, conn *pgx.Conn, t *catalog.Table, ledger *proof.Ledger, before *look, seen map[string]proof.Sighting, horizon proof.XID, at time.Time) error {
	after, err := p.lookAt(ctx, conn, t)
	if err != nil {
		return err
	}
	if !after.evidence.Same(&before.evidence) {
		return &replication.Problem{Class: replication.Transient, Reason: "changed", Err: fmt.Errorf("publication or table %s changed while the slots were waited for", t.Name)}
	}
	if broken := ledger.Finish(seen, horizon, at, p.spacing(t)); broken != nil {
		return &replication.Problem{Class: replication.Transient, Reason: "changed", Err: fmt.Errorf("nothing shows that replication slot %s is still the one that was waited for", strings.Join(broken, ", "))}
	}
	return nil
}

// spacing is how far marks are to be apart.
func (p *Pruner) spacing(t *catalog.Table) time.Duration {
	for _, target := range p.cfg.Targets {
		if target.Table == t.Name {
			return target.Retention / marksPer
		}
	}
	return 0
}

// await waits until every slot has confirmed the target, and returns how they looked then.
func (p *Pruner) await(ctx context.Context, conn *pgx.Conn, l *look, target pglogrepl.LSN) (map[string]proof.Sighting, error) {
	began, nudged := time.Now(), false
	for pause := pollFirst; ; pause = min(2*pause, pollMost) {
		late := &unconfirmed{}
		for _, s := range p.cfg.Slots {
			if at := l.evidence.Slots[s.Name].Confirmed; at < target {
				late.slots, late.lag = append(late.slots, s.Name), target-at
			}
		}
		if late.slots == nil {
			return l.evidence.Slots, nil
		}
		if late.after = time.Since(began); late.after >= p.cfg.ConfirmTimeout {
			return nil, late
		}
		if late.after > time.Second && !nudged {
			// The position may be behind the header of a page on which nothing was written yet: no record ends there.
			nudged = true
			p.patience(late)
			if _, err := catalog.FreshXID(ctx, conn); err != nil {
				return nil, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
		if err := l.again(ctx, conn, p.cfg.Slots); err != nil {
			return nil, err
		}
	}
}

// patience tells somebody who waits for one pass what it waits for. A daemon tells its /readyz.
func (p *Pruner) patience(late *unconfirmed) {
	if p.cfg.Once || p.cfg.DryRun {
		p.log.Info().Strs("slots", late.slots).Stringer("at_most", p.cfg.ConfirmTimeout).Msg("waiting for the slots to confirm what is committed; they do not while no relay reads them")
	}
}

// again looks at server and slots once more; the evidence that Begin had is not touched.
func (l *look) again(ctx context.Context, conn *pgx.Conn, named []Slot) (err error) {
	if l.server, err = catalog.ReadServer(ctx, conn); err != nil {
		return err
	}
	l.evidence.Slots = map[string]proof.Sighting{}
	return l.readSlots(ctx, conn, named)
}

// stamp makes sure that slots can be told from later ones of the same name, where this role may.
func (p *Pruner) stamp(ctx context.Context, conn *pgx.Conn) error {
	if p.cfg.DryRun {
		return nil
	}
	server, err := catalog.ReadServer(ctx, conn)
	if err != nil {
		return err
	}
	may, err := catalog.MayStamp(ctx, conn, server)
	if err != nil || !may {
		return err
	}
	slots, err := catalog.Slots(ctx, conn, server)
	if err != nil {
		return err
	}
	for _, s := range p.cfg.Slots {
		slot := slots[s.Name]
		if catalog.CheckSlot(s.Name, conn.Config().Database, slot) != nil || slot.Stamp != "" {
			continue // a slot that is not as it must be is told by the look
		}
		if err := catalog.Stamp(ctx, conn, s.Name); err != nil {
			return err
		}
		p.log.Debug().Str("slot", s.Name).Msg("statistics of the slot were reset, as a stamp")
	}
	return nil
}

// tellBroken logs a loss of identity: rows from then stay.
func (p *Pruner) tellBroken(t *catalog.Table, broken []string) {
	for _, slot := range broken {
		p.cfg.Metrics.breaks.WithLabelValues(t.String(), slot).Inc()
		p.log.Warn().Str("slot", slot).Stringer("table", t.Name).Msg("nothing shows that the slot and its publication are the ones seen before: " +
			"they were made anew or changed, or the server crashed or failed over; rows committed between the last pass and now are kept, see -assume.relayed.before")
	}
}
