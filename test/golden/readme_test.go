package golden_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/compat/records"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

// readme is a chapter of the README that shows how to write an event and how to start the relay.
type readme struct {
	chapter string
	write   string // what the application does; empty for what the chapter shows
	want    records.Record
}

// The README's command lines do what it says, as they stand there.
func TestReadme(t *testing.T) {
	t.Parallel()
	table := row("outbox.event.Order", 0, "1", "10711fa5", `{"total": 12.50}`)
	table.Headers = append(table.Headers, records.Header{Key: "eventType", Value: []byte("OrderCreated")},
		records.Header{Key: "createdAt", Value: []byte("2026-02-03T03:05:06.789000Z")})
	message := row("outbox.event.Order", 0, "1", "10711fa5", `{"total":12.5}`)
	message.Headers[0].Value = []byte("59a42efd-b015-44a9-9dde-cb36d9002425")
	for _, tt := range []readme{
		{"A table with other columns", `INSERT INTO outbox VALUES
			('a0000000-0000-4000-8000-000000000001', 'Order', '10711fa5', 'OrderCreated', '{"total": 12.50}', '2026-02-03 04:05:06.789+01')`, table},
		{"An outbox without a table", "", message},
	} {
		t.Run(tt.chapter, func(t *testing.T) {
			t.Parallel()
			tt.try(t)
		})
	}
}

func (r readme) try(t *testing.T) {
	content, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(content), "\n## "+r.chapter+"\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	ctx, cancel := context.WithTimeout(t.Context(), caseTimeout)
	defer cancel()
	p := &play{golden: &golden{name: "readme"}, ctx: ctx, db: pgtest.NewDB(t), window: records.Window{From: time.Now()}}
	p.slot = p.db.Name
	p.bootstrap, p.cluster = kfaketest.New(t, 1, nil)
	write := block(t, chapter, "sql")
	if r.write != "" {
		p.db.Exec(t, write)
		write = r.write
	}
	p.start(t, shellWords(t, block(t, chapter, "sh"), "DATABASE_URL="+p.db.DSN, "BROKERS="+p.bootstrap))
	p.db.Exec(t, write)
	p.awaitConfirmed(t)
	if p.code, err = p.relay.Stop(p.ctx); err != nil {
		t.Fatal(err)
	}
	p.window.To = time.Now()
	p.judge(t, outcome{records: []records.Record{r.want}})
}

// start starts the relay with a command line and waits until it streams.
func (p *play) start(t *testing.T, line []string) {
	t.Helper()
	p.relay = proctest.Start(t, append(line[1:], "-slot.name="+p.slot, "-topic.creation.default.partitions=1", "-web.listen-address=127.0.0.1:0"), nil)
	if _, err := p.relay.WaitLog(p.ctx, 0, procs.Field("message", "streaming")); err != nil {
		t.Fatal(err)
	}
}

// block returns the first fenced block of a language.
func block(t *testing.T, markdown, language string) string {
	t.Helper()
	_, text, found := strings.Cut(markdown, "```"+language+"\n")
	text, _, closed := strings.Cut(text, "```")
	if !found || !closed {
		t.Fatalf("no block of %s", language)
	}
	return text
}

// shellWords lets a shell take a command line apart.
func shellWords(t *testing.T, line string, env ...string) []string {
	t.Helper()
	name, _, _ := strings.Cut(line, " ")
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", name+`() { printf '%s\0' `+name+` "$@"; }; `+line)
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v in %s", err, line)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}
