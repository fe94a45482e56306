package pipeline_test

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// fill puts rows with the numbers from first to last into the outbox.
func (r *rig) fill(t *testing.T, first, last int) {
	t.Helper()
	r.db.Exec(t, `INSERT INTO outbox SELECT ('a0000000-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, 'all', 'k', 'T', jsonb_build_object('i', i) FROM generate_series($1::int, $2::int) i`, first, last)
}

// ids counts the records of the topic by their id header, once there are n.
func (r *rig) ids(t *testing.T, topic string, n int) map[string]int {
	t.Helper()
	ids := map[string]int{}
	for _, rec := range r.records(t, topic, n) {
		for _, h := range rec.Headers {
			if h.Key == "id" {
				ids[string(h.Value)]++
			}
		}
	}
	return ids
}

// wantEach checks that the rows from first to last came between least and most
// times each.
func wantEach(t *testing.T, ids map[string]int, first, last, least, most int) {
	t.Helper()
	wrong := 0
	for n := first; n <= last && wrong < 5; n++ {
		if got := ids[rowID(n)]; got < least || got > most {
			wrong++
			t.Errorf("row %d came %d times, want %d to %d", n, got, least, most)
		}
	}
}

// marker is the slot that marks an unfinished snapshot.
func (r *rig) marker(t *testing.T) bool {
	t.Helper()
	return r.slotExists(t, r.db.Name+"_snapshot")
}

