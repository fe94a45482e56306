package prune

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
)

// counts are what a dry run finds in a table.
type counts struct {
	rows, aged, due int64
	oldestKept      *time.Time
}

// count reads the whole table.
func (c *condition) count(ctx context.Context, conn *pgx.Conn) (n counts, err error) {
	err = unhurried(ctx, conn, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, fmt.Sprintf("SELECT count(*), count(*) FILTER (WHERE %s), count(*) FILTER (WHERE %s) FROM %s", c.aged, c.due(), c.table.SQL())).
			Scan(&n.rows, &n.aged, &n.due); err != nil {
			return fmt.Errorf("count the rows of %s: %w", c.table.Name, err)
		}
		n.oldestKept, err = c.oldest(ctx, conn, "NOT coalesce("+c.due()+", false)")
		return err
	})
	return n, err
}

// report prints what a pass would do.
func (p *Pruner) report(ctx context.Context, conn *pgx.Conn, s *pass) error {
	n, err := s.cond.count(ctx, conn)
	if err != nil {
		return err
	}
	plans, err := p.planPartitions(ctx, conn, s)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprint(p.cfg.Out, p.text(s, n, plans)); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	return s.late
}

// text is the report.
func (p *Pruner) text(s *pass, n counts, plans *plans) string {
	var b strings.Builder
	line := func(name string, format string, args ...any) {
		fmt.Fprintf(&b, "  %-34s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "%s (dry run, nothing is deleted)\n", s.target.Table)
	line("rows", "%d", n.rows)
	line(fmt.Sprintf("older than %s, by %s", s.target.Retention, s.target.Age), "%d", n.aged)
	if !s.target.Inbox {
		line("of these not proven to be relayed", "%d", n.aged-n.due)
	}
	line("would be deleted", "%d", n.due)
	switch {
	case s.clock == nil:
		line("oldest row that is kept", "rows have no time")
	case n.oldestKept == nil:
		line("oldest row that is kept", "none")
	default:
		line("oldest row that is kept", "%s", n.oldestKept.UTC().Format(time.RFC3339))
	}
	verb := map[Partitions]string{Drop: "would be dropped", Detach: "would be detached"}[p.cfg.Partitions]
	for _, part := range plans.old {
		line("partition "+part.name.Table, "%s, all of its rows included above", verb)
	}
	for _, part := range plans.held {
		line("partition "+part.name.Table, "old, but has rows that are not proven")
	}
	for _, coming := range plans.coming {
		line("partition "+coming.name.Table, "would be made")
	}
	return b.String()
}

// plans are what is to be done about partitions.
type plans struct {
	old    []partition // to be dropped or detached
	held   []partition // old ones that hold rows that must stay
	coming []partition // to be made
}

// planPartitions finds out what is to be done, and does nothing.
func (p *Pruner) planPartitions(ctx context.Context, conn *pgx.Conn, s *pass) (*plans, error) {
	plans := &plans{}
	if p.cfg.Partitions == Keep && p.cfg.Ahead == 0 || !s.table.Partitioned {
		return plans, nil
	}
	all, err := s.readPartitions(ctx, conn)
	if err != nil {
		return nil, err
	}
	if p.cfg.Partitions != Keep {
		for _, part := range all {
			if part.to.IsZero() || part.to.After(s.cond.cutoff) {
				continue
			}
			held, err := p.holds(ctx, conn, s, part.name)
			if err != nil {
				return nil, err
			}
			if held {
				plans.held = append(plans.held, part)
			} else {
				plans.old = append(plans.old, part)
			}
		}
	}
	plans.coming = comingPartitions(s.table.Name, all, p.cfg.Ahead, s.now, s.target.Zone)
	return plans, nil
}

// holds reports whether a partition has rows that must stay. It reads all of it, as the owner: rights on the table say nothing of a
// partition by its own name.
func (p *Pruner) holds(ctx context.Context, conn *pgx.Conn, s *pass, name catalog.Name) (held bool, err error) {
	err = p.asOwner(ctx, conn, s.table, func(tx pgx.Tx) error {
		held, err = s.holdsIn(ctx, tx, name)
		return err
	})
	return held, err
}

func (s *pass) holdsIn(ctx context.Context, tx pgx.Tx, name catalog.Name) (held bool, err error) {
	err = tx.QueryRow(ctx, fmt.Sprintf("SELECT NOT (%s) OR EXISTS (SELECT FROM %s WHERE NOT coalesce(%s, false))", s.cond.guard, name.SQL(), s.cond.safe)).Scan(&held)
	if err != nil {
		return false, s.hidden(name, fmt.Errorf("look for rows of partition %s that must stay: %w", name, err))
	}
	return held, nil
}
