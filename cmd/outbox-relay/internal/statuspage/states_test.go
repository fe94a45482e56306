package statuspage

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/replication"
)

// brokersGone is a relay that has had no answer from Kafka since then.
func brokersGone(v *pipeline.Present, since time.Time) {
	const reason = "kafka-1:9092: dial tcp 10.0.4.17:9092: connect: connection refused"
	v.Ready, v.KafkaConnect, v.KafkaError = false, false, reason
	v.Brokers = errors.New("the brokers are not reachable: " + reason)
	v.Kafka.Connected, v.Kafka.RetryingSince, v.Kafka.LastError, v.Kafka.Requests, v.Kafka.InFlight, v.Kafka.Queued = false, since, reason, 0, 0, 4211
	v.Unacked = pipeline.Unacked{Events: 4211, Bytes: 8_310_000}
	v.Lag.ReceivedBytes, v.Lag.ConfirmedBytes, v.Lag.RetainedBytes = 12_900_000, 14_400_000, 49_283_072
}

// slotLost is a relay whose slot PostgreSQL has given up.
func slotLost(v *pipeline.Present) {
	v.State, v.Ready, v.Stream, v.Lag, v.Unacked = pipeline.PhaseBackingOff, false, errors.New("not streaming"), nil, pipeline.Unacked{}
	v.SlotView.State, v.SlotView.WALStatus, v.SlotView.Reason = "lost", "lost", "wal_removed"
}

var errLost = &replication.Problem{Class: replication.Human, Reason: "slot_lost", Err: errors.New(`replication slot "outbox_relay" is lost (wal_status is lost): the server has removed WAL ` +
	`that was not relayed yet, so events are missing. Find the rows whose events did not arrive, send them again, then drop the slot (SELECT pg_drop_replication_slot('outbox_relay')) ` +
	`and start once with -slot.create. Raise max_slot_wal_keep_size so that it does not happen again`)}

func TestDisconnectionIsOneTime(t *testing.T) {
	t.Parallel()
	f := streamingRelay(noon)
	p := newPage(f)
	at := noon
	for _, state := range []pipeline.Phase{pipeline.PhaseBackingOff, pipeline.PhaseConnecting, pipeline.PhaseBackingOff} {
		f.set(func(v *pipeline.Present) { v.State, v.LastError = state, "refused" })
		p.look(at)
		at = at.Add(time.Minute)
	}
	if got := p.words.Load().Detail; !strings.HasPrefix(got, "Since 12:00:00 UTC, for 2 min 0 s.") {
		t.Errorf("got %s", got)
	}
	f.set(func(v *pipeline.Present) { v.State = pipeline.PhaseStreaming })
	p.look(at)
	if !p.lost.IsZero() || p.words.Load().Title != "Streaming." {
		t.Errorf("lost %v, %s", p.lost, p.words.Load().Title)
	}
}

// write puts lines into a log that the page keeps.
func write(t *testing.T, recent *logging.Recent) {
	t.Helper()
	log, err := logging.New(&strings.Builder{}, "info", logging.JSON, recent)
	if err != nil {
		t.Fatal(err)
	}
	log.Warn().Err(errors.New("kafka-1:9092: dial tcp 10.0.4.17:9092: connect: connection refused")).Int("attempt", 14).Str("failing_for", "1m12.4s").Msg("brokers are not reachable")
	log.Warn().Err(errors.New("read from slot \"outbox_relay\": unexpected EOF")).Int("attempt", 1).Str("backoff", "57ms").Msg("replication session lost, connecting again")
}

