package golden_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/test/compat/records"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

const (
	caseTimeout = 2 * time.Minute // the cases take a second or two on a machine that is idle
	partitions  = 6               // of topics that a case does not mention, as the brokers had it that recorded the cases
)

func TestGoldens(t *testing.T) {
	cases := load(t)
	if want := 68; len(cases) != want {
		t.Errorf("%d cases found, want %d", len(cases), want)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := c.expected(t)
			p := newPlay(t, c)
			p.needServer(t)
			p.run(t)
			p.judge(t, want)
		})
	}
}

// play is one case being played.
type play struct {
	*golden
	ctx       context.Context
	db        *pgtest.DB
	slot      string
	bootstrap string
	cluster   *kfake.Cluster
	relay     *procs.Proc
	code      int // the relay's exit code
	window    records.Window
}

func newPlay(t *testing.T, c *golden) *play {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), caseTimeout)
	t.Cleanup(cancel)
	p := &play{golden: c, ctx: ctx, db: pgtest.NewDB(t), window: records.Window{From: time.Now()}}
	p.slot = "golden_" + strings.ReplaceAll(c.name, "-", "_")
	p.bootstrap, p.cluster = kfaketest.New(t, 1, nil, p.seeds()...)
	return p
}

// wideScale finds a numeric type of a scale beyond its precision or below zero.
var wideScale = regexp.MustCompile(`numeric\(\d+, ?-\d+\)|numeric\(3, ?5\)`)

// needServer skips a case whose table the server cannot make.
func (p *play) needServer(t *testing.T) {
	t.Helper()
	if found := wideScale.FindString(p.fill(t, "ddl.sql")); found != "" && p.db.Server.Major() < 15 {
		t.Skipf("PostgreSQL %d has no %s: 15 brought scales beyond the precision and below zero", p.db.Server.Major(), found)
	}
}

// seeds are the topics to make, with their partitions.
func (p *play) seeds() []kfake.Opt {
	topics := maps.Clone(p.Topics)
	if topics == nil {
		topics = make(map[string]int32)
	}
	for _, r := range p.want {
		if _, ok := topics[r.Topic]; !ok {
			topics[r.Topic] = partitions
		}
	}
	var seeds []kfake.Opt
	for _, topic := range slices.Sorted(maps.Keys(topics)) {
		seeds = append(seeds, kfake.SeedTopics(topics[topic], topic))
	}
	return seeds
}

// run plays the case up to the relay's end.
func (p *play) run(t *testing.T) {
	t.Helper()
	p.psql(t, "ddl.sql")
	p.psql(t, "before.sql")
	config := filepath.Join(t.TempDir(), "connector.json")
	if err := os.WriteFile(config, []byte(p.fill(t, "connector.json")), 0o600); err != nil {
		t.Fatal(err)
	}
	p.relay = proctest.Start(t, p.arguments(config), nil)
	if _, err := p.relay.WaitLog(p.ctx, 0, procs.Field("message", "streaming")); err == nil {
		p.psql(t, "insert.sql")
		p.awaitConfirmed(t)
	} else if p.ctx.Err() != nil {
		t.Fatal(err)
	}
	code, err := p.relay.Stop(p.ctx)
	if err != nil {
		t.Fatal(err)
	}
	p.code, p.window.To = code, time.Now()
}

func (p *play) arguments(config string) []string {
	return slices.Concat([]string{
		"-config", config, "-bootstrap.servers", p.bootstrap, "-web.listen-address", "127.0.0.1:0",
		"-topic.creation.enable", "-topic.creation.default.partitions", strconv.Itoa(partitions),
	}, p.args, betterCases[p.name].args)
}

// fill returns a file of the case, empty if there is none, with the placeholders filled in.
func (p *play) fill(t *testing.T, file string) string {
	t.Helper()
	text, err := p.optional(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(
		"@HOST@", "127.0.0.1", "@PORT@", strconv.Itoa(p.db.Server.Port()), "@DB@", p.db.Name, "@SLOT@", p.slot, "@PUB@", p.slot,
	).Replace(text)
}

// psql runs a file of the case, statement by statement as the recording did.
func (p *play) psql(t *testing.T, file string) {
	t.Helper()
	script := p.fill(t, file)
	if script == "" {
		return
	}
	cmd := exec.CommandContext(p.ctx, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", p.db.DSN, "-f", "-")
	cmd.Stdin = strings.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("psql -f %s: %v\n%s", file, err, out)
	}
}

// awaitConfirmed waits until the relay has confirmed everything that is committed now, or has ended.
func (p *play) awaitConfirmed(t *testing.T) {
	t.Helper()
	conn := p.db.Connect(t)
	var committed string
	if err := conn.QueryRow(p.ctx, `SELECT pg_current_wal_lsn()::text`).Scan(&committed); err != nil {
		t.Fatal(err)
	}
	err := poll.Until(p.ctx, 20*time.Millisecond, func(ctx context.Context) error {
		if !p.relay.Running() {
			return nil
		}
		return p.confirmed(ctx, conn, committed)
	})
	if err != nil {
		t.Fatalf("wait until the relay has confirmed %s: %v", committed, err)
	}
}

// confirmed errs while the slot is behind a position, or a topic of which only the first record counts is empty.
func (p *play) confirmed(ctx context.Context, conn *pgx.Conn, committed string) error {
	var done bool
	var flushed string
	err := conn.QueryRow(ctx, `SELECT confirmed_flush_lsn >= $2::pg_lsn, confirmed_flush_lsn::text
		FROM pg_replication_slots WHERE slot_name = $1`, p.slot, committed).Scan(&done, &flushed)
	if err != nil {
		return err
	}
	if !done {
		return fmt.Errorf("the slot is at %s", flushed)
	}
	return p.repeated(ctx)
}

// repeated errs while a topic of which only the first record counts is empty.
func (p *play) repeated(ctx context.Context) error {
	if len(p.Collapse) == 0 {
		return nil
	}
	got, err := records.Read(ctx, p.cluster.ListenAddrs(), p.collapsed, p.window)
	if err == nil && len(got) == 0 {
		err = fmt.Errorf("nothing has arrived in topics %q", p.Collapse)
	}
	return err
}

// judge compares what arrived, and how the relay ended, with what is expected.
func (p *play) judge(t *testing.T, want outcome) {
	t.Helper()
	all := func(string) bool { return true }
	got, err := records.Read(p.ctx, p.cluster.ListenAddrs(), all, p.window)
	if err != nil {
		t.Fatal(err)
	}
	if diff := records.Diff(want.records, p.normalise(got, p.window)); diff != "" {
		t.Error(diff)
	}
	if p.code != want.code {
		t.Errorf("the relay ended with exit code %d, want %d", p.code, want.code)
	}
	if !strings.Contains(p.relay.Stderr(), want.says) {
		t.Errorf("the relay did not say %q", want.says)
	}
}
