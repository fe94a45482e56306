package pattern_test

import (
	"regexp"
	"testing"

	"github.com/outbox-relay/outbox-relay/examples/orders/service"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

const ordersPackage = "github.com/outbox-relay/outbox-relay/examples/orders"

// TestExampleProgram does what the README of examples/orders says.
func TestExampleProgram(t *testing.T) {
	db := pgtest.NewDB(t)
	brokers, _ := kfaketest.New(t, partitions, []string{service.Topic})
	path := proctest.Build(t, ordersPackage)
	end(t, proctest.StartProgram(t, procs.Config{Path: path, Args: []string{"-database.url", db.DSN, "-create"}}))

	r := startRelay(t, db.DSN, brokers, "-table.fields.additional.placement", "sequence:header")
	p := proctest.StartProgram(t, procs.Config{Path: path, Args: []string{"-database.url", db.DSN, "-bootstrap.servers", brokers, "-every", "50ms"}})
	for range 2 {
		_, err := p.WaitLog(wait.Context(t, patience), p.Mark(), procs.Regexp(regexp.MustCompile(`^billed   order \S+: event 3, shipped, 0 cents, new: true$`)))
		must(t, "wait until an order is billed", err)
	}
	_, err := p.Stop(wait.Context(t, patience))
	must(t, "stop the program", err)
	end(t, p)
	r.stop(t)
}

// end waits for the end of a program, which must be a good one.
func end(t testing.TB, p *procs.Proc) {
	t.Helper()
	code, err := p.Wait(wait.Context(t, patience))
	must(t, "wait for the program's end", err)
	if code != 0 {
		t.Errorf("exit code %d; last lines:\n%s", code, p.Tail(10))
	}
}
