package browser_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/browser"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(proctest.WithShared(m)) }

const outbox = `CREATE TABLE outbox (id uuid PRIMARY KEY, aggregatetype text NOT NULL, aggregateid text NOT NULL, type text NOT NULL, payload jsonb)`

// A person watches a real relay through its good and bad times: events arrive, the brokers go away, PostgreSQL gives the
// slot up. The page shows each without being loaded again.
func TestWatchingARelay(t *testing.T) {
	tab := browser.Open(t)
	server := pgtest.New(t, pgserver.Config{Settings: map[string]string{"max_slot_wal_keep_size": "1MB"}})
	db := pgtest.CreateDB(t, server)
	db.Exec(t, outbox)
	bootstrap, cluster := kfaketest.New(t, 1, []string{"outbox.event.Order"})
	program := proctest.Build(t, procs.RelayPackage)
	p := proctest.StartProgram(t, procs.Config{Path: program, Args: []string{
		"-database.url", db.DSN, "-slot.name", "watched", "-bootstrap.servers", bootstrap, "-web.listen-address", "127.0.0.1:0"}})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	line, err := p.WaitLog(ctx, 0, procs.Contains("outbox-relay started"))
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Tail(20))
	}
	addr, _ := procs.LineField(line.Text, "listen")

	tab.Set(t, browser.Light)
	tab.Go(t, "http://"+addr)
	tab.Await(t, `document.querySelector("#title").textContent === "Streaming."`)
	insert := func(n int) {
		db.Exec(t, `INSERT INTO outbox VALUES ($1, 'Order', 'k', 'Placed', '{"secret": "payload"}')`, fmt.Sprintf("a0000000-0000-4000-8000-%012d", n))
	}
	insert(1)
	tab.Await(t, `document.querySelector("#events .id")?.textContent === "a0000000-0000-4000-8000-000000000001"`)
	tab.Await(t, `document.querySelector("#topics td")?.textContent === "outbox.event.Order"`)
	audit(t, tab, "healthy")

	cluster.Close()
	insert(2)
	tab.Await(t, `document.querySelector("#title").textContent === "Kafka does not answer." && document.querySelector("#unacked").textContent === "1"`)
	tab.Await(t, `document.querySelector("#log .warn") !== null`)
	audit(t, tab, "brokers gone")
	if all := browser.Eval[string](t, tab, `document.documentElement.outerHTML`); strings.Contains(all, "payload\"") {
		t.Error("a payload is shown")
	}

	loseSlot(t, ctx, db)
	tab.Await(t, `document.querySelector("#title").textContent === "The slot is lost." && document.querySelector("#detail").textContent.includes("exit code 3")`)
	audit(t, tab, "slot lost")
	if code, err := p.Wait(ctx); code != 3 || err != nil {
		t.Errorf("exit code %d, %v", code, err)
	}
	tab.Await(t, `document.querySelector("#title").textContent === "The slot is lost."`)
}

func audit(t *testing.T, tab *browser.Tab, state string) {
	t.Helper()
	for _, problem := range browser.Audit(t, tab) {
		t.Errorf("%s: %s", state, problem)
	}
}

// loseSlot writes WAL until the server gives the slot up.
func loseSlot(t *testing.T, ctx context.Context, db *pgtest.DB) {
	t.Helper()
	conn := db.Connect(t)
	db.Exec(t, `CREATE TABLE filler (n int)`)
	err := poll.Until(ctx, 50*time.Millisecond, func(ctx context.Context) error {
		for _, sql := range []string{`INSERT INTO filler VALUES (1)`, `SELECT pg_switch_wal()`, `CHECKPOINT`} {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return err
			}
		}
		var state string
		err := conn.QueryRow(ctx, `SELECT wal_status FROM pg_replication_slots WHERE slot_name = 'watched'`).Scan(&state)
		if err == nil && state != "lost" {
			err = fmt.Errorf("the slot is %s", state)
		}
		return err
	})
	if err != nil {
		t.Fatalf("lose the slot: %v", err)
	}
}
