package prune_test

import (
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// started makes a rig whose pruner has seen the slot, so that everything later can be proven.
func started(t *testing.T, ddl string, change ...func(*prune.Config)) *rig {
	t.Helper()
	r := newRig(t, ddl)
	r.createSlot(r.slot)
	r.mustPass(change...)
	return r
}

// startedAlone is started on a server of its own, for tests that leave a transaction open: it holds back every database.
func startedAlone(t *testing.T) *rig {
	t.Helper()
	r := rigOn(t, pgtest.CreateDB(t, pgtest.New(t, pgserver.Config{})), tableDDL)
	r.createSlot(r.slot)
	r.mustPass()
	return r
}

func TestRelayedRowsGo(t *testing.T) {
	t.Parallel()
	r := started(t, tableDDL)
	r.insert(1, 2, 3)
	r.mustPass()
	r.want("")
}

// The rule of the whole program: confirmed_flush_lsn decides.
func TestUnconfirmedRowsStay(t *testing.T) {
	t.Parallel()
	r := started(t, tableDDL)
	r.insert(1, 2)
	r.refused(r.pass(impatient), replication.Transient, "has not confirmed")
	r.want("1 2")
	r.relay(r.slot, 0)
	r.insert(3)
	r.refused(r.pass(impatient), replication.Transient, "has not confirmed")
	r.want("1 2 3") // nothing was proven of 1 and 2: the reader confirmed them when nobody looked
	r.mustPass()
	r.want("")
}

func TestWhatWasProvenBeforeGoesWhileTheRelayIsDown(t *testing.T) {
	t.Parallel()
	old := func(c *prune.Config) { c.Targets[0].Retention = time.Hour }
	r := started(t, tableDDL, old)
	r.insert(1)
	r.mustPass(old) // proven, and too young
	r.want("1")
	r.insert(2)
	r.refused(r.pass(impatient), replication.Transient, "has not confirmed")
	r.want("2")
}

// A slot's existence when they were committed is not shown for rows from before the first pass.
func TestRowsFromBeforeTheFirstPassStay(t *testing.T) {
	t.Parallel()
	r := newRig(t, tableDDL)
	r.insert(1)
	r.createSlot(r.slot)
	r.insert(2)
	r.mustPass()
	r.want("1 2")
	r.insert(3)
	r.mustPass()
	r.want("1 2")
	if want := "nothing shows that they were relayed"; !contains(r.log.String(), want) {
		t.Errorf("log lacks %q:\n%s", want, r.log)
	}
}

func TestOperatorsWord(t *testing.T) {
	t.Parallel()
	for name, age := range map[string]func(*prune.Config){"observed": func(*prune.Config) {}, "column": byColumn} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tableDDL)
			r.insert(1)
			r.createSlot(r.slot)
			r.mustPass(age)
			now := one[time.Time](r, `SELECT clock_timestamp()`)
			assume := func(c *prune.Config) { c.AssumeBefore = now }
			r.mustPass(age, func(c *prune.Config) { c.AssumeBefore = now.Add(-time.Hour) })
			r.want("1")
			r.exec(`INSERT INTO outbox (id, created_at) VALUES (2, '2001-01-01')`) // committed late, with an early time
			r.refused(r.pass(age, assume, impatient), replication.Transient, "has not confirmed")
			r.want("2")
			r.mustPass(age, assume)
			r.want("")
		})
	}
}

