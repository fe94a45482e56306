package inbox_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/schema/internal/dbtest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

const (
	event1 = "0199e1c5-0000-7000-8000-000000000001"
	event2 = "0199e1c5-0000-7000-8000-000000000002"
)

// handle lets a consumer handle an event in tx; the effect is a row.
func handle(ctx context.Context, tx tx, consumer, id string) (bool, error) {
	return tx.once(ctx, consumer, id, func() error {
		return tx.exec(ctx, "INSERT INTO effects VALUES ('"+consumer+" "+id[len(id)-1:]+"')")
	})
}

func wantEffects(t *testing.T, db *pgtest.DB, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, dbtest.Lines(t, db, `SELECT event FROM effects ORDER BY 1`)); diff != "" {
		t.Errorf("effects: %s", diff)
	}
}

func TestOnce(t *testing.T) {
	t.Parallel()
	forEachDriver(t, func(t *testing.T, db *pgtest.DB, begin begin) {
		steps := []struct {
			consumer, id string
			commit, want bool
		}{
			{"billing", event1, false, true}, // rolled back, so that it comes again
			{"billing", event1, true, true},
			{"billing", event1, true, false},
			{"billing", event2, true, true},
			{"mail", event1, true, true}, // has an effect of its own
			{"billing", strings.ToUpper(event2), true, false},
			{"mail", event1, true, false},
		}
		for i, step := range steps {
			tx := begin(t)
			did, err := handle(dbtest.Bounded(t), tx, step.consumer, step.id)
			if err != nil || did != step.want {
				t.Fatalf("step %d: got %v and %v, want %v", i, did, err, step.want)
			}
			end := tx.commit
			if !step.commit {
				end = tx.rollback
			}
			if err := end(dbtest.Bounded(t)); err != nil {
				t.Fatal(err)
			}
		}
		wantEffects(t, db, "billing 1", "billing 2", "mail 1")
		if got := dbtest.Lines(t, db, `SELECT count(*)::text FROM inbox WHERE processed_at BETWEEN now() - interval '1 minute' AND now()`); got[0] != "3" {
			t.Errorf("%s rows with the time of now, want 3", got)
		}
	})
}

func TestOnceTwiceInOneTransaction(t *testing.T) {
	t.Parallel()
	forEachDriver(t, func(t *testing.T, db *pgtest.DB, begin begin) {
		tx := begin(t)
		for i, want := range []bool{true, false} {
			if did, err := handle(dbtest.Bounded(t), tx, "billing", event1); did != want || err != nil {
				t.Errorf("time %d: got %v and %v, want %v", i+1, did, err, want)
			}
		}
		if err := tx.commit(dbtest.Bounded(t)); err != nil {
			t.Fatal(err)
		}
		wantEffects(t, db, "billing 1")
	})
}

// TestTwoConsumersAtOnce lets a second instance handle the event while the first one's transaction is open. It must
// wait for the first one's end, and then do what that end demands.
func TestTwoConsumersAtOnce(t *testing.T) {
	t.Parallel()
	for _, commits := range []bool{true, false} {
		name := map[bool]string{true: "first commits", false: "first rolls back"}[commits]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forEachDriver(t, func(t *testing.T, db *pgtest.DB, begin begin) {
				first, second := begin(t), begin(t)
				if did, err := handle(dbtest.Bounded(t), first, "billing", event1); !did || err != nil {
					t.Fatalf("first: %v, %v", did, err)
				}
				type answer struct {
					did bool
					err error
				}
				answers := make(chan answer, 1)
				go func() {
					did, err := handle(dbtest.Bounded(t), second, "billing", event1)
					answers <- answer{did, err}
				}()
				awaitLock(t, db)
				end := first.rollback
				if commits {
					end = first.commit
				}
				if err := end(dbtest.Bounded(t)); err != nil {
					t.Fatal(err)
				}
				if got := <-answers; got.did == commits || got.err != nil {
					t.Errorf("second: got %v and %v, want %v", got.did, got.err, !commits)
				}
				if err := second.commit(dbtest.Bounded(t)); err != nil {
					t.Fatal(err)
				}
				wantEffects(t, db, "billing 1")
			})
		})
	}
}

