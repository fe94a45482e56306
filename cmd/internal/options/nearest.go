package options

import "strings"

// nearest returns the known name that a mistyped one most likely stands for, or nothing: see Nearest; failing that,
// a name that starts or ends with what was typed.
func nearest(name string, known []string) string {
	if best := Nearest(name, known, 3); best != "" {
		return best
	}
	for _, k := range known {
		if strings.HasPrefix(k, name+".") || strings.HasSuffix(k, "."+name) {
			return k
		}
	}
	return ""
}

// Nearest returns the known name with the fewest letters wrong, whatever their case, or "". One letter in share may
// be wrong, and two in any case.
func Nearest(name string, known []string, share int) string {
	best, bestDistance := "", max(2, len(name)/share)+1
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with their neighbor to turn a into b (the
// restricted Damerau-Levenshtein distance).
func distance(a, b string) int {
	before, prev := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, prev[j]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev = prev, row
	}
	return prev[len(b)]
}
