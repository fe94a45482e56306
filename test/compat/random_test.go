package compat_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// alphabet is what texts by chance are made of.
var alphabet = []rune("abcABC019 _-.,:;!?'\"\\/{}[]()<>&%$#@éüßñÅ漢字кир😀🚀\u0301\u2028\u00a0\n\t\u0001\u007f")

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(30) {
		b.WriteRune(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// cut shortens a text to n characters.
func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}

func randomUUID(r *rand.Rand) string {
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&0xffffffffffff)
}

func randomFloat4(r *rand.Rand) string {
	f := math.Float32frombits(r.Uint32())
	if f != f || math.IsInf(float64(f), 0) {
		return "0.5"
	}
	return strconv.FormatFloat(float64(f), 'g', -1, 32)
}

func randomFloat8(r *rand.Rand) string {
	f := math.Float64frombits(r.Uint64())
	if r.IntN(2) == 0 { // near the sizes where Java changes its notation
		f = math.Pow(10, float64(r.IntN(16)-6)) * (r.Float64()*2 - 1)
	}
	if f != f || math.IsInf(f, 0) {
		return "0.5"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func digits(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte('0' + byte(r.IntN(10)))
	}
	return b.String()
}

func randomNumeric(r *rand.Rand) string {
	text := "0" + digits(r, r.IntN(25))
	if r.IntN(2) == 0 {
		text = "-" + text
	}
	if n := r.IntN(20); n > 0 {
		text += "." + digits(r, n)
	}
	return text
}

// randomInstant is between the years 1 and 10000; two of three are within a century around now.
func randomInstant(r *rand.Rand) time.Time {
	from, to := time.Date(1950, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(2050, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	if r.IntN(3) == 0 {
		from, to = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	}
	return time.Unix(from+r.Int64N(to-from), r.Int64N(1e9)).UTC()
}

func randomDate(r *rand.Rand) string { return randomInstant(r).Format("2006-01-02") }

// fraction is Go's layout for so many digits of a second.
func fraction(digits int) string {
	if digits == 0 {
		return ""
	}
	return "." + strings.Repeat("0", digits)
}

func randomTime(digits int) func(r *rand.Rand) string {
	return func(r *rand.Rand) string { return randomInstant(r).Format("15:04:05" + fraction(digits)) }
}

func randomTimestamp(digits int) func(r *rand.Rand) string {
	return func(r *rand.Rand) string {
		return randomInstant(r).Format("2006-01-02 15:04:05" + fraction(r.IntN(digits+1)))
	}
}

func randomBytea(r *rand.Rand) string {
	b := make([]byte, r.IntN(40))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return `\x` + hex.EncodeToString(b)
}

func randomJSON(r *rand.Rand) string { return jsonValue(r, 3) }

// jsonValue makes a document of at most so many levels. Arrays mostly hold values of one type, because others cannot
// be expanded.
func jsonValue(r *rand.Rand, levels int) string {
	n := r.IntN(8)
	if levels == 0 {
		n = r.IntN(5)
	}
	switch n {
	case 0:
		return quoted(randomText(r))
	case 1:
		return strconv.Itoa(int(int32(r.Uint32())) >> r.IntN(32))
	case 2:
		return jsonNumber(r)
	case 3:
		return strconv.FormatBool(r.IntN(2) == 0)
	case 4:
		return "null"
	case 5:
		return jsonArray(r, levels-1)
	}
	return jsonObject(r, levels-1)
}

func jsonNumber(r *rand.Rand) string {
	switch r.IntN(3) {
	case 0:
		return strconv.FormatInt(int64(r.Uint64()), 10)
	case 1:
		return strconv.FormatFloat(r.Float64()*1000, 'f', r.IntN(10), 64)
	}
	return fmt.Sprintf("%d.%de%d", r.IntN(10), r.IntN(1000), r.IntN(40)-20)
}

func jsonArray(r *rand.Rand, levels int) string {
	items := make([]string, r.IntN(4))
	first := r.Uint64()
	for i := range items {
		if r.IntN(4) > 0 {
			items[i] = jsonValue(rand.New(rand.NewPCG(first, 0)), levels)
			continue
		}
		items[i] = jsonValue(r, levels)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

func jsonObject(r *rand.Rand, levels int) string {
	var members []string
	names := []string{"a", "bb", "name", "Ü", "x.y", "1st", "sp ace", "id"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[:r.IntN(5)] {
		members = append(members, quoted(name)+": "+jsonValue(r, levels))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// quoted is a JSON string.
func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a notation
	}
	return string(text)
}
