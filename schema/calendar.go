package schema

import "strconv"

// stamp is a date and time as PostgreSQL prints it, before it becomes a number
// or another text. The calendar is the proleptic Gregorian one of both
// PostgreSQL and java.time; there are no leap seconds in it.
type stamp struct {
	days   int64 // since 1970-01-01
	micros int64 // of the day; 24:00:00 is a whole day
	offset int64 // seconds east of UTC
}

// scanner reads a temporal text from left to right. The first thing that does
// not fit clears ok.
type scanner struct {
	text []byte
	ok   bool
}

func (s *scanner) skip(c byte) bool {
	if len(s.text) > 0 && s.text[0] == c {
		s.text = s.text[1:]
		return true
	}
	return false
}

func (s *scanner) want(c byte) {
	if !s.skip(c) {
		s.ok = false
	}
}

// number reads at least least digits.
func (s *scanner) number(least int) int64 {
	var n int64
	i := 0
	for i < len(s.text) && i < 9 && s.text[i] >= '0' && s.text[i] <= '9' {
		n = n*10 + int64(s.text[i]-'0')
		i++
	}
	if i < least {
		s.ok = false
	}
	s.text = s.text[i:]
	return n
}

// date reads year-month-day. A year before Christ is marked at the very end of
// the text: 4713-01-01 00:00:00 BC.
func (s *scanner) date() (days int64) {
	bc := false
	if n := len(s.text); n > 3 && string(s.text[n-3:]) == " BC" {
		bc = true
		s.text = s.text[:n-3]
	}
	year := s.number(4)
	s.want('-')
	month := s.number(2)
	s.want('-')
	day := s.number(2)
	if bc {
		year = 1 - year
	}
	if month < 1 || month > 12 || day < 1 || day > 31 {
		s.ok = false
	}
	return daysFrom(year, month, day)
}

// clock reads hours:minutes:seconds with up to six digits of fraction.
func (s *scanner) clock() (micros int64) {
	micros = s.number(2)
	s.want(':')
	micros = micros*60 + s.number(2)
	s.want(':')
	micros = (micros*60 + s.number(2)) * 1_000_000
	return micros + s.fraction()
}

// fraction reads an optional .ffffff and returns microseconds.
func (s *scanner) fraction() int64 {
	if !s.skip('.') {
		return 0
	}
	before := len(s.text)
	n := s.number(1)
	digits := before - len(s.text)
	if digits > 6 {
		s.ok = false
	}
	for ; digits < 6; digits++ {
		n *= 10
	}
	return n
}

// zone reads +hh, +hh:mm or +hh:mm:ss and returns seconds.
func (s *scanner) zone() int64 {
	sign := int64(1)
	if s.skip('-') {
		sign = -1
	} else {
		s.want('+')
	}
	seconds := s.number(2) * 3600
	if s.skip(':') {
		seconds += s.number(2) * 60
		if s.skip(':') {
			seconds += s.number(2)
		}
	}
	return sign * seconds
}

func (s *scanner) done() bool { return s.ok && len(s.text) == 0 }

func parseDate(text []byte) (days int64, ok bool) {
	switch string(text) {
	case "infinity":
		return infinityDays, true
	case "-infinity":
		return negativeInfinityDays, true
	}
	s := scanner{text, true}
	days = s.date()
	return days, s.done()
}

func parseTimestamp(text []byte, zoned bool) (stamp, bool) {
	s := scanner{text, true}
	t := stamp{days: s.date()}
	s.want(' ')
	t.micros = s.clock()
	if zoned {
		t.offset = s.zone()
	}
	return t, s.done()
}

func parseTime(text []byte, zoned bool) (stamp, bool) {
	s := scanner{text, true}
	t := stamp{micros: s.clock()}
	if zoned {
		t.offset = s.zone()
	}
	return t, s.done()
}

// daysFrom counts the days since 1970-01-01. It works in eras of 400 years that
// begin on the first of March, so that the leap day is a year's last.
func daysFrom(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	era := floorDiv(year, 400)
	ofEra := year - era*400
	ofYear := (153*(month-3)+2)/5 + day - 1
	return era*146097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719468
}

// civil is the inverse of daysFrom.
func civil(days int64) (year, month, day int64) {
	days += 719468
	era := floorDiv(days, 146097)
	d := days - era*146097
	ofEra := (d - d/1460 + d/36524 - d/146096) / 365
	ofYear := d - (365*ofEra + ofEra/4 - ofEra/100)
	m := (5*ofYear + 2) / 153
	day = ofYear - (153*m+2)/5 + 1
	year = ofEra + era*400
	month = m + 3
	if month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// appendDate writes a date as java.time's ISO_LOCAL_DATE does: a year above
// 9999 has a plus sign, the year before 0001 is 0000.
func appendDate(dst []byte, days int64) []byte {
	switch year, _, _ := civil(days); {
	case year > 9999:
		dst = append(dst, '+')
	case year < 0:
		dst = append(dst, '-')
	}
	return appendCivil(dst, days)
}

// appendCivil writes a date without the year's sign.
func appendCivil(dst []byte, days int64) []byte {
	year, month, day := civil(days)
	dst = appendPadded(dst, max(year, -year), 4)
	dst = append(dst, '-')
	dst = appendPadded(dst, month, 2)
	dst = append(dst, '-')
	return appendPadded(dst, day, 2)
}

// Widths of a fraction: a fixed number of digits, or as many as it needs.
const fractionAsNeeded = -1

// appendClock writes hh:mm:ss and the fraction.
func appendClock(dst []byte, micros int64, width int) []byte {
	seconds := micros / 1_000_000
	dst = appendPadded(dst, seconds/3600, 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, seconds/60%60, 2)
	dst = append(dst, ':')
	dst = appendPadded(dst, seconds%60, 2)
	return appendFraction(dst, micros%1_000_000, width)
}

func appendFraction(dst []byte, micros int64, width int) []byte {
	if width == 0 || width == fractionAsNeeded && micros == 0 {
		return dst
	}
	dst = append(dst, '.')
	dst = appendPadded(dst, micros, 6)
	if width > 0 {
		return dst[:len(dst)-6+width]
	}
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendPadded writes n, which is not negative, with at least width digits.
func appendPadded(dst []byte, n int64, width int) []byte {
	digits := 1
	for rest := n; rest >= 10; rest /= 10 {
		digits++
	}
	for ; digits < width; digits++ {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, n, 10)
}
