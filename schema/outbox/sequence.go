package outbox

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
)

// aggregate is what the numbers of a sequence belong to.
type aggregate struct{ kind, id string }

// number gives each row the next number of its aggregate. The counters are locked in
// one order by every transaction, or two that write events of the same aggregates
// could wait for each other.
func (t Table) number(ctx context.Context, tx transaction, rows []row) error {
	members := map[aggregate][]*row{}
	for i := range rows {
		a := aggregate{rows[i].AggregateType, rows[i].AggregateID}
		members[a] = append(members[a], &rows[i])
	}
	sorted := slices.SortedFunc(maps.Keys(members), func(a, b aggregate) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.id, b.id))
	})
	for part := range slices.Chunk(sorted, maxRows) {
		if err := t.reserve(ctx, tx, part, members); err != nil {
			return fmt.Errorf("take the next numbers from table %s: %w", t.Counters, err)
		}
	}
	return nil
}

// reserve advances the counters of some aggregates by as many numbers as they have
// rows, and hands those out.
func (t Table) reserve(ctx context.Context, tx transaction, part []aggregate, members map[aggregate][]*row) error {
	args := make([]any, 0, 3*len(part))
	for _, a := range part {
		args = append(args, a.kind, a.id, int64(len(members[a])))
	}
	var found aggregate
	var last int64
	return tx.query(ctx, statement{t.countSQL(len(part)), args}, []any{&found.kind, &found.id, &last}, func() {
		of := members[found]
		for i, r := range of {
			r.Sequence = last - int64(len(of)-1-i)
		}
	})
}

func (t Table) countSQL(aggregates int) string {
	return "INSERT INTO " + t.qualified(t.Counters) + " AS s (aggregatetype, aggregateid, last) VALUES " + tuples(aggregates, 3) +
		" ON CONFLICT (aggregatetype, aggregateid) DO UPDATE SET last = s.last + excluded.last RETURNING aggregatetype, aggregateid, last"
}
