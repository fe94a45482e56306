package statuspage

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/replication"
)

// Tone is how bad it is.
type Tone string

// The tones, from the best to the worst.
const (
	Good Tone = "good" // events flow
	Wait Tone = "wait" // they will, or somebody else sees to them
	Bad  Tone = "bad"  // they do not
)

// Words say what the relay is doing.
type Words struct {
	Tone   Tone   `json:"tone"`
	Title  string `json:"title"`            // one short sentence
	Detail string `json:"detail"`           // the figures
	Reason string `json:"reason,omitempty"` // an error as it was reported
	Advice string `json:"advice,omitempty"` // what a person can do
}

// describe puts the state into words: what stops events first, then how they flow.
// lost is since when there is no connection to the database.
func describe(v *pipeline.Present, end *ending, now, lost time.Time) Words {
	switch {
	case end != nil:
		return ended(end)
	case v.State == pipeline.PhaseStopping:
		return Words{Tone: Wait, Title: "Stopping.", Detail: waitFor(v)}
	case v.SlotView.State == "lost":
		return slotGone(v)
	case v.State == pipeline.PhaseWaitingForSlot:
		return spare(v)
	case disconnected(v):
		return unconnected(v, now, lost)
	case v.State == pipeline.PhaseConnecting:
		return Words{Tone: Wait, Title: "Connecting to PostgreSQL.", Detail: "Events follow as soon as the slot is open."}
	case v.Brokers != nil:
		return brokersDown(v, now)
	case v.Snapshot != nil:
		return snapshot(v)
	case v.Stream != nil && v.State == pipeline.PhaseStreaming:
		return Words{Tone: Bad, Title: "PostgreSQL is silent.", Detail: waitFor(v), Reason: v.Stream.Error()}
	}
	return streaming(v, now)
}

// endings are titles for what a relay most often ends with, by the reason that the error has.
var endings = map[string]string{
	"slot_lost": "The slot is lost.", "slot_missing": "The slot is missing.", "row": "A row cannot be relayed.", "record": "An event cannot be sent.",
}

// ended is the last thing that the page says. The error says itself what to do.
func ended(end *ending) Words {
	if end.err == nil {
		return Words{Tone: Wait, Title: "Stopped.", Detail: "Everything that was read is acknowledged and confirmed. The slot keeps what comes after it."}
	}
	code := fmt.Sprintf("The relay stopped with exit code %d. ", end.code)
	w := Words{Tone: Bad, Title: cmp.Or(endings[replication.Reason(end.err)], "Stopped."), Detail: code + "Starting it again may help.", Reason: end.err.Error()}
	switch end.code {
	case daemon.Config:
		w.Detail = code + "The configuration must change; a restart alone does not help."
	case daemon.Human:
		w.Detail = code + "A restart does not help: a person must decide."
	}
	return w
}

const lostAdvice = "PostgreSQL has removed WAL that the slot still needed, so events may be missing in Kafka. " +
	"Find them by their ids in the outbox table, then drop the slot and start once with -slot.create, or with -snapshot.mode when_needed."

func slotGone(v *pipeline.Present) Words {
	return Words{Tone: Bad, Title: "The slot is lost.", Detail: "No more events can come from it.", Reason: v.SlotView.Reason, Advice: lostAdvice}
}

// spare is a relay that waits for another one's end.
func spare(v *pipeline.Present) Words {
	return Words{
		Tone: Wait, Title: "Standing by.",
		Detail: fmt.Sprintf("%s (pid %d) reads the slot. This relay takes over within seconds when that one ends.", orUnnamed(v.WaitingForApp), v.WaitingForPID),
	}
}

func orUnnamed(application string) string {
	if application == "" {
		return "Another process"
	}
	return application
}

// disconnected reports whether the database was tried in vain.
func disconnected(v *pipeline.Present) bool {
	return v.State == pipeline.PhaseBackingOff || v.State == pipeline.PhaseConnecting && v.LastError != ""
}

