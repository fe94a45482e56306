package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/stats"
)

// none stands for a value that was not measured.
const none = "–"

// numeral prints one value.
type numeral func(float64) string

// spread prints the median, and behind it the range if there is one.
func (n numeral) spread(s stats.Spread) string {
	switch s.N {
	case 0:
		return none
	case 1:
		return n(s.Median)
	}
	return fmt.Sprintf("%s (%s–%s)", n(s.Median), n(s.Min), n(s.Max))
}

// thousands prints whole numbers with commas: 54,321.
func thousands(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// times prints a ratio: 1.65×.
func times(v float64) string { return significant(v) + "×" }

// megabytes prints bytes as MB of 2^20 bytes.
func megabytes(v float64) string { return significant(v / (1 << 20)) }

// milliseconds prints seconds as ms.
func milliseconds(v float64) string { return significant(v * 1e3) }

// significant prints three significant digits, but never drops digits before the point.
func significant(v float64) string {
	switch abs := math.Abs(v); {
	case abs >= 99.95:
		return thousands(v)
	case abs >= 9.995:
		return fmt.Sprintf("%.1f", v)
	case abs >= 0.0995 || abs == 0:
		return fmt.Sprintf("%.2f", v)
	default:
		return fmt.Sprintf("%.3f", v)
	}
}
