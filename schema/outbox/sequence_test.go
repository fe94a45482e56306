package outbox_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/outbox-relay/outbox-relay/schema/internal/dbtest"
	"github.com/outbox-relay/outbox-relay/schema/outbox"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

func of(id string) outbox.Event { return bad(func(e *outbox.Event) { e.AggregateID = id }) }

func TestSequenceIsPerAggregate(t *testing.T) {
	t.Parallel()
	ddl, table := numbered()
	forEachWriter(t, ddl, func(t *testing.T, db *pgtest.DB, write writeFunc) {
		other := of("a")
		other.AggregateType = "Customer"
		for _, events := range [][]outbox.Event{{of("a")}, {of("b"), of("a"), of("b"), other, of("b")}, {of("a")}} {
			if err := write(dbtest.Bounded(t), table, commit, events...); err != nil {
				t.Fatal(err)
			}
		}
		if err := write(dbtest.Bounded(t), table, func() error { return context.Canceled }, of("a")); err == nil {
			t.Fatal("not rolled back")
		}
		if err := write(dbtest.Bounded(t), table, commit, of("a")); err != nil {
			t.Fatal(err)
		}
		got := dbtest.Lines(t, db, `SELECT concat_ws(' ', aggregatetype, aggregateid, string_agg(sequence::text, ',' ORDER BY ctid)) FROM outbox GROUP BY aggregatetype, aggregateid ORDER BY 1`)
		want := []string{"Customer a 1", "Order a 1,2,3,4", "Order b 1,2,3"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestSequenceOfManyAggregates takes more counters than a statement holds.
func TestSequenceOfManyAggregates(t *testing.T) {
	t.Parallel()
	ddl, table := numbered()
	db := pgtest.NewDB(t)
	db.Exec(t, ddl)
	events := make([]outbox.Event, 1500)
	for i := range events {
		events[i] = of(fmt.Sprint(i % 750))
	}
	if err := openPgx("")(t, db)(dbtest.Bounded(t), table, commit, events...); err != nil {
		t.Fatal(err)
	}
	got := dbtest.Lines(t, db, `SELECT concat_ws(' ', sequence, count(*)) FROM outbox GROUP BY sequence ORDER BY 1`)
	if diff := cmp.Diff([]string{"1 750", "2 750"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestSequenceRisesInCommitOrder lets transactions that write about the same aggregates, in different orders, run at
// once; some roll back. The transactions' order is seen as the relay sees it: in the write-ahead log.
func TestSequenceRisesInCommitOrder(t *testing.T) {
	t.Parallel()
	ddl, table := numbered()
	db := pgtest.NewDB(t)
	db.Exec(t, ddl)
	db.Exec(t, `SELECT pg_create_logical_replication_slot($1, 'test_decoding')`, "slot_"+db.Name)
	aggregates := []string{"a", "b", "c", "d"}
	var g errgroup.Group
	for i := range 4 {
		write := writers()[i%len(writers())].open(t, db)
		g.Go(func() error {
			for n := range 50 {
				var events []outbox.Event
				for _, i := range rand.Perm(len(aggregates))[:1+rand.IntN(len(aggregates))] {
					events = append(events, of(aggregates[i]))
				}
				if err := write(dbtest.Bounded(t), table, rollbackSome(n), events...); err != nil && err != context.Canceled {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil { // a deadlock would be one
		t.Fatal(err)
	}
	const changes = `SELECT concat_ws(' ', substring(data FROM 'aggregateid\[[^]]*\]:''(\w)'''), substring(data FROM 'sequence\[bigint\]:(\d+)'))
		FROM pg_logical_slot_get_changes('slot_' || current_database(), NULL, NULL) WHERE data LIKE 'table public.outbox: INSERT%'`
	last := map[string]int{}
	for _, line := range dbtest.Lines(t, db, changes) {
		var n int
		id, number, _ := strings.Cut(line, " ")
		if _, err := fmt.Sscan(number, &n); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if n != last[id]+1 {
			t.Errorf("event %d of %s is committed after event %d", n, id, last[id])
		}
		last[id] = n
	}
	if len(last) != len(aggregates) || last["a"] < 20 {
		t.Errorf("too little was written: %v", last)
	}
}

func rollbackSome(n int) func() error {
	if n%5 == 0 {
		return func() error { return context.Canceled }
	}
	return commit
}
