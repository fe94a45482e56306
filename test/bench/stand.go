package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/outbox-relay/outbox-relay/test/debezium"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// stand is what stands around the contenders: the servers, the programs, a folder. One goroutine owns it.
type stand struct {
	choices
	plan     plan
	log      io.Writer // tells the progress
	postgres *pgserver.Server
	kafka    *kafkaserver.Cluster
	dir      string
	self     string // this program, which is some of the contenders too
	relay    string // path
	receive  string // path; empty when these PostgreSQL programs lack it
	jars     string // of Debezium
	targets  int    // made so far
}

// newStand builds the programs and starts the servers. The caller must call close.
func newStand(ctx context.Context, c choices, log io.Writer) (*stand, error) {
	forgetEnvironment()
	s := &stand{choices: c, plan: c.plan(), log: log, relay: c.relay}
	for _, step := range []func(context.Context) error{s.preparePrograms, s.startPostgres, s.startKafka} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

// forgetEnvironment drops what the user may have set for servers and relays of his own; it would reach the ones here.
func forgetEnvironment() {
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "PG") || strings.HasPrefix(name, "OUTBOX_RELAY_") {
			os.Unsetenv(name)
		}
	}
}

func (s *stand) preparePrograms(ctx context.Context) error {
	var err error
	if s.dir, err = os.MkdirTemp("", "outbox-bench-"); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if s.self, err = os.Executable(); err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	if s.relay == "" {
		s.say("building outbox-relay")
		if s.relay, err = procs.Build(ctx, procs.RelayPackage, s.dir); err != nil {
			return err
		}
	}
	if s.debezium {
		s.say("fetching Debezium, if it is not in the cache")
		s.jars, err = debezium.Fetch(ctx)
	}
	return err
}

// settings of PostgreSQL that keep its own housekeeping out of the measurements, and make room for a slot for every
// contender and round.
var settings = map[string]string{
	"autovacuum":            "off",
	"checkpoint_timeout":    "1h",
	"max_wal_size":          "16GB",
	"max_replication_slots": "200",
}

func (s *stand) startPostgres(ctx context.Context) error {
	s.say("starting PostgreSQL and Kafka")
	config := pgserver.Config{Settings: map[string]string{}}
	for name, value := range settings {
		config.Settings[name] = value
	}
	if s.fsync {
		config.Settings["fsync"], config.Settings["full_page_writes"] = "on", "on"
	}
	var err error
	if s.postgres, err = pgserver.Start(ctx, config); err != nil {
		return err
	}
	if path := receivePath(s.postgres.Binaries().Dir); exists(path) {
		s.receive = path
	} else {
		s.say("%s is not among these PostgreSQL programs and is left out; Debian's package postgresql has it", nameReceive)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (s *stand) startKafka(ctx context.Context) error {
	var err error
	s.kafka, err = kafkaserver.Start(ctx, kafkaserver.Config{HeapMB: 1024})
	return err
}

// close stops the servers and removes all files. It may be called however far newStand has come.
func (s *stand) close() error {
	var errs []error
	if s.kafka != nil {
		errs = append(errs, s.kafka.Close())
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Close())
	}
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}

// say tells the progress.
func (s *stand) say(format string, args ...any) {
	fmt.Fprintf(s.log, "%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// newTarget makes a target with topics of its own, if they are needed. The caller must call removeTarget.
func (s *stand) newTarget(ctx context.Context, c contender, db *database, wanted shape) (target, error) {
	s.targets++
	t := target{
		database: db.name, source: db.source(""), brokers: s.kafka.Addrs(),
		prefix: fmt.Sprintf("bench-%d.", s.targets), dir: filepath.Join(s.dir, fmt.Sprint("run-", s.targets)),
	}
	if err := os.Mkdir(t.dir, 0o755); err != nil {
		return t, fmt.Errorf("make a folder: %w", err)
	}
	if !c.produces() {
		return t, nil
	}
	for _, kind := range kinds(wanted.topics) {
		topic := t.prefix + kind
		if err := s.kafka.CreateTopic(ctx, topic, wanted.partitions(), 1, nil); err != nil {
			return t, errors.Join(err, s.removeTarget(t))
		}
		t.topics = append(t.topics, topic)
	}
	return t, nil
}

// removeTarget deletes what newTarget has made, also when the run was cut short.
func (s *stand) removeTarget(t target) error {
	ctx, cancel := context.WithTimeout(context.Background(), cleanupTimeout)
	defer cancel()
	errs := []error{os.RemoveAll(t.dir)}
	for _, topic := range t.topics {
		errs = append(errs, s.kafka.DeleteTopic(ctx, topic))
	}
	return errors.Join(errs...)
}

// cleanupTimeout is for what is done after a run; it takes milliseconds, or seconds with many topics.
const cleanupTimeout = time.Minute
