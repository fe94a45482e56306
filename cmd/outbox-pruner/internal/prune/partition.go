package prune

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/replication"
)

// partition is a partition by ranges of time.
type partition struct {
	name     catalog.Name
	from, to time.Time // to exclusive; both zero for one without two finite bounds, such as the default partition
}

// bounds takes FOR VALUES FROM ('…') TO ('…') apart, of one column.
var bounds = regexp.MustCompile(`^FOR VALUES FROM \('([^']+)'\) TO \('([^']+)'\)$`)

// readPartitions finds the table's own partitions. The table must be partitioned by ranges of the time column alone.
func (s *pass) readPartitions(ctx context.Context, conn *pgx.Conn) ([]partition, error) {
	if s.clock == nil || s.target.Age != ByColumn {
		return nil, badAge("-partitions and -partitions.ahead need rows that tell their age by a column, see -table.field.event.timestamp")
	}
	var fits bool
	err := conn.QueryRow(ctx, `SELECT partstrat = 'r' AND partnatts = 1 AND partattrs[0] = (SELECT attnum FROM pg_catalog.pg_attribute WHERE attrelid = $1 AND attname = $2)
		FROM pg_catalog.pg_partitioned_table WHERE partrelid = $1`, s.table.OID, s.clock.column.Name).Scan(&fits)
	if err != nil {
		return nil, fmt.Errorf("look up how %s is partitioned: %w", s.table.Name, err)
	}
	if !fits {
		return nil, badAge("table %s is not partitioned by ranges of %q alone, so the age of a partition cannot be told; leave -partitions and -partitions.ahead out", s.table.Name, s.clock.column.Name)
	}
	rows, err := conn.Query(ctx, `SELECT n.nspname::text, c.relname::text, pg_catalog.pg_get_expr(c.relpartbound, c.oid)
		FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE i.inhparent = $1`, s.table.OID)
	var all []partition
	var part partition
	var bound string
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&part.name.Schema, &part.name.Table, &bound}, func() error {
			part.from, part.to = time.Time{}, time.Time{}
			if m := bounds.FindStringSubmatch(bound); m != nil {
				from, fromErr := s.clock.read(m[1])
				to, toErr := s.clock.read(m[2])
				if fromErr == nil && toErr == nil { // others are infinite
					part.from, part.to = from, to
				}
			}
			all = append(all, part)
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("look up the partitions of %s: %w", s.table.Name, err)
	}
	slices.SortFunc(all, func(a, b partition) int { return a.to.Compare(b.to) })
	return all, nil
}

// prunePartitions drops or detaches old partitions and makes coming ones. One that cannot be now is tried again in the next pass: no lock is
// waited for longer than lock.timeout, because the application's writers queue behind it. Once the table's own lock was waited for in
// vain, nothing more is tried: who holds it holds it for the next partition too, and the writers would stand still again.
func (p *Pruner) prunePartitions(ctx context.Context, conn *pgx.Conn, s *pass) error {
	plans, err := p.planPartitions(ctx, conn, s)
	if err != nil {
		return err
	}
	for _, part := range plans.held {
		p.log.Warn().Stringer("table", s.table.Name).Str("partition", part.name.Table).
			Msg("the partition is old, and stays because it has rows of which nothing shows that they were relayed")
	}
	if err := p.each(s, plans.old, p.cfg.Partitions, func(part partition) error { return p.remove(ctx, conn, s, part) }); err != nil {
		return err
	}
	return p.each(s, plans.coming, made, func(part partition) error { return p.make(ctx, conn, s, part) })
}

// each does something to partitions until the table's lock cannot be had.
func (p *Pruner) each(s *pass, parts []partition, what Partitions, do func(partition) error) error {
	for i, part := range parts {
		err := do(part)
		if err := p.try(s, part, what, err); err != nil {
			return err
		}
		if rest := len(parts) - i - 1; isStall(err) && rest > 0 {
			s.postpone(rest, what, err)
			p.log.Warn().Stringer("table", s.table.Name).Int("partitions", rest).
				Msg("the table's lock was not to be had, so the other partitions that are to be " + past[what] + " are left to the next pass: each attempt would hold up the application's writers")
			return nil
		}
	}
	return nil
}

