package prune

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/proof"
	"github.com/outbox-relay/outbox-relay/replication"
)

// pass is one pass over one table.
type pass struct {
	target Target
	table  *catalog.Table
	clock  *clock
	ledger *proof.Ledger // nil for an inbox
	now    time.Time     // the server's clock
	late   error         // the slots have not confirmed; what was proven before is deleted all the same
	cond   *condition

	postponed postponed // what was left to the next pass
}

// prune makes one pass over a table. Another pruner's pass in its place is a success.
func (p *Pruner) prune(ctx context.Context, conn *pgx.Conn, target Target) error {
	table, err := catalog.ReadTable(ctx, conn, target.Table)
	if err != nil {
		return err
	}
	if err := table.CheckPrivileges(ctx, conn); err != nil {
		return err
	}
	mine, err := lock(ctx, conn, table.OID)
	if err != nil {
		return err
	}
	p.state.waiting(target.Table.String(), !mine)
	if !mine {
		p.log.Info().Stringer("table", target.Table).Msg("another pruner is at work on the table, nothing to do")
		return nil
	}
	defer unlock(ctx, conn, table.OID)
	began := time.Now()
	s := &pass{target: target, table: table}
	if err := p.prepare(ctx, conn, s); err != nil {
		return err
	}
	if p.cfg.DryRun {
		return p.report(ctx, conn, s)
	}
	if err := p.work(ctx, conn, s); err != nil {
		return err
	}
	if s.late == nil {
		p.cfg.Metrics.passed(target.Table.String(), time.Since(began), s.now)
	}
	if p.cfg.Once { // there is no next pass; a daemon has its own, and need not hurry to it
		return gravest([]error{s.late, s.postponed.err(s.table.Name)})
	}
	return s.late
}

// prepare finds out which rows go.
func (p *Pruner) prepare(ctx context.Context, conn *pgx.Conn, s *pass) (err error) {
	if s.clock, err = s.target.readClock(s.table); err != nil {
		return err
	}
	if !s.target.Inbox {
		if err := p.prepareProof(ctx, conn, s); err != nil {
			return err
		}
	} else if s.clock == nil {
		return badAge("an inbox has no proof, so its rows need a time; give -inbox.column")
	}
	if s.now, err = catalog.Clock(ctx, conn); err != nil {
		return err
	}
	s.cond = s.target.aging(s.table, s.clock, s.now, s.ledger)
	if s.ledger == nil {
		return nil
	}
	newest, err := catalog.NewestXID(ctx, conn)
	if err != nil {
		return err
	}
	s.cond.prove(s.ledger, p.cfg.names(), newest, p.cfg.AssumeBefore)
	return nil
}

// prepareProof brings the table's ledger up to date and keeps it.
func (p *Pruner) prepareProof(ctx context.Context, conn *pgx.Conn, s *pass) error {
	ledger, err := loadLedger(ctx, conn, p.cfg.State, s.target.Table)
	if err != nil {
		return err
	}
	seen, err := p.mark(ctx, conn, s.table, ledger)
	var late *unconfirmed
	if err != nil && !errors.As(err, &late) {
		return err
	}
	if late != nil {
		s.late = &replication.Problem{Class: replication.Transient, Reason: "slot_lag", Err: late}
	}
	if err := p.outOfReach(ctx, conn, s.table, ledger); err != nil {
		return err
	}
	s.ledger = ledger
	if p.cfg.DryRun {
		return p.announce(ctx, conn, s, seen)
	}
	ledger.Prune(seen.evidence.At.Add(-s.target.Retention))
	if err := saveLedger(ctx, conn, p.cfg.State, s.target.Table, ledger); err != nil {
		return err
	}
	return p.announce(ctx, conn, s, seen)
}

// outOfReach looks, every 2^30 transactions, for rows so old that their transaction could soon be taken for a young one. It reads
// the whole table.
func (p *Pruner) outOfReach(ctx context.Context, conn *pgx.Conn, t *catalog.Table, ledger *proof.Ledger) error {
	if !ledger.CheckDue(ledger.Newest) {
		return nil
	}
	var found bool
	err := unhurried(ctx, conn, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+t.SQL()+" WHERE "+proof.OutOfReach+")").Scan(&found)
	})
	if err != nil {
		return fmt.Errorf("look for rows of %s from 2^31 transactions ago: %w", t.Name, err)
	}
	if found {
		return &replication.Problem{Class: replication.Human, Reason: "ancient", Err: fmt.Errorf("table %s has rows from more than 2^31 transactions ago, which cannot be told from young ones any more; "+
			"delete those first if they are relayed: DELETE FROM %s WHERE %s", t.Name, t.SQL(), proof.OutOfReach)}
	}
	ledger.Checked = ledger.Newest
	return nil
}

