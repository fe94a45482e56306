package prune

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
)

// announce says once what an operator should know about the table and its slots, and counts the slots that nobody named.
func (p *Pruner) announce(ctx context.Context, conn *pgx.Conn, s *pass, seen *look) error {
	p.announceTable(s)
	for _, publication := range seen.publications {
		if publication.Deletes && p.once("deletes "+publication.Name) {
			p.log.Warn().Str("publication", publication.Name).Str("remedy", fmt.Sprintf("ALTER PUBLICATION %s SET (publish = 'insert')", catalog.Quote(publication.Name))).
				Msg("the publication publishes deletes or truncates: each row that is pruned is sent to its readers, who ignore it")
		}
	}
	if err := p.announceHidden(ctx, conn, s); err != nil {
		return err
	}
	may, err := catalog.MayStamp(ctx, conn, seen.server)
	if err != nil {
		return err
	}
	if !may && p.once("stamp") {
		p.log.Info().Msg("this role may not stamp slots (EXECUTE on pg_stat_reset_replication_slot, PostgreSQL 15 and later): after a restart of the relay rows of one interval may have to be kept")
	}
	return p.announceOthers(ctx, conn, s, seen)
}

// announceHidden tells of rows that may be out of sight. They stay, so it is no error.
func (p *Pruner) announceHidden(ctx context.Context, conn *pgx.Conn, s *pass) error {
	hidden, err := s.table.Hidden(ctx, conn)
	if err == nil && hidden && p.once("hidden "+s.table.Name.String()) {
		p.log.Warn().Stringer("table", s.table.Name).
			Msg("row-level security applies to this role: rows that its policies hide are not counted and stay; give the role BYPASSRLS or a policy that shows all rows")
	}
	return err
}

func (p *Pruner) announceTable(s *pass) {
	if !p.once("table " + s.target.Table.String()) {
		return
	}
	e := p.log.Info().Stringer("table", s.target.Table).Str("age_by", string(s.target.Age)).Stringer("retention", s.target.Retention)
	if !s.target.Inbox {
		e.Strs("slots", p.cfg.names())
	}
	e.Msg("pruning table")
	if s.clock == nil || s.table.Indexed(s.clock.column.Name) {
		return
	}
	p.log.Warn().Stringer("table", s.target.Table).
		Str("remedy", fmt.Sprintf("CREATE INDEX CONCURRENTLY ON %s (%s)", s.table.SQL(), s.clock.column.SQL())).
		Msg("no index begins with the time column, so that each pass reads the whole table in the order of its key")
}

// announceOthers reports slots that may read the table and were not named, when they change.
func (p *Pruner) announceOthers(ctx context.Context, conn *pgx.Conn, s *pass, seen *look) error {
	carriers, err := catalog.Carriers(ctx, conn, s.table)
	if err != nil {
		return err
	}
	others := catalog.Others(seen.slots, p.cfg.names(), conn.Config().Database, func(name string) bool { return carriers[name] })
	p.cfg.Metrics.others.WithLabelValues(s.target.Table.String()).Set(float64(len(others)))
	p.state.others(s.target.Table.String(), others)
	for _, o := range others {
		if !p.once("other " + s.target.Table.String() + " " + o.Slot + " " + o.Publication) {
			continue
		}
		message := "a slot that was not named may read the table too: which publication it is read with shows only while it is read, to a role with pg_read_all_stats. If it needs the rows, name it with -slot.name"
		if o.Certain {
			message = "a slot that was not named reads the table too; rows go without regard to it. If its reader needs them, name it with -slot.name"
		}
		p.log.Warn().Stringer("table", s.target.Table).Str("slot", o.Slot).
			Func(func(e *zerolog.Event) {
				if o.Publication != "" {
					e.Str("publication", o.Publication)
				}
			}).Msg(message)
	}
	return nil
}
