package prune

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
)

// longTransaction is how old a transaction must be to be worth a word: it keeps every row from since it began.
const longTransaction = 10 * time.Minute

// tellHolder exports the age of the oldest transaction that has written, and tells about one that holds pruning back.
func (p *Pruner) tellHolder(ctx context.Context, conn *pgx.Conn) error {
	h, err := catalog.OldestWriter(ctx, conn)
	if err != nil {
		return err
	}
	p.cfg.Metrics.holder.Set(h.Age.Seconds())
	if h.Age >= longTransaction && p.once("holder "+h.Who) {
		p.log.Warn().Str("transaction", h.Who).Stringer("age", h.Age.Round(time.Second)).Msg("a transaction has been open for long, in whatever database: rows from since then are kept until it ends")
	}
	return nil
}
