package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// mustParse reads a command line that is right.
func mustParse(t *testing.T, args ...string) choices {
	t.Helper()
	c, err := parse(args)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDebeziumIsLeftOutOfAQuickRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args []string
		want bool
	}{
		{nil, true},
		{[]string{"-debezium=false"}, false},
		{[]string{"-quick"}, false},
		{[]string{"-quick", "-debezium"}, true},
	}
	for _, tt := range tests {
		if got := mustParse(t, tt.args...).debezium; got != tt.want {
			t.Errorf("%q: %t, want %t", tt.args, got, tt.want)
		}
	}
}

func TestCommandNamesNoFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args []string
		want string
	}{
		{nil, "go run ./test/bench"},
		{[]string{"-write", "-quick"}, "go run ./test/bench -quick -write"},
		{[]string{"-shapes", "^1 row"}, "go run ./test/bench -shapes='^1 row'"},
		{[]string{"-relay", "/x/relay", "-docs=/y", "-debezium=false", "-rows", "7"}, "go run ./test/bench -debezium=false -rows=7"},
	}
	for _, tt := range tests {
		if got := mustParse(t, tt.args...).command; got != tt.want {
			t.Errorf("%q: %s, want %s", tt.args, got, tt.want)
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	names := func(p plan) []string {
		var list []string
		for _, s := range p.shapes {
			list = append(list, s.String())
		}
		return list
	}
	quick := mustParse(t, "-quick").plan()
	want := []string{"1 row per transaction, 300 B", "100 rows per transaction, 300 B", "one transaction, 300 B"}
	if diff := cmp.Diff(want, names(quick)); diff != "" {
		t.Errorf("the quick shapes (-want +got):\n%s", diff)
	}
	full := mustParse(t).plan()
	all := strings.Join(names(full), "\n")
	for _, part := range append(want, "10 rows", "50 topics", "3 kB", "100 kB") {
		if !strings.Contains(all, part) {
			t.Errorf("no shape has %q:\n%s", part, all)
		}
	}
	small := mustParse(t, "-rows", "7000", "-rounds", "2", "-seconds", "3", "-shapes", "kB").plan()
	if diff := cmp.Diff([]string{"100 rows per transaction, 3 kB", "10 rows per transaction, 100 kB"}, names(small)); diff != "" {
		t.Errorf("the chosen shapes (-want +got):\n%s", diff)
	}
	if small.shapes[0].rows != 7000 || small.shapes[1].rows != 5000 {
		t.Errorf("%d and %d rows, want 7000, and the 5000 of a shape that has fewer", small.shapes[0].rows, small.shapes[1].rows)
	}
	if small.rounds != 2 || small.flowRounds != 2 || small.latency != 3*time.Second {
		t.Errorf("%d and %d rounds, %v", small.rounds, small.flowRounds, small.latency)
	}
}

func TestSlotNamesDiffer(t *testing.T) {
	t.Parallel()
	s := &stand{receive: "x", choices: choices{debezium: true, baseline: "y"}}
	all := s.drainers()
	seen := map[string]bool{}
	for round := range 3 {
		for _, c := range all {
			name := slotName(c, all, round)
			if name == "" || seen[name] {
				t.Errorf("%s in round %d has slot %q, which is empty or not its own", c.name, round, name)
			}
			seen[name] = true
		}
	}
}
