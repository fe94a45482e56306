package pipeline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pglogrepl"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// Skip names one event that is given up by hand. Whatever is set must fit; the zero
// value names none.
type Skip struct {
	LSN pglogrepl.LSN // of its transaction, as the message of a stop gives it
	Row int           // in that transaction, from 1; 0 if it is the only one
	ID  string        // the id column's value
}

// ParseSkipLSN reads skip.lsn: an LSN, with #N behind it for the Nth event of its
// transaction.
func ParseSkipLSN(text string) (Skip, error) {
	if text == "" {
		return Skip{}, nil
	}
	position, number, numbered := strings.Cut(text, "#")
	lsn, err := pglogrepl.ParseLSN(position)
	if err != nil || lsn == 0 {
		return Skip{}, errors.New("is no LSN such as 16/B374D848, or 16/B374D848#2 for the second event of its transaction")
	}
	if !numbered {
		return Skip{LSN: lsn}, nil
	}
	row, err := strconv.Atoi(number)
	if err != nil || row < 1 {
		return Skip{}, fmt.Errorf("has %q behind the #, want a number from 1", number)
	}
	return Skip{LSN: lsn, Row: row}, nil
}

func (s Skip) enabled() bool { return s != Skip{} }

// place is where an event stands.
type place struct {
	lsn pglogrepl.LSN
	row int
}

// skipper skips one event, each time that it comes until it is confirmed. It lives
// longer than a session.
type skipper struct {
	Skip
	log     zerolog.Logger
	skipped prometheus.Counter
	at      place  // of the event; zero until it came
	id      string // of the event
	stood   bool   // its transaction was read to the end
	told    bool   // that it has not come
}

var errSkipAmbiguous = errors.New("skip.lsn names a transaction of more than one event; nothing of it was given up. Say which: write #N behind the LSN for the Nth, or name it by skip.id too")

// takes answers whether this is the event to skip. A second event that fits is
// another one, and stays; if only the transaction was named, nobody knows which of
// the two was meant.
func (s *skipper) takes(at place, id []byte) (bool, error) {
	fits := (s.LSN == 0 || s.LSN == at.lsn) && (s.Row == 0 || s.Row == at.row) && (s.ID == "" || s.ID == string(id))
	switch {
	case !fits:
		return false, nil
	case s.at == place{}:
		s.at, s.id = at, string(id)
		return true, nil
	case s.at == at:
		return true, nil
	case s.ID == "" && s.Row == 0:
		return false, errSkipAmbiguous
	}
	return false, nil
}

// stands tells once, at the end of the event's transaction, that it is given up: until
// then a second event may show that the skip is ambiguous, or stop the relay, which
// confirms nothing of the transaction.
func (s *skipper) stands(lsn pglogrepl.LSN) {
	if s == nil || s.stood || s.at == (place{}) || s.at.lsn != lsn {
		return
	}
	s.stood = true
	s.skipped.Inc()
	s.log.Warn().Stringer("lsn", s.at.lsn).Int("row", s.at.row).Str("id", s.id).
		Msg("event skipped by hand (skip.lsn, skip.id) and given up; take the option out of the configuration now")
}

// passed warns once if everything up to a position was read without the event.
func (s *skipper) passed(lsn pglogrepl.LSN) {
	if s == nil || s.told || s.at != (place{}) || s.LSN != 0 && lsn < s.LSN {
		return
	}
	s.told = true
	s.log.Warn().Stringer("skip_lsn", s.LSN).Str("skip_id", s.ID).Stringer("read_to", lsn).
		Msg("skip.lsn or skip.id has matched no event so far; nothing was skipped")
}

// newSkipper returns nil if nothing is to be skipped.
func newSkipper(s Skip, log zerolog.Logger, m *Metrics) *skipper {
	if !s.enabled() {
		return nil
	}
	return &skipper{Skip: s, log: log, skipped: m.skipped}
}