// awaitLock waits until a session of the database waits for a lock.
func awaitLock(t *testing.T, db *pgtest.DB) {
	t.Helper()
	const query = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	conn, ctx := db.Connect(t), dbtest.Bounded(t)
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for waiting := 0; waiting == 0; {
		if err := conn.QueryRow(ctx, query).Scan(&waiting); err != nil {
			t.Fatalf("wait until a session waits for a lock: %v", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
}

func TestErrorOfTheEffect(t *testing.T) {
	t.Parallel()
	forEachDriver(t, func(t *testing.T, db *pgtest.DB, begin begin) {
		tx := begin(t)
		errEffect := errors.New("no such account")
		if _, err := tx.once(dbtest.Bounded(t), "billing", event1, func() error { return errEffect }); !errors.Is(err, errEffect) {
			t.Errorf("got %v, want %v", err, errEffect)
		}
		if err := tx.rollback(dbtest.Bounded(t)); err != nil {
			t.Fatal(err)
		}
		if got := dbtest.Lines(t, db, `SELECT event_id::text FROM inbox`); len(got) > 0 {
			t.Errorf("recorded: %v", got)
		}
	})
}

func TestOnceMistakes(t *testing.T) {
	t.Parallel()
	forEachDriver(t, func(t *testing.T, db *pgtest.DB, begin begin) {
		tests := []struct{ consumer, id, want string }{
			{"", event1, "the consumer's name or the event's id is empty"},
			{"billing", "", `the record's header "id"`},
			{"billing", "seventeen", `record event seventeen of consumer "billing" in the inbox: `},
		}
		for _, test := range tests {
			tx := begin(t)
			did, err := handle(dbtest.Bounded(t), tx, test.consumer, test.id)
			if did || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q %q: got %v and %v, want %q", test.consumer, test.id, did, err, test.want)
			}
			if err := tx.rollback(dbtest.Bounded(t)); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestAboveReadCommitted: a transaction that has seen the inbox without the event does not skip it when another has
// committed it since, but has to begin again.
func TestAboveReadCommitted(t *testing.T) {
	t.Parallel()
	forEachDriver(t, func(t *testing.T, db *pgtest.DB, begin begin) {
		first, second := begin(t), begin(t)
		for _, sql := range []string{"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SELECT FROM inbox"} {
			if err := second.exec(dbtest.Bounded(t), sql); err != nil {
				t.Fatal(err)
			}
		}
		if did, err := handle(dbtest.Bounded(t), first, "billing", event1); !did || err != nil {
			t.Fatalf("first: %v, %v", did, err)
		}
		if err := first.commit(dbtest.Bounded(t)); err != nil {
			t.Fatal(err)
		}
		if did, err := handle(dbtest.Bounded(t), second, "billing", event1); did || sqlState(err) != "40001" {
			t.Errorf("second: got %v and %v, want a serialization failure", did, err)
		}
		if err := second.rollback(dbtest.Bounded(t)); err != nil {
			t.Fatal(err)
		}
		again := begin(t)
		if did, err := handle(dbtest.Bounded(t), again, "billing", event1); did || err != nil {
			t.Errorf("again: got %v and %v, want a repeat", did, err)
		}
		if err := again.commit(dbtest.Bounded(t)); err != nil {
			t.Fatal(err)
		}
		wantEffects(t, db, "billing 1")
	})
}

// sqlState is the error code of PostgreSQL, which both drivers tell by the same method.
func sqlState(err error) string {
	var coded interface{ SQLState() string }
	if errors.As(err, &coded) {
		return coded.SQLState()
	}
	return ""
}
