package statuspage

import (
	"fmt"
	"strconv"
	"time"
)

// number writes an integer with commas: 4,211.
func number[T int | int64 | uint64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size writes an amount of memory in powers of 1024, as PostgreSQL does.
func size(n int64) string {
	value, unit := float64(n), "B"
	for _, next := range []string{"kB", "MB", "GB", "TB"} {
		if value < 1024 {
			break
		}
		value, unit = value/1024, next
	}
	if unit == "B" || value >= 100 {
		return fmt.Sprintf("%.0f %s", value, unit)
	}
	return fmt.Sprintf("%.1f %s", value, unit)
}

// duration writes a time with the two units that matter.
func duration(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", max(1, d.Milliseconds()))
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}

func seconds(s float64) time.Duration {
	const most = 1e9 // thirty years, so that it fits
	return time.Duration(min(s, most) * float64(time.Second))
}

// clock writes the time of day, in UTC as the log does.
func clock(t time.Time) string { return t.UTC().Format("15:04:05 UTC") }
