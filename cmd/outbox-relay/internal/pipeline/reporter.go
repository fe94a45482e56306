package pipeline

import (
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/replication"
)

// reporter logs what happens while a session opens.
type reporter struct{ *Relay }

// SlotCreated implements replication.Reporter.
func (r *reporter) SlotCreated(slot string, lsn pglogrepl.LSN, rows int64) {
	r.cfg.Metrics.slotCreated.Inc()
	e := r.log.Warn().Str("slot", slot).Stringer("lsn", lsn)
	if rows >= 0 {
		e = e.Int64("rows_before", rows)
	}
	e.Msg("replication slot created; rows committed before it are not relayed")
}

// SnapshotBegins implements replication.Reporter.
func (r *reporter) SnapshotBegins(slot string, lsn pglogrepl.LSN, again bool) {
	e := r.log.Info()
	if !again {
		r.cfg.Metrics.slotCreated.Inc()
	}
	e.Str("slot", slot).Stringer("lsn", lsn).Bool("slot_is_older", again).Str("snapshot_mode", string(r.cfg.Replication.Snapshot)).
		Msg("snapshot begins")
}

// WaitingForSlot implements replication.Reporter.
func (r *reporter) WaitingForSlot(slot string, pid int32, application string) {
	r.state.set(PhaseWaitingForSlot)
	r.state.holder(pid, application)
	err := fmt.Errorf("replication slot %q is active for pid %d (%s)", slot, pid, application)
	r.held.Failed(err, func(e *zerolog.Event) { e.Int32("pid", pid).Str("application_name", application) })
}

// WaitingForTransaction implements replication.Reporter.
func (r *reporter) WaitingForTransaction(pid int32, application, state string, age time.Duration) {
	r.log.Warn().Int32("pid", pid).Str("application_name", application).Str("state", state).Stringer("age", age).
		Msg("creating the replication slot waits for a running transaction")
}

// SlotMoved implements replication.Reporter.
func (r *reporter) SlotMoved(slot string, from, to pglogrepl.LSN) {
	r.log.Warn().Str("slot", slot).Stringer("from", from).Stringer("to", to).
		Msg("the slot was moved by somebody else; events between the two positions were not relayed by this process")
}

// StandbyBehind implements replication.Reporter.
func (r *reporter) StandbyBehind(_, message string) {
	r.standby.Store(&heldBack{time.Now(), message})
	r.behind.Failed(errors.New(message))
}

// HistoryChanged implements replication.Reporter.
func (r *reporter) HistoryChanged(before, now replication.Position) {
	r.log.Warn().Str("system_id_before", before.SystemID).Int32("timeline_before", before.Timeline).
		Str("system_id", now.SystemID).Int32("timeline", now.Timeline).
		Msg("the server has another history than before; starting where its slot says")
}