// made is what is done to a coming partition.
const made Partitions = "make"

// past says what was done.
var past = map[Partitions]string{Drop: "dropped", Detach: "detached", made: "made"}

// try counts what was done to a partition. A failure that may pass is told and left to the next pass.
func (p *Pruner) try(s *pass, part partition, what Partitions, err error) error {
	if err == nil {
		p.cfg.Metrics.partitions.WithLabelValues(s.table.Name.String(), past[what]).Inc()
		p.log.Info().Stringer("table", s.table.Name).Str("partition", part.name.Table).Time("from", part.from).Time("to", part.to).Msg("partition " + past[what])
		return nil
	}
	if replication.ClassOf(err) != replication.Transient {
		return err
	}
	s.postpone(1, what, err)
	p.cfg.Metrics.failed(partitionReason)
	p.log.Warn().Err(err).Stringer("table", s.table.Name).Str("partition", part.name.Table).Msg("could not " + string(what) + " a partition, the next pass tries again")
	return nil
}

// remove drops or detaches a partition in one transaction. Its lock on the partition keeps rows from coming in while it looks whether
// all may go; the table itself is locked for the change of the catalog alone.
func (p *Pruner) remove(ctx context.Context, conn *pgx.Conn, s *pass, part partition) error {
	return p.asOwner(ctx, conn, s.table, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "LOCK TABLE "+part.name.SQL()+" IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return fmt.Errorf("lock partition %s: %w", part.name, err)
		}
		held, err := s.holdsIn(ctx, tx, part.name)
		if err != nil {
			return err
		}
		if held {
			return fmt.Errorf("partition %s got rows of which nothing shows that they were relayed", part.name)
		}
		if _, err := tx.Exec(ctx, "ALTER TABLE "+s.table.SQL()+" DETACH PARTITION "+part.name.SQL()); err != nil {
			return stall("detach partition", part.name, err)
		}
		if p.cfg.Partitions == Drop {
			if _, err := tx.Exec(ctx, "DROP TABLE "+part.name.SQL()); err != nil {
				return stall("drop partition", part.name, err)
			}
		}
		return nil
	})
}

// make makes a coming partition.
func (p *Pruner) make(ctx context.Context, conn *pgx.Conn, s *pass, part partition) error {
	literal := func(t time.Time) string {
		if s.clock.column.Type == "timestamp with time zone" {
			return t.UTC().Format("2006-01-02 15:04:05.999999") + "+00"
		}
		return t.Format("2006-01-02 15:04:05.999999") // in the zone that it was read in
	}
	return p.asOwner(ctx, conn, s.table, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf("CREATE TABLE %s PARTITION OF %s FOR VALUES FROM ('%s') TO ('%s')", part.name.SQL(), s.table.SQL(), literal(part.from), literal(part.to)))
		if err != nil {
			return stall("make partition", part.name, err)
		}
		return nil
	})
}

// asOwner runs DDL as the table's owner, so that what is made belongs to it too. Policies hide no rows there: where they would,
// PostgreSQL gives an error instead, which hidden makes of use.
func (p *Pruner) asOwner(ctx context.Context, conn *pgx.Conn, t *catalog.Table, do func(pgx.Tx) error) error {
	var member bool
	if err := conn.QueryRow(ctx, `SELECT pg_catalog.pg_has_role($1::text::name, 'MEMBER')`, t.Owner).Scan(&member); err != nil {
		return fmt.Errorf("ask whether this role may act as the owner of %s: %w", t.Name, err)
	}
	if !member {
		return &replication.Problem{Class: replication.Configuration, Reason: "privilege", Err: fmt.Errorf("-partitions and -partitions.ahead take the rights of the table's owner; run: GRANT %s TO %s",
			catalog.Quote(t.Owner), catalog.Quote(conn.Config().User))}
	}
	return unhurried(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL ROLE "+catalog.Quote(t.Owner)); err != nil {
			return fmt.Errorf("act as the owner of %s: %w", t.Name, err)
		}
		if _, err := tx.Exec(ctx, "SET LOCAL row_security = off"); err != nil {
			return fmt.Errorf("turn row-level security's hiding off: %w", err)
		}
		return do(tx)
	})
}
