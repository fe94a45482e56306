package pipeline

import (
	"slices"
	"time"

	"github.com/outbox-relay/outbox-relay/replication"
)

// unreadFor is how long nobody may read the slot of another shard before that is told:
// a restart of its relay takes less.
const unreadFor = time.Minute

// unread are the slots of other shards that nobody reads: a relay that was never started
// cannot tell it itself.
type unread struct {
	since map[string]time.Time
	told  []string
}

// look takes a sample's slots and returns those that were unread for long, and whether
// these are others than before.
func (u *unread) look(slots []string, now time.Time) (long []string, changed bool) {
	before := u.since
	u.since = make(map[string]time.Time, len(slots))
	for _, slot := range slots {
		first, known := before[slot]
		if !known {
			first = now
		}
		if u.since[slot] = first; now.Sub(first) >= unreadFor {
			long = append(long, slot)
		}
	}
	changed = !slices.Equal(long, u.told)
	u.told = long
	return long, changed
}

// tellUnread logs once when a shard has no relay. It is for Watch alone.
func (r *Relay) tellUnread(s *replication.Sample) {
	if s.Err != nil {
		return
	}
	switch slots, changed := r.unread.look(s.Unread, s.At); {
	case !changed:
	case len(slots) == 0:
		r.log.Info().Msg("the slots of all other shards are read again")
	default:
		r.log.Warn().Strs("slots", slots).Msg("nobody reads the slots of other shards: their rows wait in the WAL, which grows, until their relays are started")
	}
}