func (r *rig) slotExists(t *testing.T, name string) bool {
	t.Helper()
	var found bool
	if err := r.db.Connect(t).QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = $1)`, name).Scan(&found); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestSnapshotInitial(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.fill(t, 1, 5000)
	r.db.Exec(t, `DELETE FROM outbox WHERE id = $1`, rowID(7))
	r.replication.Snapshot = replication.Initial
	run := r.start(t)
	run.streaming(t)
	if r.marker(t) {
		t.Error("the snapshot is still marked as unfinished")
	}
	r.insert(t, "outbox", 5001)
	ids := r.ids(t, r.topic, 5000)
	wantEach(t, ids, 1, 6, 1, 1)
	wantEach(t, ids, 7, 7, 0, 0)
	wantEach(t, ids, 8, 5001, 1, 1)
	run.stop(t)
	if n := run.count(t, "outbox_relay_snapshot_rows_total"); n != 4999 {
		t.Errorf("counted %v rows, want 4999", n)
	}
	again := r.start(t)
	again.streaming(t)
	again.stop(t)
	if n := r.held(r.topic); n != 5000 {
		t.Errorf("%d records after another start, want 5000: the snapshot was taken", n)
	}
}

// Six writers with savepoints go on before, during and after the slot's creation
// and the snapshot: every committed row must come exactly once.
func TestSnapshotJoinsTheStream(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.router.RouteTopicReplacement = "events"
	writers := load.New(load.Config{DSN: r.db.DSN, Writers: 6, MaxRows: 8, Rows: 12_000, Keys: 100, SavepointShare: 0.4, RollbackShare: 0.1, Seed: 7})
	written := make(chan error, 1)
	go func() { written <- writers.Run(t.Context()) }()
	if err := writers.WaitRows(t.Context(), 2000); err != nil {
		t.Fatal(err)
	}
	r.replication.Snapshot = replication.Initial
	run := r.start(t)
	run.streaming(t)
	atStream := writers.Rows()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	account := writers.Account()
	ids := r.ids(t, r.topic, len(account.Committed))
	missing := 0
	for _, c := range account.Committed {
		if ids[c.ID] == 0 {
			missing++
		}
	}
	run.stop(t)
	snapshot := run.count(t, "outbox_relay_snapshot_rows_total")
	t.Logf("%d rows, %v of them by snapshot, %d when the stream began", len(account.Committed), snapshot, atStream)
	if held := r.held(r.topic); missing > 0 || held != len(account.Committed) || len(account.Unknown) > 0 {
		t.Errorf("%d rows committed, %d of them missing, %d records", len(account.Committed), missing, held)
	}
	if snapshot < 2000 || int(snapshot) >= len(account.Committed) {
		t.Errorf("%v of %d rows by snapshot: the test proves nothing", snapshot, len(account.Committed))
	}
}

// later is a broker's address at which there is none yet, and a function that
// starts one.
func (r *rig) later(t *testing.T) (start func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	r.brokers = []string{fmt.Sprintf("127.0.0.1:%d", port)}
	return func() {
		bootstrap, cluster := kfaketest.New(t, 1, []string{r.topic}, kfake.Ports(port))
		r.brokers, r.cluster = strings.Split(bootstrap, ","), cluster
	}
}

// The process ends in the middle of the snapshot: what was read is bounded, and
// the next start takes the snapshot again, with what was committed meanwhile, and
// what was deleted meanwhile.
func TestSnapshotBegunAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.fill(t, 1, 20_000)
	startBroker := r.later(t)
	r.replication.Snapshot = replication.Initial
	r.relay.ShutdownTimeout = 100 * time.Millisecond
	first := r.start(t)
	first.reach(t, "outbox_relay_snapshot_rows_total", 1024)
	first.cancel()
	if err := first.wait(t); err == nil || !strings.Contains(err.Error(), "unacknowledged") {
		t.Errorf("stopped in the snapshot without a broker: %v", err)
	}
	if n := first.count(t, "outbox_relay_snapshot_rows_total"); n > 2*1024 {
		t.Errorf("%v rows were read although nobody took them", n)
	}
	if !r.marker(t) || !r.slotExists(t, r.db.Name) {
		t.Fatal("the unfinished snapshot is not marked, or there is no slot")
	}
	r.insert(t, "outbox", 20_001, 20_002)
	r.db.Exec(t, `DELETE FROM outbox WHERE id = $1`, rowID(20_001))

	r.replication.Snapshot = replication.NoData
	wantProblem(t, r.start(t).wait(t), replication.Configuration, "-snapshot.mode initial")

	startBroker()
	r.replication.Snapshot = replication.Initial
	r.relay.ShutdownTimeout = 0
	second := r.start(t)
	second.streaming(t)
	r.insert(t, "outbox", 20_003)
	ids := r.ids(t, r.topic, 20_004)
	wantEach(t, ids, 1, 20_000, 1, 1)
	wantEach(t, ids, 20_001, 20_001, 1, 1) // only the slot has it
	wantEach(t, ids, 20_002, 20_002, 2, 2) // snapshot and slot
	wantEach(t, ids, 20_003, 20_003, 1, 1)
	second.stop(t)
	if r.marker(t) {
		t.Error("the snapshot is still marked as unfinished")
	}
}

// The connection is cut in the middle: the relay connects again by itself.
func TestSnapshotConnectionLost(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.fill(t, 1, 20_000)
	// More than the socket's buffers hold, so that the server is still in the middle.
	r.db.Exec(t, `UPDATE outbox SET payload = payload || jsonb_build_object('pad', repeat('x', 1000))`)
	startBroker := r.later(t)
	r.replication.Snapshot = replication.Initial
	run := r.start(t)
	run.log.await(t, `"slot_is_older":false`)
	r.db.Exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'relay under test' AND backend_type = 'client backend'`)
	startBroker()
	run.log.await(t, `"slot_is_older":true`)
	run.streaming(t)
	run.stop(t)
	wantEach(t, r.ids(t, r.topic, r.held(r.topic)), 1, 20_000, 1, 2)
}

// A crash between the marker's creation and the slot's.
func TestSnapshotWithMarkerAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, everything)
	r.fill(t, 1, 10)
	r.db.Exec(t, `SELECT pg_create_logical_replication_slot(current_database() || '_snapshot', 'pgoutput')`)
	r.insert(t, "outbox", 11)
	r.db.Exec(t, `DELETE FROM outbox WHERE id = $1`, rowID(11))
	r.replication.Snapshot = replication.InitialOnly
	if err := r.start(t).wait(t); err != nil {
		t.Fatal(err)
	}
	if r.marker(t) || !r.slotExists(t, r.db.Name) {
		t.Error("the marker is left, or there is no slot")
	}
	r.replication.Snapshot = replication.Initial
	run := r.start(t)
	run.streaming(t)
	ids := r.ids(t, r.topic, 11)
	run.stop(t)
	wantEach(t, ids, 1, 11, 1, 1)
}

func TestSnapshotInitialOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.fill(t, 1, 100)
	r.replication.Snapshot = replication.InitialOnly
	run := r.start(t)
	if err := run.wait(t); err != nil {
		t.Fatal(err)
	}
	run.log.await(t, "snapshot complete")
	r.insert(t, "outbox", 101)
	again := r.start(t)
	if err := again.wait(t); err != nil {
		t.Fatal(err)
	}
	if n := r.held(r.topic); n != 100 {
		t.Errorf("%d records, want the snapshot's 100", n)
	}
	r.replication.Snapshot = replication.NoData
	stream := r.start(t)
	stream.streaming(t)
	wantEach(t, r.ids(t, r.topic, 101), 1, 101, 1, 1)
	stream.stop(t)
}

func TestSnapshotAlways(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.fill(t, 1, 100)
	r.replication.Snapshot = replication.Always
	for round := 1; round <= 2; round++ {
		run := r.start(t)
		run.streaming(t)
		r.insert(t, "outbox", 100+round)
		r.records(t, r.topic, 101*round+round-1)
		// A lost session is no start.
		r.db.Exec(t, `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = current_database()`)
		run.log.await(t, "replication session restored")
		run.stop(t)
	}
	ids := r.ids(t, r.topic, 203)
	wantEach(t, ids, 1, 101, 2, 2)
	wantEach(t, ids, 102, 102, 1, 1)
	if n := r.held(r.topic); n != 203 {
		t.Errorf("%d records, want 203", n)
	}
}

func TestSnapshotWhenNeeded(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.fill(t, 1, 10)
	r.replication.Snapshot = replication.WhenNeeded
	run := r.start(t)
	run.streaming(t)
	r.records(t, r.topic, 10)
	run.stop(t)
	r.db.Exec(t, `SELECT pg_drop_replication_slot(current_database())`)
	r.insert(t, "outbox", 11)

	r.replication.Snapshot = replication.Initial
	wantProblem(t, r.start(t).wait(t), replication.Human, "does not exist")

	r.replication.Snapshot = replication.WhenNeeded
	run = r.start(t)
	run.streaming(t)
	ids := r.ids(t, r.topic, 21)
	run.stop(t)
	wantEach(t, ids, 1, 10, 2, 2)
	wantEach(t, ids, 11, 11, 1, 1)
}

// Two relays start at once: one takes the snapshot, the other waits for it and
// then for the slot.
func TestSnapshotIsTakenOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.fill(t, 1, 5000)
	startBroker := r.later(t)
	r.replication.Snapshot = replication.Initial
	first := r.start(t)
	first.log.await(t, `"message":"snapshot begins"`)
	second := r.start(t)
	second.log.await(t, "waiting for the replication slot")
	startBroker()
	first.log.await(t, `"message":"snapshot complete`)
	// Between its snapshot and its stream the slot is free for a moment, and the second may be the one that streams.
	first.stop(t)
	second.streaming(t)
	second.stop(t)
	wantEach(t, r.ids(t, r.topic, 5000), 1, 5000, 1, 1)
	if n := r.held(r.topic); n != 5000 {
		t.Errorf("%d records, want 5000", n)
	}
}

func TestSnapshotRefusesAPoisonousRow(t *testing.T) {
	t.Parallel()
	r := newRig(t, strings.ReplaceAll(outboxTable, "aggregatetype varchar(255) NOT NULL", "aggregatetype varchar(255)"))
	r.fill(t, 1, 3)
	r.db.Exec(t, `INSERT INTO outbox (id, aggregateid, type) VALUES ($1, 'k', 'T')`, rowID(4))
	r.replication.Snapshot = replication.Initial
	wantProblem(t, r.start(t).wait(t), replication.Human, "row 4 of the snapshot, in public.outbox")
	if n := r.held(r.topic); n != 3 {
		t.Errorf("%d records, want the 3 before it", n)
	}
}

