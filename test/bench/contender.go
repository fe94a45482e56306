package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/debezium"
	"github.com/outbox-relay/outbox-relay/test/bench/internal/floor"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// The contenders' names in tables.
const (
	nameReceive  = "pg_recvlogical"
	nameRelay    = "outbox-relay"
	nameBaseline = "outbox-relay, baseline"
	nameReader   = "bare reader"
	nameProducer = "bare producer"
	nameFloor    = "bare reader and producer"
	nameDebezium = "Debezium, defaults"
	nameTuned    = "Debezium, tuned"
)

// target is what a contender is pointed at.
type target struct {
	database    string
	source      floor.Source
	brokers     []string
	prefix      string   // of topics; the aggregate type follows
	topics      []string // all that exist
	rows        int
	payload     int
	queue       int    // max.queue.size; 0 for the default
	endPosition string // in the WAL, after the last row
	dir         string // for files; a contender that is started again finds them there
}

// ending is how a contender shows that it has drained a backlog.
type ending int

const (
	exits   ending = iota // its process ends
	tells                 // it prints a line
	arrives               // its topics hold all rows
)

// contender is a program to be measured.
type contender struct {
	name   string
	ending ending
	reads  bool // a slot
	start  func(target) (*procs.Proc, error)
}

// produces reports whether it needs topics.
func (c contender) produces() bool { return c.name != nameReceive && c.name != nameReader }

// drainers are those that drain a backlog.
func (s *stand) drainers() []contender {
	var list []contender
	if s.receive != "" {
		list = append(list, contender{nameReceive, exits, true, s.startReceive})
	}
	list = append(list, s.relays()...)
	list = append(list,
		contender{nameReader, tells, true, s.startFloor(floor.ReadCommand)},
		contender{nameProducer, tells, false, s.startFloor(floor.ProduceCommand)},
	)
	return append(list, s.debeziums(debezium.Throughput)...)
}

// streamers are those that bring rows from a table to a topic for as long as they run.
func (s *stand) streamers() []contender {
	list := []contender{{nameFloor, arrives, true, s.startFloor(floor.RelayCommand)}}
	return append(append(list, s.relays()...), s.debeziums(debezium.Latency)...)
}

func (s *stand) relays() []contender {
	list := []contender{{nameRelay, arrives, true, s.startRelay(s.relay)}}
	if s.baseline != "" {
		list = append(list, contender{nameBaseline, arrives, true, s.startRelay(s.baseline)})
	}
	return list
}

func (s *stand) debeziums(tuned debezium.Tuning) []contender {
	if !s.debezium {
		return nil
	}
	return []contender{
		{nameDebezium, arrives, true, s.startDebezium(debezium.Defaults)},
		{nameTuned, arrives, true, s.startDebezium(tuned)},
	}
}

// startReceive starts the client that belongs to PostgreSQL, which ends after the last row.
func (s *stand) startReceive(t target) (*procs.Proc, error) {
	return procs.Start(procs.Config{Path: s.receive, Args: []string{
		"--dbname", t.source.DSN, "--slot", t.source.Slot, "--start", "--no-loop", "--no-password", "--file", "/dev/null",
		"--option", "proto_version=1", "--option", "publication_names=" + t.source.Publication, "--endpos", t.endPosition,
	}})
}

func (s *stand) startFloor(command string) func(target) (*procs.Proc, error) {
	return func(t target) (*procs.Proc, error) {
		c := floor.Command{
			Name: command, Source: t.source, Brokers: t.brokers, Prefix: t.prefix, Topics: t.topics, Rows: t.rows, Payload: t.payload,
		}
		return procs.Start(procs.Config{Path: s.self, Args: c.Args()})
	}
}

// startRelay runs the relay with its defaults, apart from where it reads and writes, and what more says.
func (s *stand) startRelay(program string, more ...string) func(target) (*procs.Proc, error) {
	return func(t target) (*procs.Proc, error) {
		args := append([]string{
			"-database.url", t.source.DSN, "-slot.name", t.source.Slot, "-publication.name", t.source.Publication,
			"-publication.autocreate.mode", "disabled", "-table.include.list", "public.outbox",
			"-bootstrap.servers", strings.Join(t.brokers, ","), "-route.topic.replacement", t.prefix + "${routedByValue}",
			"-web.listen-address", "127.0.0.1:0", "-log.format", "json",
		}, more...)
		if t.queue > 0 {
			args = append(args, "-max.queue.size", strconv.Itoa(t.queue))
		}
		return procs.Start(procs.Config{Path: program, Args: args})
	}
}

func (s *stand) startDebezium(tuning debezium.Tuning) func(target) (*procs.Proc, error) {
	return func(t target) (*procs.Proc, error) {
		return debezium.Start(s.jars, t.dir, debezium.Config{
			Host: "127.0.0.1", Port: s.postgres.Port(), User: "postgres", Database: t.database,
			Slot: t.source.Slot, Publication: t.source.Publication, Table: "public.outbox",
			Bootstrap: strings.Join(t.brokers, ","), Topics: t.prefix + "${routedByValue}", Tuning: tuning,
		})
	}
}

// receivePath is where the client would be in a folder of PostgreSQL's programs.
func receivePath(dir string) string { return filepath.Join(dir, "pg_recvlogical") }

// kinds are the aggregate types, one for each topic.
func kinds(topics int) []string {
	list := make([]string, topics)
	for i := range list {
		list[i] = fmt.Sprintf("type-%02d", i)
	}
	return list
}
