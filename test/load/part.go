package load

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/judge"
)

// part is a run of rows that share a savepoint, or none.
type part struct {
	aggregates []aggregate // of each row
	sizes      []int       // of each payload, in bytes
	savepoint  bool
	discard    bool  // roll the savepoint back
	inner      *part // written after the rows, inside of the savepoint; nil if there is none
}

// all are the aggregates of the part and of those in it.
func (p *part) all() []aggregate {
	if p.inner == nil {
		return p.aggregates
	}
	return slices.Concat(p.aggregates, p.inner.all())
}

// planPart chooses what becomes of n rows. Savepoints are put into each other while the lot says so.
func (w *writer) planPart(n int, keys []aggregate) part {
	c, r := w.load.config, w.random
	p := part{savepoint: r.Float64() < c.SavepointShare}
	p.discard = p.savepoint && r.IntN(2) == 0
	own := n
	if p.savepoint && n > 1 && r.Float64() < c.SavepointShare {
		own = n / 2
		inner := w.planPart(n-own, keys)
		p.inner = &inner
	}
	for range own {
		p.aggregates = append(p.aggregates, keys[r.IntN(len(keys))])
		p.sizes = append(p.sizes, w.size())
	}
	return p
}

// size draws the size of a payload: as many between 100 and 1,000 bytes as between 10,000 and 100,000.
func (w *writer) size() int {
	c := w.load.config
	if c.LargestPayload <= c.PayloadBytes {
		return c.PayloadBytes
	}
	low, high := math.Log(float64(c.PayloadBytes)), math.Log(float64(c.LargestPayload))
	return int(math.Exp(low + w.random.Float64()*(high-low)))
}

// writePart inserts the rows of one part and returns those that the part keeps. Versions of discarded rows are not
// given out again: gaps do not matter, and a discarded row that appears nevertheless cannot be taken for another.
func (t *transaction) writePart(ctx context.Context, tx pgx.Tx, savepoint string, p part, versions map[aggregate]int64) (kept []judge.Committed, err error) {
	rows, payloads := p.makeRows(versions)
	if p.savepoint {
		if _, err := tx.Exec(ctx, "SAVEPOINT "+savepoint); err != nil {
			return nil, fmt.Errorf("set a savepoint: %w", err)
		}
	}
	if err := t.insert(ctx, tx, p, rows, payloads); err != nil {
		return nil, err
	}
	if p.inner != nil {
		kept, err := t.writePart(ctx, tx, savepoint+"_in", *p.inner, versions)
		if err != nil {
			return nil, err
		}
		rows = append(rows, kept...)
	}
	if !p.savepoint {
		return rows, nil
	}
	end := "RELEASE "
	if p.discard {
		end = "ROLLBACK TO "
		t.discarded += len(rows)
		rows = nil
	}
	if _, err := tx.Exec(ctx, end+savepoint); err != nil {
		return nil, fmt.Errorf("end a savepoint: %w", err)
	}
	return rows, nil
}

func (p *part) makeRows(versions map[aggregate]int64) (rows []judge.Committed, payloads []string) {
	rows, payloads = make([]judge.Committed, len(p.aggregates)), make([]string, len(p.aggregates))
	for i, a := range p.aggregates {
		versions[a]++
		payloads[i] = Payload(versions[a], p.sizes[i])
		rows[i] = judge.Committed{
			ID: newUUID(), Key: a.id, Seq: versions[a], Topic: Topic(a.kind), Hash: judge.Hash([]byte(payloads[i])),
		}
	}
	return rows, payloads
}
