package prune

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// errGuard ends a walk when a slot went or a table was rewritten under it. The next look says which.
var errGuard = errors.New("a slot was dropped or lost, or the table rewritten, while rows were deleted; nothing more was")

// walk goes once through the rows that may be due and deletes those that are.
func (p *Pruner) walk(ctx context.Context, conn *pgx.Conn, c *condition, progress *progress) error {
	var from []string
	for {
		w, ok, err := c.next(ctx, conn, from, p.cfg.BatchSize*windowFactor)
		if err != nil || !ok {
			return err
		}
		progress.looked(w)
		if w.due > 0 {
			if err := p.empty(ctx, conn, c, w, progress); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		from = w.to
	}
}

// empty deletes what is due in a window, batch by batch.
func (p *Pruner) empty(ctx context.Context, conn *pgx.Conn, c *condition, w window, progress *progress) error {
	for from := w.from; ; {
		began := time.Now()
		b, err := c.delete(ctx, conn, from, w.to, p.cfg.BatchSize)
		if err != nil {
			return err
		}
		if !b.guarded {
			return errGuard
		}
		took := time.Since(began)
		p.cfg.Metrics.deleted(c.table.Name.String(), b.deleted, took)
		progress.deleted(b.deleted)
		if b.due < int64(p.cfg.BatchSize) {
			return nil
		}
		from = b.last
		// At most half of the time is spent deleting, however slow the server is.
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(max(p.cfg.Pause, took)):
		}
	}
}
