package proof

import "github.com/jackc/pglogrepl"

// Sighting is what was seen of a slot at one moment.
type Sighting struct {
	System    string        `json:"system"`           // system identifier of the server
	Timeline  string        `json:"timeline"`         // on which it writes
	Flushed   pglogrepl.LSN `json:"flushed"`          // how far it had flushed before the slot was looked up
	Restart   pglogrepl.LSN `json:"restart"`          // restart_lsn
	Confirmed pglogrepl.LSN `json:"confirmed"`        // confirmed_flush_lsn
	Stamp     string        `json:"stamp,omitempty"`  // stats_reset; empty if there is none, or none that can be trusted
	Sender    string        `json:"sender,omitempty"` // the walsender's process and START_REPLICATION; empty if not seen
	Synced    bool          `json:"synced,omitempty"` // copied from a primary by slot synchronization
}

// Continues reports whether s shows the same slot as one that was seen under the same name before. False means that
// nothing shows it, not that it is another.
func (s Sighting) Continues(before Sighting) bool {
	if s.System != before.System {
		return false
	}
	return s.Stamp != "" && s.Stamp == before.Stamp ||
		s.Sender != "" && s.Sender == before.Sender ||
		s.older(before.Flushed) && (s.Timeline == before.Timeline || s.Synced)
}

// older reports whether the slot was made before the server had flushed up to a position. restart_lsn begins where the
// server inserts at that moment, which is never below what is flushed, and only moves on.
func (s Sighting) older(flushed pglogrepl.LSN) bool {
	return s.Restart != 0 && s.Restart < flushed
}
