package inbox_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/schema/inbox"
	"github.com/outbox-relay/outbox-relay/schema/internal/dbtest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

func order(id string) inbox.Aggregate { return inbox.Aggregate{Type: "Order", ID: id} }

func TestAdvance(t *testing.T) {
	t.Parallel()
	forEachDriver(t, func(t *testing.T, db *pgtest.DB, begin begin) {
		steps := []struct {
			consumer     string
			of           inbox.Aggregate
			sequence     int64
			commit, want bool
		}{
			{"billing", order("a"), 5, false, true},
			{"billing", order("a"), 2, true, true}, // 5 was rolled back
			{"billing", order("a"), 2, true, false},
			{"billing", order("a"), 9, true, true}, // a gap
			{"billing", order("a"), 3, true, false},
			{"billing", order("b"), 1, true, true},
			{"billing", inbox.Aggregate{Type: "Customer", ID: "a"}, 1, true, true},
			{"mail", order("a"), 1, true, true},
			{"billing", order("a"), 10, true, true},
		}
		for i, step := range steps {
			tx := begin(t)
			newer, err := tx.advance(dbtest.Bounded(t), step.consumer, step.of, step.sequence)
			if err != nil || newer != step.want {
				t.Fatalf("step %d: got %v and %v, want %v", i, newer, err, step.want)
			}
			end := tx.commit
			if !step.commit {
				end = tx.rollback
			}
			if err := end(dbtest.Bounded(t)); err != nil {
				t.Fatal(err)
			}
		}
		got := dbtest.Lines(t, db, `SELECT concat_ws(' ', consumer, aggregatetype, aggregateid, sequence) FROM inbox_position ORDER BY 1`)
		if diff := cmp.Diff([]string{"billing Customer a 1", "billing Order a 10", "billing Order b 1", "mail Order a 1"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestOlderEventWaits lets an older event be applied while the transaction of a newer one is open: it must wait, for
// until then nobody knows whether it is out of date.
func TestOlderEventWaits(t *testing.T) {
	t.Parallel()
	for _, commits := range []bool{true, false} {
		name := map[bool]string{true: "newer commits", false: "newer rolls back"}[commits]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forEachDriver(t, func(t *testing.T, db *pgtest.DB, begin begin) {
				newer, older := begin(t), begin(t)
				if moved, err := newer.advance(dbtest.Bounded(t), "billing", order("a"), 2); !moved || err != nil {
					t.Fatalf("newer: %v, %v", moved, err)
				}
				applied := make(chan bool, 1)
				go func() {
					moved, err := older.advance(dbtest.Bounded(t), "billing", order("a"), 1)
					if err != nil {
						t.Error(err)
					}
					applied <- moved
				}()
				awaitLock(t, db)
				end := newer.rollback
				if commits {
					end = newer.commit
				}
				if err := end(dbtest.Bounded(t)); err != nil {
					t.Fatal(err)
				}
				if got := <-applied; got == commits {
					t.Errorf("older: got %v, want %v", got, !commits)
				}
				if err := older.commit(dbtest.Bounded(t)); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestAdvanceMistakes(t *testing.T) {
	t.Parallel()
	forEachDriver(t, func(t *testing.T, db *pgtest.DB, begin begin) {
		tests := []struct {
			consumer string
			of       inbox.Aggregate
			want     string
		}{
			{"", order("a"), "is empty"},
			{"billing", order(""), "is empty"},
			{"billing", inbox.Aggregate{ID: "a"}, "is empty"},
			{"billing", order("\x00"), `note that consumer "billing" has applied event 1 of Order "\x00": `},
		}
		for _, test := range tests {
			tx := begin(t)
			moved, err := tx.advance(dbtest.Bounded(t), test.consumer, test.of, 1)
			if moved || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q %q: got %v and %v, want %q", test.consumer, test.of, moved, err, test.want)
			}
			if err := tx.rollback(dbtest.Bounded(t)); err != nil {
				t.Error(err)
			}
		}
	})
}
