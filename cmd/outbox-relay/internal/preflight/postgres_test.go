package preflight_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/preflight"
	"github.com/outbox-relay/outbox-relay/replication"
)

// broken is a state of the database, what the check has to say about it, and
// whether what it says to do mends it.
type broken struct {
	name    string
	sql     string // as superuser; ROLE and SLOT stand for the names
	options func(*rig)
	check   string
	level   preflight.Level
	code    int
	message string
	mends   bool   // the SQL of Repair, run as superuser
	repair  string // what Repair must hold where it is no SQL
}

var brokenDatabases = []broken{
	{name: "nothing", check: "postgresql.table", level: preflight.OK},
	{name: "publication missing, and may not be made", sql: "DROP PUBLICATION outbox_relay", check: "postgresql.publication", level: preflight.Error, code: 2, message: "may not make it", mends: true},
	{name: "publication missing, and may be made", sql: "DROP PUBLICATION outbox_relay; ALTER TABLE outbox OWNER TO ROLE; GRANT CREATE ON DATABASE DB TO ROLE",
		check: "postgresql.publication", level: preflight.OK, message: "a start makes it: CREATE PUBLICATION"},
	{name: "publication missing, and autocreate disabled", sql: "DROP PUBLICATION outbox_relay", options: func(r *rig) { r.config.Replication.Autocreate = replication.Disabled },
		check: "postgresql.publication", level: preflight.Error, code: 2, message: "autocreate.mode is disabled", mends: true},
	{name: "publication without the table", sql: "ALTER PUBLICATION outbox_relay DROP TABLE outbox", check: "postgresql.publication", level: preflight.Error, code: 2, message: "does not carry", mends: true},
	{name: "publication without inserts", sql: "ALTER PUBLICATION outbox_relay SET (publish = 'delete')", check: "postgresql.publication", level: preflight.Error, code: 2, message: "does not publish inserts", mends: true},
	{name: "partitions under their own names", sql: "DROP TABLE outbox; CREATE TABLE outbox (id uuid, aggregatetype text, aggregateid text, type text, payload jsonb) PARTITION BY LIST (type); ALTER PUBLICATION outbox_relay ADD TABLE outbox",
		check: "postgresql.publication", level: preflight.Error, code: 2, message: "partitioned", mends: true},
	{name: "another outbox in the publication", sql: "CREATE TABLE other (LIKE outbox); ALTER PUBLICATION outbox_relay ADD TABLE other",
		check: "postgresql.table", level: preflight.Warning, message: "public.other is named by the publication"},
	{name: "row filter", sql: "ALTER PUBLICATION outbox_relay SET TABLE outbox WHERE (type = 'x')", check: "postgresql.publication", level: preflight.Error, code: 2, message: "hides rows", mends: true},
	{name: "column list", sql: "ALTER PUBLICATION outbox_relay SET TABLE outbox (id, aggregatetype, aggregateid)", check: "postgresql.table", level: preflight.Error, code: 2, message: "column list hides", mends: true},
	{name: "no table", sql: "DROP TABLE outbox", check: "postgresql.table", level: preflight.Error, code: 2, message: "no table of database"},
	{name: "a view", sql: "ALTER TABLE outbox RENAME TO o; CREATE VIEW outbox AS SELECT * FROM o", check: "postgresql.table", level: preflight.Error, code: 2, message: "is a view"},
	{name: "column missing", options: func(r *rig) { r.router.EventPayload = "body" }, check: "postgresql.table", level: preflight.Error, code: 2, message: "body"},
	{name: "column of a wrong type", sql: "ALTER TABLE outbox ALTER aggregatetype TYPE int USING 1", check: "postgresql.table", level: preflight.Error, code: 2, message: "route.by.field"},
	{name: "role without REPLICATION", sql: "ALTER ROLE ROLE NOREPLICATION", check: "postgresql.replication", level: preflight.Error, code: 2, message: "replication", mends: true},
	{name: "superuser", sql: "ALTER ROLE ROLE SUPERUSER", check: "postgresql.role", level: preflight.Warning, message: "is a superuser"},
	{name: "slot missing", options: func(r *rig) { r.config.Replication.CreateSlot = false }, check: "postgresql.slot", level: preflight.Error, code: 3, message: "does not exist", repair: "-slot.create"},
	{name: "slot to be made", check: "postgresql.slot", level: preflight.OK, message: "a start makes it"},
	{name: "slot of another plugin", sql: "SELECT pg_create_logical_replication_slot('SLOT', 'test_decoding')", check: "postgresql.slot", level: preflight.Error, code: 2, message: `"test_decoding"`, repair: "-slot.name"},
	{name: "slot that is ready", sql: "SELECT pg_create_logical_replication_slot('SLOT', 'pgoutput')", check: "postgresql.slot", level: preflight.OK, message: "is confirmed to"},
	{name: "publication made again behind the slot", sql: "SELECT pg_create_logical_replication_slot('SLOT', 'pgoutput'); DROP PUBLICATION outbox_relay; CREATE PUBLICATION outbox_relay FOR TABLE outbox WITH (publish = 'insert')",
		check: "postgresql.publication", level: preflight.Warning, message: "dropped and made again"},
	{name: "an unlogged partition", sql: "DROP TABLE outbox; CREATE TABLE outbox (id uuid, aggregatetype text, aggregateid text, type text, payload jsonb) PARTITION BY LIST (type); " +
		"CREATE UNLOGGED TABLE part PARTITION OF outbox DEFAULT; ALTER PUBLICATION outbox_relay ADD TABLE outbox; ALTER PUBLICATION outbox_relay SET (publish_via_partition_root = true)",
		check: "postgresql.table", level: preflight.Error, code: 2, message: "part of the outbox outbox is unlogged", mends: true},
	{name: "snapshot that may not read", options: func(r *rig) { r.config.Replication.Snapshot = replication.Initial }, check: "postgresql.table", level: preflight.Error, code: 2, message: "snapshot.mode initial", mends: true},
	{name: "snapshot that was not finished", sql: "SELECT pg_create_logical_replication_slot('SLOT_snapshot', 'pgoutput')", check: "postgresql.slot", level: preflight.Error, code: 2, message: "was not finished", repair: "-snapshot.mode initial"},
	{name: "failover slot on an old server", options: func(r *rig) { r.config.Replication.Failover = true }, check: "postgresql.version", level: preflight.Error, code: 2, message: "slot.failover"},
}

