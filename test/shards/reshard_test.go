package shards_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/load"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

// steps are the blocks of SQL in the part of docs/sharding.md about another number of relays, by the first line of
// each, a comment.
func steps(t testing.TB) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../docs/sharding.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(text), "\n## Change the number of relays\n")
	part, _, _ = strings.Cut(part, "\n## ")
	if !found {
		t.Fatal("docs/sharding.md has no part about another number of relays")
	}
	blocks := map[string]string{}
	for i, block := range strings.Split(part, "```") {
		if sql, ok := strings.CutPrefix(block, "sql\n"); ok && i%2 == 1 {
			title, body, _ := strings.Cut(sql, "\n")
			blocks[strings.TrimSpace(title)] = strings.TrimSpace(body)
		}
	}
	return blocks
}

// adapt makes a step for other names and numbers of what the document shows, from 2 relays to 4. Without shards the
// slot's name is the bare one.
func (r *rig) adapt(sql string, from, to int) string {
	name := func(n int) string {
		if n == 1 {
			return "^" + r.db.Name + "$"
		}
		return "^" + r.db.Name + `_\d+_of_` + strconv.Itoa(n) + "$"
	}
	return strings.NewReplacer(
		`^outbox_relay_\d+_of_2$`, name(from), `^outbox_relay_\d+_of_4$`, name(to),
		`outbox_relay_0_of_4`, r.name(0, to), `'outbox_relay_' || i || '_of_4'`, `'`+r.db.Name+`_' || i || '_of_`+strconv.Itoa(to)+`'`,
		`generate_series(1, 3)`, `generate_series(1, `+strconv.Itoa(to-1)+`)`,
	).Replace(sql)
}

// reshard does what docs/sharding.md says, with its own SQL, and returns the new relays. Instead of the best, killed takes
// what it also allows: relays that could not confirm, and no skipping.
func (r *rig) reshard(t testing.TB, old []*relay, w *writing, to int, killed bool) []*relay {
	t.Helper()
	from, sql := len(old), steps(t)
	run := func(title string) {
		t.Helper()
		if sql[title] == "" {
			t.Fatalf("docs/sharding.md has no step %q", title)
		}
		for _, statement := range strings.Split(strings.TrimSuffix(r.adapt(sql[title], from, to), ";"), ";\n") {
			r.db.Exec(t, statement)
		}
	}
	check := r.launch(t, 0, to, "-check", "-slot.create")
	check.mustEnd(t, exitHuman, "a start makes it: ", "docs/sharding.md")
	_, create, _ := strings.Cut(check.Stdout(), "a start makes it: ")
	create, _, _ = strings.Cut(create, "\n")
	r.db.Exec(t, create)
	run("-- 2. the new slots")
	w.more(t, 300)
	passed := r.adapt(sql["-- 3. true when all old relays have passed the new slots"], from, to)
	wait.Until(t, patience, "the old relays have passed the new slots", func(ctx context.Context) error {
		var yes bool
		err := r.query(ctx, passed, &yes)
		if err == nil && !yes {
			err = errors.New("not yet")
		}
		return err
	})
	for _, p := range old {
		if killed {
			if err := p.Kill(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		p.stop(t)
	}
	w.more(t, 300)
	if !killed {
		run("-- 5. the new slots skip what all old relays have confirmed")
	}
	all := r.startAll(t, to)
	w.more(t, 300)
	wait.Until(t, patience, "the old slots are free", func(ctx context.Context) error { // the server notices a killed client at its own time
		var free bool
		err := r.query(ctx, `SELECT count(*) = $1 FROM pg_replication_slots WHERE database = current_database() AND active`, &free, to)
		if err == nil && !free {
			err = errors.New("not yet")
		}
		return err
	})
	run("-- 7. what the old relays leave behind")
	return all
}

// TestReshard changes the number of relays, while writers never stop: 1 to 2 to 3 to 1.
func TestReshard(t *testing.T) {
	t.Parallel()
	for name, killed := range map[string]bool{"stopped": false, "killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reshards(t, killed)
		})
	}
}

func reshards(t *testing.T, killed bool) {
	r := newRig(t)
	if err := load.CreateTable(wait.Context(t, patience), r.db.DSN, ""); err != nil {
		t.Fatal(err)
	}
	relays := r.startAll(t, 1)
	w := r.write(t)
	w.more(t, 300)
	for _, to := range []int{2, 3, 1} {
		relays = r.reshard(t, relays, w, to, killed)
	}
	report := w.finish(t, r)
	t.Logf("%d rows committed, %d records, %d repeats", report.Committed, report.Records, report.Repeats())
	if got := r.slots(t); got != "" { // the name of the last slot is that of the database
		t.Errorf("the slots %q are left too", got)
	}
	if n := scalar[int](t, r, `SELECT count(*)::int FROM pg_publication`); n != 1 {
		t.Errorf("%d publications are left, want one", n)
	}
	for _, p := range relays {
		p.stop(t)
	}
}

// TestAnotherNumber starts relays of another number without the steps, which would send younger events before older ones.
func TestAnotherNumber(t *testing.T) {
	t.Parallel()
	for _, numbers := range [][2]int{{1, 2}, {2, 1}, {2, 3}} {
		t.Run(strconv.Itoa(numbers[0])+" to "+strconv.Itoa(numbers[1]), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, outboxTable)
			for _, p := range r.startAll(t, numbers[0]) {
				p.stop(t)
			}
			before := r.slots(t)
			r.launch(t, 0, numbers[1], "-slot.create").mustEnd(t, exitHuman, "docs/sharding.md", r.name(0, numbers[0]))
			if got := r.slots(t); got != before {
				t.Errorf("slots %q, before %q", got, before)
			}
			if n := scalar[int](t, r, `SELECT count(*)::int FROM pg_publication`); n != numbers[0] {
				t.Errorf("%d publications, before %d", n, numbers[0])
			}
		})
	}
}