func unconnected(v *pipeline.Present, now, since time.Time) Words {
	return Words{
		Tone: Bad, Title: "No connection to PostgreSQL.", Reason: v.LastError,
		Detail: "Since " + clock(since) + ", for " + duration(now.Sub(since)) + ". New events wait in the database; nothing is lost while the slot lives.",
	}
}

// brokersDown is about the brokers: since when, and what waits where.
func brokersDown(v *pipeline.Present, now time.Time) Words {
	w := Words{Tone: Bad, Title: "Kafka does not answer.", Reason: v.KafkaError, Advice: "Nothing is lost: PostgreSQL keeps the events until the brokers have acknowledged them."}
	if v.KafkaConnect {
		w.Title = "Kafka does not acknowledge."
	}
	since := ""
	if !v.Kafka.RetryingSince.IsZero() {
		since = "Since " + clock(v.Kafka.RetryingSince) + ", for " + duration(now.Sub(v.Kafka.RetryingSince)) + ". "
	}
	w.Detail = since + waitFor(v)
	return w
}

// waitFor is what has not arrived yet.
func waitFor(v *pipeline.Present) string {
	text := ""
	switch n := v.Unacked.Events; n {
	case 0:
		text = "No event waits"
	case 1:
		text = "1 event waits"
	default:
		text = number(n) + " events wait"
	}
	if v.Lag != nil && v.Lag.ReceivedBytes > 0 {
		text += fmt.Sprintf(" in memory, and %s of WAL behind them in PostgreSQL", size(v.Lag.ReceivedBytes))
	}
	return text + "."
}

func snapshot(v *pipeline.Present) Words {
	s := v.Snapshot
	w := Words{Tone: Wait, Title: "Relaying a snapshot.", Detail: number(s.Rows) + " rows so far, " + number(int64(s.RowsPerSecond)) + " a second."}
	if s.SecondsLeft > 0 {
		w.Detail = fmt.Sprintf("%s of about %s rows, %s a second, about %s left.", number(s.Rows), number(s.RowsExpected), number(int64(s.RowsPerSecond)), duration(seconds(s.SecondsLeft)))
	}
	return w
}

// streaming is the ordinary case, with what darkens it.
func streaming(v *pipeline.Present, now time.Time) Words {
	if b := v.Backlog; b != nil {
		return catchingUp(b)
	}
	w := Words{Tone: Good, Title: "Streaming.", Detail: "Every event has arrived."}
	switch n := v.Unacked.Events; {
	case n == 1:
		w.Detail = "1 event on the way, for " + duration(now.Sub(v.Oldest)) + "."
	case n > 1:
		w.Detail = fmt.Sprintf("%s events on the way, oldest %s.", number(n), duration(now.Sub(v.Oldest)))
	}
	switch {
	case v.SlotView.Tables != nil:
		w.Tone, w.Title, w.Reason = Bad, "Streaming, but new rows may not come.", v.SlotView.Tables.Error()
	case !v.Ready:
		w.Tone, w.Title, w.Reason = Bad, "Streaming late.", v.NotReady
	case v.SlotView.WALStatus == "unreserved":
		w.Tone, w.Advice = Wait, "The slot needs WAL that PostgreSQL will remove at its next checkpoint: max_slot_wal_keep_size is reached."
	case v.SlotView.Err != nil:
		w.Tone, w.Reason = Wait, errors.Join(errors.New("the slot cannot be looked up in the catalog"), v.SlotView.Err).Error()
	}
	return w
}

func catchingUp(b *pipeline.Backlog) Words {
	w := Words{Tone: Wait, Title: "Catching up."}
	w.Detail = fmt.Sprintf("%s events so far, %s a second; %s of WAL left", number(b.Events), number(int64(b.EventsPerSecond)), size(b.BytesLeft))
	if b.SecondsLeft > 0 {
		w.Detail += ", about " + duration(seconds(b.SecondsLeft))
	}
	w.Detail += "."
	return w
}
