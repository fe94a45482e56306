package stats_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/stats"
)

func TestOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		values []float64
		want   stats.Spread
	}{
		{"nothing", nil, stats.Spread{}},
		{"one", []float64{3}, stats.Spread{Median: 3, Min: 3, Max: 3, N: 1}},
		{"odd, not sorted", []float64{9, 1, 5}, stats.Spread{Median: 5, Min: 1, Max: 9, N: 3}},
		{"even: the mean of the middle two", []float64{4, 1, 2, 100}, stats.Spread{Median: 3, Min: 1, Max: 100, N: 4}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, stats.Of(tt.values)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOfKeepsItsArgument(t *testing.T) {
	t.Parallel()
	values := []float64{2, 1}
	stats.Of(values)
	if values[0] != 2 {
		t.Errorf("the values were sorted in place: %v", values)
	}
}

func TestPaired(t *testing.T) {
	t.Parallel()
	none := math.NaN()
	tests := []struct {
		name        string
		over, under []float64
		want        stats.Spread
	}{
		{"nothing", nil, nil, stats.Spread{}},
		{"a slow round is slow for both", []float64{100, 10, 120}, []float64{50, 5, 40}, stats.Spread{Median: 2, Min: 2, Max: 3, N: 3}},
		{"a round that one of them failed in", []float64{100, none, 90}, []float64{50, 5, none}, stats.Spread{Median: 2, Min: 2, Max: 2, N: 1}},
		{"nothing to compare with", []float64{1}, []float64{0}, stats.Spread{}},
		{"a contender that stopped early", []float64{1, 2}, []float64{1}, stats.Spread{Median: 1, Min: 1, Max: 1, N: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, stats.Paired(tt.over, tt.under)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	var hundred []time.Duration
	for i := 100; i > 0; i-- {
		hundred = append(hundred, time.Duration(i))
	}
	tests := []struct {
		name   string
		values []time.Duration
		p      float64
		want   time.Duration
	}{
		{"nothing", nil, 0.5, 0},
		{"one value is every percentile", []time.Duration{7}, 0.99, 7},
		{"half", hundred, 0.5, 50},
		{"nearly all", hundred, 0.99, 99},
		{"all", hundred, 1, 100},
		{"none", hundred, 0, 1},
		{"a rank between two values is the upper one", []time.Duration{1, 2, 3}, 0.5, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := stats.Percentile(tt.values, tt.p); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
	if hundred[0] != 100 {
		t.Error("the values were sorted in place")
	}
}

func TestRotate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		turns int
		want  []string
	}{
		{0, []string{"a", "b", "c"}},
		{1, []string{"b", "c", "a"}},
		{2, []string{"c", "a", "b"}},
		{3, []string{"a", "b", "c"}},
		{7, []string{"b", "c", "a"}},
	}
	list := []string{"a", "b", "c"}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, stats.Rotate(list, tt.turns)); diff != "" {
			t.Errorf("%d turns (-want +got):\n%s", tt.turns, diff)
		}
	}
	if got := stats.Rotate([]string(nil), 3); len(got) != 0 {
		t.Errorf("an empty list became %v", got)
	}
}
