package main

import (
	"strings"
	"testing"
	"time"
)

// TestLedger commits 1 and 2 of key a and 3 of key b, then lets events arrive.
func TestLedger(t *testing.T) {
	t.Parallel()
	at := time.Unix(1e9, 0)
	got := func(id, key, value string) event {
		return event{id: id, key: key, value: value, arrived: at.Add(time.Millisecond)}
	}
	tests := []struct {
		name   string
		events []event
		open   int
		err    string // of the last event
	}{
		{"in order", []event{got("1", "a", "v1"), got("2", "a", "v2"), got("3", "b", "v3")}, 0, ""},
		{"keys in any order", []event{got("3", "b", "v3"), got("1", "a", "v1")}, 1, ""},
		{"nothing yet", nil, 3, ""},
		{"order of a key", []event{got("2", "a", "v2")}, 3, "event 2 of order a arrived where 1 must come next"},
		{"repeated at once", []event{got("1", "a", "v1"), got("1", "a", "v1")}, 2, "event 1 of order a arrived where 2"},
		{"repeated at the end", []event{got("3", "b", "v3"), got("3", "b", "v3")}, 2, "it is repeated, or was never committed"},
		{"never committed", []event{got("9", "c", "v9")}, 3, "it is repeated, or was never committed"},
		{"other key", []event{got("1", "b", "v1")}, 3, "event 1 of order b arrived where 3"},
		{"no id", []event{got("", "a", "v1")}, 3, "event  of order a arrived where 1"},
		{"changed", []event{got("1", "a", "v 1")}, 3, "arrived as v 1, but was committed as v1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := newLedger()
			l.expect([]expected{{"1", "a", "v1", at}, {"2", "a", "v2", at}, {"3", "b", "v3", at}})
			var err error
			for _, e := range test.events {
				var delay time.Duration
				if delay, err = l.arrived(e); err == nil && delay != time.Millisecond {
					t.Errorf("delay: got %v", delay)
				}
			}
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("error: got %v, want %q", err, test.err)
			}
			if l.open != test.open {
				t.Errorf("open: got %d, want %d", l.open, test.open)
			}
		})
	}
}

// TestLedgerForgets keeps the memory of a demo that runs for days from growing.
func TestLedgerForgets(t *testing.T) {
	t.Parallel()
	l := newLedger()
	l.expect([]expected{{id: "1", key: "a"}, {id: "2", key: "b"}})
	for _, e := range []event{{id: "1", key: "a"}, {id: "2", key: "b"}} {
		if _, err := l.arrived(e); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.byKey) != 0 {
		t.Errorf("keeps %v", l.byKey)
	}
}
