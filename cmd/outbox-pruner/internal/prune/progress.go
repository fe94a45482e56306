package prune

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rs/zerolog"
)

// progressEvery is how often a long walk says how far it is.
const progressEvery = 10 * time.Second

// progress is how far a walk is.
type progress struct {
	log      zerolog.Logger
	began    time.Time
	told     time.Time
	expected int64 // rows to look at, as the planner estimates
	seen     int64
	gone     int64
	kept     int64 // old enough and not proven
	now      func() time.Time
	watch    func(deleted, rest int64)
}

// looked counts a window.
func (p *progress) looked(w window) {
	p.seen += w.rows
	p.kept += w.kept
	p.tell()
}

// deleted counts a batch.
func (p *progress) deleted(n int64) {
	p.gone += n
	p.tell()
}

// rest is how many rows are left to look at, as far as can be told.
func (p *progress) rest() int64 { return max(0, p.expected-p.seen) }

// rate is rows deleted per second.
func (p *progress) rate() float64 {
	return float64(p.gone) / max(p.now().Sub(p.began).Seconds(), 0.001)
}

func (p *progress) tell() {
	p.watch(p.gone, p.rest())
	now := p.now()
	if now.Sub(p.told) < progressEvery {
		return
	}
	p.told = now
	p.log.Info().Int64("deleted", p.gone).Int64("looked_at", p.seen).Int64("rest_estimate", p.rest()).
		Int64("rows_per_second", int64(p.rate())).Int64("kept_unproven", p.kept).Msg("pruning")
}

// newProgress starts at a walk's start.
func (p *Pruner) newProgress(ctx context.Context, conn *pgx.Conn, c *condition) (*progress, error) {
	expected, err := c.estimate(ctx, conn)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	table := c.table.Name.String()
	return &progress{
		log: p.log.With().Str("table", table).Logger(), began: now, told: now, expected: expected, now: time.Now,
		watch: func(deleted, rest int64) { p.state.walking(table, deleted, rest) },
	}, nil
}

// estimate asks the planner how many rows the walk looks at.
func (c *condition) estimate(ctx context.Context, conn *pgx.Conn) (int64, error) {
	var text []byte
	if err := conn.QueryRow(ctx, fmt.Sprintf("EXPLAIN (FORMAT JSON) SELECT FROM %s WHERE %s", c.table.SQL(), c.within)).Scan(&text); err != nil {
		return 0, fmt.Errorf("estimate the rows of %s: %w", c.table.Name, err)
	}
	var plans []struct {
		Plan struct {
			Rows float64 `json:"Plan Rows"`
		}
	}
	if err := json.Unmarshal(text, &plans); err != nil || len(plans) == 0 {
		return 0, fmt.Errorf("read the estimate of the rows of %s: %v", c.table.Name, err)
	}
	return int64(plans[0].Plan.Rows), nil
}
