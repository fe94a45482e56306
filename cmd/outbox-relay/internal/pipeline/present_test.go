package pipeline_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/replication"
)

// present waits until what the relay tells about itself is as it should be.
func (r *running) present(t *testing.T, what string, is func(pipeline.Present) bool) pipeline.Present {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	timeout := time.After(deadline)
	for {
		p := r.Present()
		if is(p) {
			return p
		}
		select {
		case <-ticker.C:
		case <-timeout:
			t.Fatalf("not %s: %+v", what, p)
		}
	}
}

func hasUnacked(p pipeline.Present) bool { return p.Unacked.Events > 0 }

// Without a broker a snapshot stays in its middle, and says how far it is.
func TestSnapshotTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.fill(t, 1, 20_000)
	r.db.Exec(t, `ANALYZE outbox`)
	startBroker := r.later(t)
	r.replication.Snapshot = replication.Initial
	run := r.start(t)
	p := run.present(t, "in the middle of a snapshot", func(p pipeline.Present) bool { return p.Snapshot != nil && p.Snapshot.Rows > 0 })
	s := p.Snapshot
	if p.State != pipeline.PhaseSnapshot || s.RowsExpected != 20_000 || s.Rows != 1024 || s.RowsPerSecond <= 0 || s.SecondsLeft <= 0 || s.Since.IsZero() {
		t.Errorf("state %s, snapshot %+v", p.State, *s)
	}
	text, err := json.Marshal(run.Status())
	if err != nil || !strings.Contains(string(text), `"snapshot":{"since":`) || !strings.Contains(string(text), `"rows_expected":20000`) {
		t.Errorf("%v, /status is %s", err, text)
	}
	startBroker()
	run.streaming(t)
	if p := run.Present(); p.Snapshot != nil {
		t.Errorf("after the snapshot: %+v", *p.Snapshot)
	}
	run.stop(t)
}

// A table that was never analyzed has rows too.
func TestSnapshotOfATableWithoutStatistics(t *testing.T) {
	t.Parallel()
	r := newRig(t, `CREATE TABLE outbox (id uuid PRIMARY KEY, aggregatetype varchar(255) NOT NULL, aggregateid varchar(255) NOT NULL, type varchar(255) NOT NULL, payload jsonb) WITH (autovacuum_enabled = off)`)
	r.fill(t, 1, 5_000)
	r.later(t)
	r.replication.Snapshot = replication.Initial
	r.relay.ShutdownTimeout = 100 * time.Millisecond
	run := r.start(t)
	p := run.present(t, "in the middle of a snapshot", func(p pipeline.Present) bool { return p.Snapshot != nil && p.Snapshot.Rows > 0 })
	if n := p.Snapshot.RowsExpected; n < 100 {
		t.Errorf("%d rows are expected", n)
	}
	run.cancel()
	if err := run.wait(t); err == nil {
		t.Error("no error after a stop with events unacknowledged")
	}
}

func TestPresentOfAStream(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	run := r.start(t)
	run.streaming(t)
	r.insert(t, "outbox", 1, 2, 3)
	run.reach(t, "outbox_relay_events_total", 3)
	p := run.present(t, "streaming", func(p pipeline.Present) bool { return p.Unacked.Events == 0 && p.State == pipeline.PhaseStreaming })
	if p.Brokers != nil || p.Backlog != nil || p.Snapshot != nil || !p.Kafka.Connected {
		t.Errorf("got %+v", p)
	}
	if got := run.Topics(); len(got) != 1 || got[r.topic] != 3 {
		t.Errorf("topics %v", got)
	}
	if n, sum := run.Delays(); n != 3 || sum <= 0 {
		t.Errorf("%d delays, %v in all", n, sum)
	}
	events := run.Recent()
	if len(events) != 3 || events[0].ID != rowID(3) || events[2].ID != rowID(1) || events[0].Topic != r.topic || events[0].Delay <= 0 {
		t.Errorf("recent events %+v", events)
	}
	run.stop(t)
}

// What was written while no relay ran is a backlog, until it has been read.
func TestBacklogOfAStream(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	first := r.start(t)
	first.streaming(t)
	first.stop(t)
	r.db.Exec(t, `INSERT INTO outbox SELECT gen_random_uuid(), 'all', 'k', 'T', jsonb_build_object('pad', (SELECT string_agg(md5((i*40+j)::text), '') FROM generate_series(1, 40) j)) FROM generate_series(1, 30000) i`)
	startBroker := r.later(t)
	second := r.start(t)
	watching, end := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() {
		second.Watch(watching)
		close(watched)
	}()
	defer func() {
		end()
		<-watched
	}()
	p := second.present(t, "behind", func(p pipeline.Present) bool { return p.Backlog != nil })
	if p.Backlog.BytesLeft < 32<<20 || p.Backlog.Events != 0 {
		t.Errorf("backlog %+v", *p.Backlog)
	}
	startBroker()
	second.present(t, "caught up", func(p pipeline.Present) bool { return p.Backlog == nil && p.Unacked.Events == 0 && p.KafkaConnect })
	if n := second.count(t, "outbox_relay_events_total"); n != 30_000 {
		t.Errorf("%v events", n)
	}
	second.stop(t)
}