func TestWords(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 2, 24, 0, time.UTC)
	back := errors.New("connection refused")
	tests := []struct {
		name   string
		change func(*pipeline.Present)
		end    *ending
		tone   Tone
		title  string
		detail string
	}{
		{"three on the way", func(v *pipeline.Present) { v.Oldest = now.Add(-12 * time.Millisecond) }, nil, Good, "Streaming.", "3 events on the way, oldest 12 ms."},
		{"one", func(v *pipeline.Present) { v.Unacked.Events, v.Oldest = 1, now.Add(-1500*time.Millisecond) }, nil, Good, "Streaming.", "1 event on the way, for 1.5 s."},
		{"none", func(v *pipeline.Present) { v.Unacked.Events = 0 }, nil, Good, "Streaming.", "Every event has arrived."},
		{"brokers gone", func(v *pipeline.Present) { brokersGone(v, now.Add(-72*time.Second)) }, nil, Bad, "Kafka does not answer.", "Since 00:01:12 UTC, for 1 min 12 s. 4,211 events wait in memory, and 12.3 MB of WAL behind them in PostgreSQL."},
		{"brokers silent", func(v *pipeline.Present) {
			brokersGone(v, now.Add(-72*time.Second))
			v.KafkaConnect, v.Lag, v.Unacked.Events = true, nil, 1
		}, nil, Bad, "Kafka does not acknowledge.", "Since 00:01:12 UTC, for 1 min 12 s. 1 event waits."},
		{"lost", slotLost, nil, Bad, "The slot is lost.", "No more events can come from it."},
		{"lost and ended", func(*pipeline.Present) {}, &ending{errLost, 3}, Bad, "The slot is lost.", "The relay stopped with exit code 3. A restart does not help: a person must decide."},
		{"a person", func(*pipeline.Present) {}, &ending{back, 3}, Bad, "Stopped.", "The relay stopped with exit code 3. A restart does not help: a person must decide."},
		{"configuration", func(*pipeline.Present) {}, &ending{back, 2}, Bad, "Stopped.", "The relay stopped with exit code 2. The configuration must change; a restart alone does not help."},
		{"broken off", func(*pipeline.Present) {}, &ending{back, 1}, Bad, "Stopped.", "The relay stopped with exit code 1. Starting it again may help."},
		{"stopped", func(*pipeline.Present) {}, &ending{nil, 0}, Wait, "Stopped.", "Everything that was read is acknowledged and confirmed. The slot keeps what comes after it."},
		{"stopping", func(v *pipeline.Present) { v.State, v.Unacked.Events = pipeline.PhaseStopping, 2 }, nil, Wait, "Stopping.", "2 events wait."},
		{"spare", func(v *pipeline.Present) {
			v.State, v.WaitingForPID, v.WaitingForApp = pipeline.PhaseWaitingForSlot, 4711, "outbox-relay@a"
		}, nil, Wait, "Standing by.", "outbox-relay@a (pid 4711) reads the slot. This relay takes over within seconds when that one ends."},
		{"first connect", func(v *pipeline.Present) { v.State, v.Stream = pipeline.PhaseConnecting, back }, nil, Wait, "Connecting to PostgreSQL.", "Events follow as soon as the slot is open."},
		{"database gone", func(v *pipeline.Present) {
			v.State, v.Stream, v.LastError = pipeline.PhaseBackingOff, back, "refused"
		}, nil, Bad, "No connection to PostgreSQL.", "Since 00:02:19 UTC, for 5.0 s. New events wait in the database; nothing is lost while the slot lives."},
		{"silent", func(v *pipeline.Present) { v.Ready, v.Stream = false, errors.New("PostgreSQL has sent nothing for 9s") }, nil, Bad, "PostgreSQL is silent.", "3 events wait."},
		{"snapshot", func(v *pipeline.Present) {
			v.State, v.Snapshot = pipeline.PhaseSnapshot, &pipeline.Snapshot{Rows: 1_200_000, RowsExpected: 4_000_000, RowsPerSecond: 55_000, SecondsLeft: 50.9}
		}, nil, Wait, "Relaying a snapshot.", "1,200,000 of about 4,000,000 rows, 55,000 a second, about 50 s left."},
		{"snapshot of unknown size", func(v *pipeline.Present) {
			v.State, v.Snapshot = pipeline.PhaseSnapshot, &pipeline.Snapshot{Rows: 1_200_000, RowsPerSecond: 55_000}
		}, nil, Wait, "Relaying a snapshot.", "1,200,000 rows so far, 55,000 a second."},
		{"backlog", func(v *pipeline.Present) {
			v.Backlog = &pipeline.Backlog{Events: 900_000, EventsPerSecond: 30_000, BytesLeft: 1 << 30, SecondsLeft: 92}
		}, nil, Wait, "Catching up.", "900,000 events so far, 30,000 a second; 1.0 GB of WAL left, about 1 min 32 s."},
		{"late", func(v *pipeline.Present) {
			v.Ready, v.NotReady, v.Oldest = false, "the oldest unacknowledged event was committed 2m0s ago", now.Add(-2*time.Minute)
		}, nil, Bad, "Streaming late.", "3 events on the way, oldest 2 min 0 s."},
		{"table not published", func(v *pipeline.Present) {
			v.SlotView.Tables, v.Unacked.Events = errors.New("publication does not carry it"), 0
		}, nil, Bad, "Streaming, but new rows may not come.", "Every event has arrived."},
	}
	for _, test := range tests {
		v := streamingRelay(now).now
		test.change(&v)
		got := describe(&v, test.end, now, now.Add(-5*time.Second))
		got.Reason, got.Advice = "", ""
		if diff := cmp.Diff(Words{Tone: test.tone, Title: test.title, Detail: test.detail}, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestFigures(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ got, want string }{
		{number(0), "0"}, {number(999), "999"}, {number(4211), "4,211"}, {number(int64(-1234567)), "-1,234,567"},
		{size(0), "0 B"}, {size(1023), "1023 B"}, {size(1536), "1.5 kB"}, {size(150 << 20), "150 MB"}, {size(5 << 40), "5.0 TB"},
		{duration(-time.Second), "1 ms"}, {duration(1499 * time.Microsecond), "1 ms"}, {duration(9900 * time.Millisecond), "9.9 s"},
		{duration(59 * time.Second), "59 s"}, {duration(72 * time.Second), "1 min 12 s"}, {duration(3*time.Hour + time.Minute), "3 h 1 min"}, {duration(49 * time.Hour), "2 d 1 h"},
		{duration(seconds(1e300)), fmt.Sprintf("%d d 1 h", int(1e9)/86400)},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
