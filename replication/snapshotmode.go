package replication

import "fmt"

// SnapshotMode is Debezium's snapshot.mode: when the rows that the outbox tables
// hold already are relayed before the stream.
type SnapshotMode string

// The modes. What they do about a slot that is there already differs from
// Debezium, which keeps its progress elsewhere: here the slot is the progress.
const (
	// NoData takes no snapshot. The empty mode is the same.
	NoData SnapshotMode = "no_data"
	// Initial takes one when this process makes the slot, or when one through the
	// slot was not finished.
	Initial SnapshotMode = "initial"
	// InitialOnly is Initial without the stream behind it.
	InitialOnly SnapshotMode = "initial_only"
	// Always takes one at each start of the process.
	Always SnapshotMode = "always"
	// WhenNeeded is Initial, and replaces a slot that is missing or lost by a new
	// one with a snapshot, where the other modes stop for a person to decide.
	WhenNeeded SnapshotMode = "when_needed"
)

// validate reports a mode that does not exist.
func (m SnapshotMode) validate() error {
	switch m {
	case "", NoData, Initial, InitialOnly, Always, WhenNeeded:
		return nil
	}
	return fmt.Errorf("snapshot.mode: %q is none of %s, %s, %s, %s, %s", string(m), NoData, Initial, InitialOnly, Always, WhenNeeded)
}

// wanted reports whether the mode ever takes a snapshot.
func (m SnapshotMode) wanted() bool { return m != "" && m != NoData }
