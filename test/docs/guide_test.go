package docs_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/freeport"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

const stepTime = 2 * time.Minute // for one command, on a busy machine

// guide is a document that is followed: its shell blocks in their order, on servers of the test instead of those that
// the block marked "yours" names. A block marked "stays" starts a relay.
type guide struct {
	blocks   []block
	db       *pgtest.DB
	brokers  string
	consumer *judge.Consumer
	env      []string
	listen   string // where its relays listen
	relay    *procs.Proc
}

// follow opens a document whose events are in a topic, and makes the topics that are there before. Guides make a role and
// a slot of the same names, so they are followed one after the other.
func follow(t *testing.T, path, topic string, there ...string) *guide {
	t.Helper()
	ports, err := freeport.Pick(1)
	if err != nil {
		t.Fatal(err)
	}
	g := &guide{db: pgtest.NewDB(t), listen: fmt.Sprintf("127.0.0.1:%d", ports[0])}
	for _, b := range read(t, path).in("sh") {
		if b.mark != "yours" {
			g.blocks = append(g.blocks, b)
		}
	}
	g.brokers, _ = kfaketest.New(t, 3, there)
	consumer, err := judge.NewConsumer(judge.ConsumerConfig{Brokers: []string{g.brokers}, Topics: []string{topic}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(consumer.Close)
	g.consumer = consumer
	at, err := url.Parse(g.db.DSN)
	if err != nil {
		t.Fatal(err)
	}
	at.User = url.UserPassword("outbox_relay", "change me")
	programs := filepath.Dir(proctest.Build(t, procs.RelayPackage))
	g.env = []string{
		"PATH=" + strings.Join([]string{programs, g.db.Server.Binaries().Dir, os.Getenv("PATH")}, ":"), "ADMIN_URL=" + g.db.DSN,
		"DATABASE_URL=" + at.String(), "BROKERS=" + g.brokers, "OUTBOX_RELAY_WEB_LISTEN_ADDRESS=" + g.listen,
	}
	t.Cleanup(func() { g.forget(t) })
	return g
}

// next runs the next block, which must succeed, and returns what it prints.
func (g *guide) next(t *testing.T) string {
	t.Helper()
	b := g.blocks[0]
	g.blocks = g.blocks[1:]
	if b.mark == "stays" {
		g.start(t, b)
		return ""
	}
	cmd := exec.CommandContext(wait.Context(t, stepTime), "bash", "-euo", "pipefail", "-c", b.text)
	cmd.Env = append(g.env, "PGOPTIONS=-c client_min_messages=warning")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("line %d: %v\n%s\n%s", b.line, err, b.text, out)
	}
	return string(out)
}

// start starts the relay of a block and waits until events flow.
func (g *guide) start(t *testing.T, b block) {
	t.Helper()
	script := `outbox-relay() { printf '%s\0' "$@"; }; ` + b.text
	cmd := exec.CommandContext(wait.Context(t, stepTime), "bash", "-euc", script)
	cmd.Env = g.env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("line %d: %v", b.line, err)
	}
	g.relay = proctest.Start(t, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), g.env[1:])
	if _, err := procs.WaitStatus(wait.Context(t, stepTime), g.listen, "/readyz", http.StatusOK); err != nil {
		t.Fatal(err)
	}
}

// stop is Ctrl-C.
func (g *guide) stop(t *testing.T) {
	t.Helper()
	if code, err := g.relay.Stop(wait.Context(t, stepTime)); err != nil || code != 0 {
		t.Fatalf("the relay ends with %d (%v)", code, err)
	}
}

// arrived waits for n events.
func (g *guide) arrived(t *testing.T, n int) []judge.Record {
	t.Helper()
	if err := g.consumer.WaitIDs(wait.Context(t, stepTime), n); err != nil {
		t.Fatal(err)
	}
	return g.consumer.Records()
}

// forget leaves nothing of the guide on the server that others share.
func (g *guide) forget(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), stepTime)
	defer cancel()
	if g.relay != nil {
		if err := g.relay.Kill(); err != nil {
			t.Error(err)
		}
	}
	cmd := exec.CommandContext(ctx, "psql", g.db.DSN, "-qc", `SET client_min_messages = warning; DROP ROLE IF EXISTS outbox_relay`)
	cmd.Env = g.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("drop the guide's role: %v: %s", err, out)
	}
}