// The columns are those of the stream: none that is generated or dropped, and
// those alone that the publication lists.
func TestSnapshotColumns(t *testing.T) {
	t.Parallel()
	r := newRig(t, `CREATE TABLE outbox (gone int, id int, aggregatetype text, aggregateid text, payload text, upper text GENERATED ALWAYS AS (upper(payload)) STORED, tenant text) PARTITION BY RANGE (id)`,
		`ALTER TABLE outbox DROP COLUMN gone`, `CREATE TABLE outbox_1 PARTITION OF outbox FOR VALUES FROM (1) TO (2)`, `CREATE TABLE outbox_2 PARTITION OF outbox DEFAULT`)
	columns := ""
	if r.db.Server.Major() >= 15 {
		columns = " (id, aggregatetype, aggregateid, payload)"
	}
	r.db.Exec(t, `CREATE PUBLICATION outbox FOR TABLE outbox`+columns+` WITH (publish = 'insert', publish_via_partition_root)`)
	r.replication.CreateSlot = true
	r.router.AdditionalPlacement, r.router.AdditionalMissing = "upper:header,tenant:header", "ignore"
	insert := func(id int) {
		r.db.Exec(t, `INSERT INTO outbox (id, aggregatetype, aggregateid, payload, tenant) VALUES ($1, 'all', 'k', E'a\tb\\', 'acme')`, id)
	}
	insert(1)
	insert(2)
	r.replication.Snapshot = replication.Initial
	run := r.start(t)
	run.streaming(t)
	insert(3)
	got := r.records(t, r.topic, 3)
	run.stop(t)
	tenant := ""
	if columns == "" {
		tenant = " tenant=acme"
	}
	for i, rec := range got {
		if want := fmt.Sprintf("k a\tb\\ id=%d%s", i+1, tenant); text(rec) != want {
			t.Errorf("record %q, want %q", text(rec), want)
		}
	}
}

func TestSnapshotNeedsSelect(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, everything)
	role := r.newRole(t)
	r.insert(t, "outbox", 1)
	r.db.Exec(t, `REVOKE USAGE ON SCHEMA public FROM PUBLIC`)
	r.as(role)
	r.replication.CreateSlot, r.replication.Snapshot = true, replication.Initial
	err := r.start(t).wait(t)
	wantProblem(t, err, replication.Configuration, `GRANT SELECT ON "public"."outbox" TO "`+role+`"`)
	wantProblem(t, err, replication.Configuration, `GRANT USAGE ON SCHEMA "public"`)
	if r.marker(t) || r.slotExists(t, r.db.Name) {
		t.Error("a slot was made although its snapshot cannot be read")
	}
	r.db.Exec(t, `GRANT SELECT ON outbox TO `+role)
	r.db.Exec(t, `GRANT USAGE ON SCHEMA public TO `+role)
	run := r.start(t)
	run.streaming(t)
	r.records(t, r.topic, 1)
	run.stop(t)
}

// Row-level security would hide rows in silence.
func TestSnapshotRefusesRowSecurity(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable, everything, `ALTER TABLE outbox ENABLE ROW LEVEL SECURITY`)
	role := r.newRole(t)
	r.insert(t, "outbox", 1)
	r.db.Exec(t, `GRANT SELECT ON outbox TO `+role)
	r.as(role)
	r.replication.CreateSlot, r.replication.Snapshot = true, replication.Initial
	err := r.start(t).wait(t)
	if replication.ClassOf(err) != replication.Configuration || !strings.Contains(fmt.Sprint(err), "BYPASSRLS") {
		t.Errorf("got %v, want a refusal that names BYPASSRLS", err)
	}
}

// A slot whose WAL was removed is replaced, with a snapshot, where that was asked
// for; elsewhere a person must decide.
func TestSnapshotOfALostSlot(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{Settings: map[string]string{"max_slot_wal_keep_size": "1MB", "min_wal_size": "32MB", "max_wal_size": "32MB"}})
	r := newRigOn(t, pgtest.CreateDB(t, server), outboxTable)
	r.fill(t, 1, 10)
	run := r.start(t)
	run.streaming(t)
	run.stop(t)
	conn := r.db.Connect(t)
	for status := ""; status != "lost"; {
		for _, sql := range []string{`SELECT pg_logical_emit_message(false, 'noise', repeat('x', 2000000))`, `SELECT pg_switch_wal()`, `CHECKPOINT`} {
			if _, err := conn.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		}
		if err := conn.QueryRow(t.Context(), `SELECT wal_status FROM pg_replication_slots WHERE slot_name = current_database()`).Scan(&status); err != nil {
			t.Fatal(err)
		}
	}
	r.replication.Snapshot = replication.Initial
	wantProblem(t, r.start(t).wait(t), replication.Human, "is lost")
	r.replication.Snapshot = replication.WhenNeeded
	run = r.start(t)
	run.streaming(t)
	r.insert(t, "outbox", 11)
	wantEach(t, r.ids(t, r.topic, 11), 1, 11, 1, 1)
	run.stop(t)
}
