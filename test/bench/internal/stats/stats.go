// Package stats is the arithmetic of the benchmark: what a few repeated measurements are summed up to, and in which
// order the contenders take their turns.
package stats

import (
	"math"
	"slices"
	"time"
)

// Spread sums up repeated measurements. The median is what counts; minimum and maximum show how far to trust it.
type Spread struct {
	Median, Min, Max float64
	N                int // measurements; 0 when there were none, and the rest means nothing
}

// Of sums up values, in any order.
func Of(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return Spread{Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Min: sorted[0], Max: sorted[n-1], N: n}
}

// Paired sums up the ratios of two contenders round by round. What slowed the machine in one round slowed both, so
// the ratios vary less than the measurements do. Rounds in which one of them has no value (NaN) are left out.
func Paired(over, under []float64) Spread {
	var ratios []float64
	for i := range min(len(over), len(under)) {
		if r := over[i] / under[i]; !math.IsNaN(r) && !math.IsInf(r, 0) {
			ratios = append(ratios, r)
		}
	}
	return Of(ratios)
}

// Percentile is the value that a share p (0 to 1) of the values does not exceed, by the nearest rank: always one of
// the values. It is 0 when there are none. The values need not be sorted, and are not changed.
func Percentile(values []time.Duration, p float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Rotate returns list with its first turns elements moved to the end, so that over as many rounds as there are
// contenders each of them is first, second and so on once.
func Rotate[T any](list []T, turns int) []T {
	if len(list) == 0 {
		return nil
	}
	turns %= len(list)
	return slices.Concat(list[turns:], list[:turns])
}