// unhurried runs something that may read a whole table.
func unhurried(ctx context.Context, conn *pgx.Conn, do func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0"); err != nil {
			return err
		}
		return do(tx)
	})
}

// work deletes.
func (p *Pruner) work(ctx context.Context, conn *pgx.Conn, s *pass) error {
	if err := p.prunePartitions(ctx, conn, s); err != nil {
		return err
	}
	progress, err := p.newProgress(ctx, conn, s.cond)
	if err != nil {
		return err
	}
	err = p.walk(ctx, conn, s.cond, progress)
	p.tellPass(s, progress, err)
	if err != nil {
		return err
	}
	p.cfg.Metrics.unproven.WithLabelValues(s.target.Table.String()).Set(float64(progress.kept))
	return p.measure(ctx, conn, s)
}

// tellPass logs what a pass did, at the level that it deserves.
func (p *Pruner) tellPass(s *pass, progress *progress, err error) {
	p.state.passed(s.target.Table.String(), progress, err)
	e := p.log.Debug()
	if progress.gone > 0 || p.cfg.Once {
		e = p.log.Info()
	}
	e.Stringer("table", s.target.Table).Int64("deleted", progress.gone).Int64("looked_at", progress.seen).Int64("kept_unproven", progress.kept).
		Str("took", time.Since(progress.began).Round(time.Millisecond).String()).Msg("pruned")
	if progress.kept > 0 && p.once("unproven "+s.target.Table.String()) {
		p.log.Warn().Stringer("table", s.target.Table).Int64("rows", progress.kept).
			Str("remedy", "-assume.relayed.before "+s.ledger.Since(p.cfg.names()).UTC().Format(time.RFC3339Nano)).
			Msg("rows are old enough and kept, because nothing shows that they were relayed: they are from before the pruner first saw the slot, or from a gap. If you know that they were, the remedy makes them go")
	}
}

// measure exports the table's size and its oldest row.
func (p *Pruner) measure(ctx context.Context, conn *pgx.Conn, s *pass) error {
	size, err := s.table.Size(ctx, conn)
	if err != nil {
		return err
	}
	p.cfg.Metrics.sized(s.target.Table.String(), size)
	if size.Updates > 0 && !s.target.Inbox && p.once("updates "+s.target.Table.String()) {
		p.log.Warn().Stringer("table", s.target.Table).Int64("updates", size.Updates).
			Msg("rows of the outbox were updated, says PostgreSQL's statistics: an update gives a row a new transaction, so that it is kept for longer, or if its insert was not relayed and it has no time of its own, not long enough")
	}
	oldest, err := s.cond.oldest(ctx, conn, always)
	if err != nil {
		return err
	}
	p.cfg.Metrics.oldestRow(s.target.Table.String(), oldest)
	p.state.measured(s.target.Table.String(), size, oldest)
	return nil
}

// oldest is the time of the oldest row that a condition holds for, nil if there is none, or if it takes a scan of the table to
// tell and rows have to be read for no other reason.
func (c *condition) oldest(ctx context.Context, conn *pgx.Conn, which string) (*time.Time, error) {
	if c.clock == nil || which == always && !c.table.Indexed(c.clock.column.Name) {
		return nil, nil
	}
	if c.clock.more != "" {
		which += " AND " + c.clock.more
	}
	column := c.clock.column.SQL()
	var text string
	err := conn.QueryRow(ctx, fmt.Sprintf("SELECT t.%s::text FROM %s t WHERE %s AND %s IS NOT NULL ORDER BY t.%s LIMIT 1", column, c.table.SQL(), which, column, column)).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for the oldest row of %s: %w", c.table.Name, err)
	}
	at, err := c.clock.read(text)
	if err != nil {
		return nil, nil // infinity and times before Christ are times that Go does not know
	}
	return &at, nil
}
