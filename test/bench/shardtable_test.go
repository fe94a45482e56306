package main

import "testing"

// More relays count as faster or slower only if every round says so.
func TestShardVerdict(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		two  []float64 // rows per second, where one relay has 100
		want string
	}{
		{"faster", []float64{150, 120, 130}, "Compared with one relay, 2 relays were faster in every round (median 1.30×)."},
		{"slower", []float64{50, 90, 80}, "Compared with one relay, 2 relays were slower in every round (median 0.80×)."},
		{"no gain", []float64{100, 90, 101}, "Compared with one relay, 2 relays were faster in no round (median 1.00×)."},
		{"noise", []float64{200, 90, 130}, "Compared with one relay, 2 relays were faster in some rounds and not in others (median 1.30×)."},
		{"nothing", nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := &board{rounds: 3, values: map[cell][]float64{}}
			for round := range test.two {
				b.set(relayCount(1), rate, round, 100)
				b.set(relayCount(2), rate, round, test.two[round])
			}
			if got := shardVerdict(b); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