func (b *broken) before(r *rig) bool {
	major := r.db.Server.Major()
	switch b.name {
	case "row filter", "column list":
		return major < 15
	case "failover slot on an old server":
		return major >= 17
	}
	return false
}

func TestBrokenDatabases(t *testing.T) {
	t.Parallel()
	for _, b := range brokenDatabases {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			if b.before(r) {
				t.Skipf("PostgreSQL %d has no such state", r.db.Server.Major())
			}
			if b.options != nil {
				b.options(r)
			}
			names := strings.NewReplacer("ROLE ROLE", "ROLE "+r.role, "TO ROLE", "TO "+r.role, "SLOT", r.config.Replication.Slot, "DATABASE DB", "DATABASE "+r.db.Name)
			if b.sql != "" {
				r.db.Exec(t, names.Replace(b.sql))
			}
			r.judge(t, b)
		})
	}
}

// judge runs the check, then what it says to do, then the check again.
func (r *rig) judge(t *testing.T, b broken) {
	t.Helper()
	report := r.run(t)
	got := worst(t, report, b.check)
	if got.Level != b.level || got.Code != b.code || !strings.Contains(got.Message, b.message) || !strings.Contains(got.Repair, b.repair) || report.ExitCode() != b.code {
		t.Fatalf("got %+v, exit code %d; want %s with code %d about %q, of\n%s", got, report.ExitCode(), b.level, b.code, b.message, text(t, report))
	}
	if !b.mends {
		return
	}
	if got.Repair == "" {
		t.Fatalf("no repair in %+v", got)
	}
	r.db.Exec(t, got.Repair)
	switch {
	case strings.HasPrefix(got.Then, "restart the server"):
		r.restart(t)
	case strings.HasPrefix(got.Then, "SELECT "):
		r.db.Exec(t, got.Then)
	}
	if report := r.run(t); report.ExitCode() != 0 {
		t.Errorf("after %s:\n%s", got.Repair, text(t, report))
	}
}

// A check of a relay that could start leaves everything as it was.
func TestNothingIsMadeOrMoved(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.db.Exec(t, "SELECT pg_create_logical_replication_slot('"+r.config.Replication.Slot+"', 'pgoutput')")
	r.db.Exec(t, "INSERT INTO outbox VALUES (gen_random_uuid(), 'Order', '1', 'Created', '{}')")
	r.config.Kafka.TopicCreation.Enable = true
	before := r.state(t)
	report := r.run(t)
	if after := r.state(t); after != before || report.ExitCode() != 0 {
		t.Errorf("exit code %d, and what was\n%s\nis\n%s\n%s", report.ExitCode(), before, after, text(t, report))
	}
}

// Everything that is wrong is told in one go, from both sides.
func TestAllProblemsInOneGo(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	r.execEach(t, "ALTER PUBLICATION outbox_relay SET (publish = 'delete'); ALTER ROLE "+r.role+" NOREPLICATION; SELECT pg_create_logical_replication_slot('"+r.config.Replication.Slot+"', 'test_decoding')")
	r.router.EventPayload = "body"
	r.router.RouteTopicReplacement = "missing"
	report := r.run(t)
	for _, check := range []string{"postgresql.publication", "postgresql.replication", "postgresql.slot", "postgresql.table", "kafka.topic missing"} {
		if f := worst(t, report, check); f.Level != preflight.Error || f.Code != 2 {
			t.Errorf("got %+v", f)
		}
	}
	if report.ExitCode() != 2 {
		t.Errorf("exit code %d", report.ExitCode())
	}
}