func TestAge(t *testing.T) {
	t.Parallel()
	hour := func(c *prune.Config) { c.Targets[0].Retention = time.Hour }
	tests := []struct {
		name, ddl, insert, left string
		change                  func(*prune.Config)
	}{
		{"timestamptz", tableDDL, `INSERT INTO outbox VALUES (1, now() - interval '61 min'), (2, now() - interval '59 min')`, "2", byColumn},
		{"timestamp in UTC", `CREATE TABLE outbox (id int PRIMARY KEY, created_at timestamp)`,
			`INSERT INTO outbox VALUES (1, now() AT TIME ZONE 'UTC' - interval '61 min'), (2, now() AT TIME ZONE 'UTC' - interval '59 min'), (3, NULL)`, "2 3", byColumn},
		{"timestamp in another zone", `CREATE TABLE outbox (id int PRIMARY KEY, created_at timestamp)`,
			`INSERT INTO outbox VALUES (1, now() AT TIME ZONE 'Asia/Tokyo' - interval '61 min'), (2, now() AT TIME ZONE 'Asia/Tokyo' - interval '59 min')`, "2",
			func(c *prune.Config) { byColumn(c); c.Targets[0].Zone = zone("Asia/Tokyo") }},
		{"date", `CREATE TABLE outbox (id int PRIMARY KEY, created_at date)`,
			`INSERT INTO outbox VALUES (1, now() - interval '2 days'), (2, now() + interval '1 day')`, "2", byColumn},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := started(t, tt.ddl)
			// A time before the pruner's start would keep the rows whatever their transaction.
			r.exec(`UPDATE outbox_pruner SET state = jsonb_set(state, ARRAY['slots', $1::text, 'ranges', '0', 'since'], '"2001-01-01T00:00:00Z"')`, r.slot)
			r.exec(tt.insert)
			r.mustPass(hour, tt.change)
			r.want(tt.left)
		})
	}
}

// A row that bears a time from before the first pass may be one from then that was updated.
func TestRowWithATimeFromBeforeTheFirstPassStays(t *testing.T) {
	t.Parallel()
	r := newRig(t, tableDDL)
	r.createSlot(r.slot)
	r.insert(1)
	r.mustPass(byColumn)
	r.exec(`UPDATE outbox SET payload = 'y'`)
	r.insert(2)
	r.mustPass(byColumn)
	r.want("1")
}

func TestUUIDv7(t *testing.T) {
	t.Parallel()
	byID := func(c *prune.Config) {
		c.Targets[0].Age, c.Targets[0].Retention = prune.ByID, time.Hour
	}
	r := newRig(t, `CREATE TABLE outbox (id uuid PRIMARY KEY)`)
	r.createSlot(r.slot)
	r.exec(`CREATE FUNCTION v7(at timestamptz) RETURNS uuid LANGUAGE sql AS $$ SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7abc8def0123456789ab')::uuid $$`)
	pass := func() {
		t.Helper()
		if err := r.pass(byID); err != nil {
			t.Fatal(err)
		}
	}
	stop := r.followAny()
	defer stop()
	pass()
	r.exec(`UPDATE outbox_pruner SET state = jsonb_set(state, ARRAY['slots', $1::text, 'ranges', '0', 'since'], '"2001-01-01T00:00:00Z"')`, r.slot)
	r.exec(`INSERT INTO outbox VALUES (v7(now() - interval '61 min')), (v7(now() - interval '59 min')), ('00000000-0000-4000-8000-000000000000')`)
	pass()
	if got := one[int](r, `SELECT count(*) FROM outbox WHERE id <> v7(now() - interval '61 min')`); got != 2 {
		t.Errorf("%d rows are left, want the young one and the one that is no UUIDv7\n%s", got, r.log)
	}
}

// By observation a row is as old as the first mark that saw it.
func TestObservedAge(t *testing.T) {
	t.Parallel()
	hour := func(c *prune.Config) { c.Targets[0].Retention = time.Hour }
	r := started(t, tableDDL, hour)
	r.insert(1)
	r.mustPass(hour)
	r.insert(2)
	r.mustPass(hour)
	r.want("1 2")
	// Two hours ago the first row was seen, and not the second.
	r.exec(`UPDATE outbox_pruner SET state = jsonb_set(state, '{marks}', jsonb_build_array(jsonb_build_object('at', now() - interval '2 hours', 'to', (SELECT xmin::text::bigint FROM outbox WHERE id = 2))))`)
	r.mustPass(hour)
	r.want("2")
}
