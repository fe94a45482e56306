package pipeline_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/router"
)

const heartbeats = "__debezium-heartbeat.srv"

// beating lets the rig's relays send heartbeats.
func (r *rig) beating(t *testing.T, interval time.Duration, query string) {
	t.Helper()
	record, err := router.NewHeartbeat(r.router, heartbeats)
	if err != nil {
		t.Fatal(err)
	}
	r.relay.Heartbeat = pipeline.Heartbeat{Interval: interval, Record: record, Query: query}
	r.replication.TickInterval = interval
}

// Golden case heartbeat-action.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, `CREATE TABLE hb (n int)`, `INSERT INTO hb VALUES (0)`)
	r.beating(t, 100*time.Millisecond, `UPDATE hb SET n = n + 1; SELECT 1`)
	run := r.start(t)
	run.streaming(t)
	r.insert(t, "outbox", 1)
	got := r.records(t, heartbeats, 3)
	wantTexts(t, r.records(t, r.topic, 1), `k {} id=`+rowID(1))
	clock := regexp.MustCompile(`^Struct\{serverName=srv\} Struct\{ts_ms=\d{13}\}$`)
	for i, rec := range got {
		if !clock.MatchString(text(rec)) {
			t.Errorf("heartbeat %s, want %s", text(rec), clock)
		}
		if i > 0 && rec.Timestamp.Sub(got[i-1].Timestamp) < 100*time.Millisecond {
			t.Errorf("heartbeats at %s and %s, want an interval of 100ms at least", got[i-1].Timestamp, rec.Timestamp)
		}
	}
	r.await(t, `SELECT n >= 2 FROM hb`)
	run.stop(t)
	if n, held := run.count(t, "outbox_relay_heartbeats_total"), r.held(heartbeats); int(n) != held {
		t.Errorf("counted %v heartbeats, the topic holds %d", n, held)
	}
}

// As in Debezium, heartbeats go through the transforms of events.
func TestHeartbeatGoesThroughTheTransforms(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.beating(t, 50*time.Millisecond, "")
	r.relay.After = func(rec *router.Record) error {
		rec.Topic = strings.ReplaceAll(rec.Topic, heartbeats, r.topic)
		rec.Headers = append(rec.Headers, router.Header{Key: "src", Value: []byte("orders")})
		return nil
	}
	run := r.start(t)
	run.streaming(t)
	rec := r.records(t, r.topic, 1)[0]
	want := regexp.MustCompile(`^Struct\{serverName=srv\} Struct\{ts_ms=\d{13}\} src=orders$`)
	if !want.MatchString(text(rec)) || rec.Partition != 0 {
		t.Errorf("got %s in partition %d, want %s in 0", text(rec), rec.Partition, want)
	}
	run.stop(t)
}

// await waits until a query returns true.
func (r *rig) await(t *testing.T, query string) {
	t.Helper()
	conn := r.db.Connect(t)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	timeout := time.After(deadline)
	for {
		var ok bool
		if err := conn.QueryRow(t.Context(), query, pgx.QueryExecModeSimpleProtocol).Scan(&ok); err != nil {
			t.Fatal(err)
		}
		if ok {
			return
		}
		select {
		case <-ticker.C:
		case <-timeout:
			t.Fatalf("not true in time: %s", query)
		}
	}
}

// A query that fails does not end the relay, and one whose connection was cut
// goes on.
func TestHeartbeatActionFails(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.beating(t, 50*time.Millisecond, `INSERT INTO hb VALUES (pg_backend_pid())`)
	run := r.start(t)
	run.streaming(t)
	run.log.await(t, "heartbeat.action.query failed")
	r.db.Exec(t, `CREATE TABLE hb (pid int)`)
	run.log.await(t, "heartbeat.action.query works again")
	r.db.Exec(t, `SELECT pg_terminate_backend(pid) FROM hb LIMIT 1`)
	r.await(t, `SELECT count(DISTINCT pid) > 1 FROM hb`)
	r.insert(t, "outbox", 1)
	r.records(t, r.topic, 1)
	run.stop(t)
	if n := run.count(t, "outbox_relay_heartbeat_action_failures_total"); n < 1 {
		t.Errorf("counted %v failures", n)
	}
}

// While heartbeats go on, what is confirmed still follows the server, and rows in
// front of a heartbeat are not left behind.
func TestHeartbeatConfirms(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.beating(t, 50*time.Millisecond, "")
	run := r.start(t)
	run.streaming(t)
	r.db.Exec(t, `CREATE TABLE noise AS SELECT generate_series(1, 1000)`)
	for n := range 20 {
		r.insert(t, "outbox", n)
	}
	r.records(t, r.topic, 20)
	var target string
	if err := r.db.Connect(t).QueryRow(t.Context(), `SELECT pg_current_wal_lsn()::text`).Scan(&target); err != nil {
		t.Fatal(err)
	}
	r.await(t, `SELECT confirmed_flush_lsn >= '`+target+`' FROM pg_replication_slots WHERE slot_name = current_database()`)
	run.stop(t)
	again := r.start(t)
	again.streaming(t)
	r.insert(t, "outbox", 100)
	r.records(t, r.topic, 21)
	again.stop(t)
	if n := r.held(r.topic); n != 21 {
		t.Errorf("%d records, want 21: nothing is repeated", n)
	}
}
