package prune

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/proof"
)

// condition says in SQL which rows of a table go. All parts are about a row of the table, but guard.
type condition struct {
	table  *catalog.Table
	clock  *clock           // nil if rows have no time of their own
	order  []catalog.Column // in which the rows are gone through: the key, behind the time if that is indexed
	within string           // what bounds the walk in that order
	aged   string           // old enough
	safe   string           // relayed, or no outbox
	guard  string           // what must hold, about the server, for any row to go
	cutoff time.Time
}

// due holds for the rows that go.
func (c *condition) due() string { return "(" + c.aged + " AND coalesce(" + c.safe + ", false))" }

// kept holds for the rows that are old enough and must stay.
func (c *condition) kept() string { return "(" + c.aged + " AND NOT coalesce(" + c.safe + ", false))" }

// always and never are conditions.
const (
	always = "true"
	never  = "false"
)

// aging makes the condition for a table's rows to be old enough. ledger may be nil for one that is not proven.
func (t Target) aging(table *catalog.Table, clock *clock, now time.Time, ledger *proof.Ledger) *condition {
	c := &condition{table: table, clock: clock, order: table.Key, within: always, safe: always, guard: always, cutoff: now.Add(-t.Retention)}
	if clock == nil {
		c.aged = never
		if to, ok := ledger.EndedBefore(c.cutoff); ok {
			c.aged = to.Before()
		}
		return c
	}
	c.aged = clock.before(c.cutoff)
	if clock.more != "" {
		c.aged = "(" + c.aged + " AND " + clock.more + ")"
	}
	if table.Indexed(clock.column.Name) {
		c.within = clock.before(c.cutoff)
		if clock.column != table.Key[0] {
			c.order = append([]catalog.Column{clock.column}, slices.DeleteFunc(slices.Clone(table.Key), func(k catalog.Column) bool { return k == clock.column })...)
		}
	}
	return c
}

// prove lets only rows go that the ledger proves, or the operator's word.
func (c *condition) prove(ledger *proof.Ledger, slots []string, newest proof.XID, assumeBefore time.Time) {
	var since func(time.Time) string
	if c.clock != nil {
		since = c.clock.since
	}
	c.safe = ledger.Proven(slots, newest, since)
	confirmed := ledger.Confirmed(slots)
	if !assumeBefore.IsZero() && confirmed > 0 {
		c.safe = "(" + c.safe + " OR " + c.assumed(ledger, confirmed, assumeBefore) + ")"
	}
	c.guard = slotsThere(slots) + " AND " + ledger.Unmoved()
}

// assumed holds for rows from before the operator's time. Even then what is not confirmed yet stays: a row that was committed late
// may bear an early time.
func (c *condition) assumed(ledger *proof.Ledger, confirmed proof.XID, before time.Time) string {
	old := never
	if c.clock != nil {
		old = c.clock.before(before)
	} else if to := ledger.BegunBefore(before); to > 0 {
		old = to.Before()
	}
	return "(" + old + " AND NOT " + confirmed.After() + ")"
}

// slotsThere holds while all slots are there and not lost. It is a part of each statement that deletes.
func slotsThere(slots []string) string {
	quoted := make([]string, len(slots))
	for i, s := range slots {
		quoted[i] = "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	return fmt.Sprintf("(SELECT count(*) = %d FROM pg_catalog.pg_replication_slots WHERE slot_name IN (%s) AND database = pg_catalog.current_database() AND wal_status IS DISTINCT FROM 'lost')",
		len(slots), strings.Join(quoted, ", "))
}
