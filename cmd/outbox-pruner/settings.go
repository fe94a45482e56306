package main

import (
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/internal/postgres"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
)

// settings are the values of all options.
type settings struct {
	database postgres.Database
	prune    prune.Config
	outbox   outbox
	inbox    inbox

	partitions    string
	listenAddress string
	webConfig     string
	pprof         bool
	logLevel      string
	logFormat     string
}

// declare names every option once: its group, default and help.
func declare() (*options.Set, *settings) {
	s := &settings{}
	set := options.New(options.Program{
		Name:    program,
		Summary: "Deletes rows of an outbox table that are old and proven to be relayed, in small transactions that the application does not feel; old rows of a consumer's inbox, too.",
		Examples: []string{
			"# What would go, and what is kept:\noutbox-pruner -database.url postgres://outbox_pruner@db:5432/shop -slot.name outbox_relay -retention 72h -dry-run",
			"# One pass, for cron or a Kubernetes CronJob:\noutbox-pruner -database.url postgres://outbox_pruner@db:5432/shop -slot.name outbox_relay -retention 72h -once",
			"# By a time column, as a daemon, for two relays:\noutbox-pruner -config /etc/outbox-relay/outbox-pruner.conf -slot.name outbox_relay,warehouse -table.field.event.timestamp created_at",
			"# The role and the table that it needs:\noutbox-pruner -print-sql",
		},
		Footer: "Exit codes: 0 stopped in order or pass done, 1 starting again may help, 2 the configuration must change, 3 a person must decide.",
	})
	s.database.Declare(set.Group("PostgreSQL"), "the rights that -print-sql lists", "the outbox table")
	s.declareProof(set.Group("Slots"))
	s.outbox.declare(set.Group("Outbox"))
	s.inbox.declare(set.Group("Inbox"))
	s.declarePartitions(set.Group("Partitions"))
	s.declareBatches(set.Group("Batches"))
	s.declareOperation(set.Group("Operation"))
	set.Rule(s.database.Check)
	set.Rule(func() error { return s.complete(set) }, "table.include.list", "inbox.table", "slot.name", "publication.name", "shard.count", "state.table", "time.zone", "assume.relayed.before")
	return set, s
}

func (s *settings) declareProof(g *options.Group) {
	o := &s.outbox
	g.List(&o.slots, "slot.name", []string{"outbox_relay"}, "`slots` whose readers must have confirmed a row before it goes, separated by commas: that of each relay that needs the rows")
	g.List(&o.publications, "publication.name", []string{"outbox_relay"}, "`publication` with which the slots are read; for slots with different ones, as many as there are slots, in their order")
	o.declareShard(g)
	options.Parsed(g, &s.prune.State, "state.table", "public.outbox_pruner", "`table` in which the pruner keeps what it has proven; -print-sql makes it", catalog.ParseName)
	g.Duration(&s.prune.ConfirmTimeout, "confirm.timeout", 30*time.Second, "how long a pass waits for the slots to confirm what is committed at its start; after that it deletes what was proven before, and fails", options.AtLeast(time.Duration(0)))
	options.Parsed(g, &s.prune.AssumeBefore, "assume.relayed.before", "", "rows from before this `time` (2026-11-30T12:00:00Z) count as relayed, on your word: for rows that were there before the pruner first saw the slot, or from a gap that it reports", parseTime)
}

func (s *settings) declarePartitions(g *options.Group) {
	g.String(&s.partitions, "partitions", string(prune.Keep), "what to do about a partition of which all rows are old and proven: keep (delete its rows), drop or detach it; needs the rights of the table's owner",
		options.OneOf(string(prune.Keep), string(prune.Drop), string(prune.Detach)))
	g.Int(&s.prune.Ahead, "partitions.ahead", 0, "`number` of partitions to have ready behind the current one, as wide as the newest; 0 makes none", options.AtLeast(0), options.AtMost(366))
}

func (s *settings) declareBatches(g *options.Group) {
	p := &s.prune
	g.Int(&p.BatchSize, "batch.size", 1000, "`rows` that one transaction deletes at most", options.AtLeast(1), options.AtMost(100_000))
	g.Duration(&p.Pause, "pause", 100*time.Millisecond, "pause between two such transactions; if one took longer, as long as that took", options.AtLeast(time.Duration(0)))
	g.Duration(&p.LockTimeout, "lock.timeout", 500*time.Millisecond, "how long to wait for a lock on a table; writers queue behind a waiting change of partitions", options.AtLeast(time.Millisecond))
	g.Duration(&p.StatementTimeout, "statement.timeout", 30*time.Second, "longest time for one statement on rows; a smaller batch.size makes them shorter", options.AtLeast(time.Millisecond))
}

func (s *settings) declareOperation(g *options.Group) {
	g.Bool(&s.prune.Once, "once", false, "make one pass and exit, for cron; without the endpoint of web.listen-address")
	g.Bool(&s.prune.DryRun, "dry-run", false, "delete nothing; print how many rows would go and the oldest one that is kept, and exit. It reads the whole table")
	g.Duration(&s.prune.Interval, "interval", time.Minute, "pause between two passes, more or less a tenth", options.AtLeast(time.Second))
	g.String(&s.listenAddress, "web.listen-address", ":9291", "`host:port` for /metrics, /livez, /readyz and /status; port 0 takes a free one", options.NotEmpty())
	g.String(&s.webConfig, "web.config.file", "", "`file` with TLS and basic authentication for the endpoint, in the form of the Prometheus exporters (exporter-toolkit); it is read again at each connection")
	g.Bool(&s.pprof, "web.pprof", false, "serve Go's profiles under /debug/pprof/")
	g.String(&s.logLevel, "log.level", "info", "the least important lines that are logged", options.OneOf(logging.Levels()...))
	g.String(&s.logFormat, "log.format", logging.Auto, "auto is console on a terminal and json elsewhere", options.OneOf(logging.Formats()...))
	declareInformation(g)
}
