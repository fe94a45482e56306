package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/faultproxy"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/load"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

const (
	mostTypes  = 3 // aggregate types of a round
	partitions = 4 // of each topic: more than one, so that order is a matter of keys
	minInSync  = 2 // replicas, of three
	// replicaLag is after how long a silent replica drops out; walSenderTimeout after how long PostgreSQL gives a silent
	// relay up. Both are far below their defaults, so that rounds meet them.
	replicaLag       = 1500 * time.Millisecond
	walSenderTimeout = 4 * time.Second
)

// stand is what stays up over all rounds: the servers, the links to them and the relay's program.
type stand struct {
	dir        string // for the program
	relay      string // path of the program
	postgres   *pgserver.Server
	kafka      *kafkaserver.Cluster
	toPostgres *faultproxy.Proxy
	toBrokers  []*faultproxy.Proxy
}

// newStand starts everything. The caller must close it, also after an error.
func newStand(ctx context.Context, brokers int, race bool) (*stand, error) {
	s := &stand{}
	if err := s.build(ctx, race); err != nil {
		return s, err
	}
	var err error
	s.postgres, err = pgserver.Start(ctx, pgserver.Config{Settings: map[string]string{
		"wal_sender_timeout":        fmt.Sprint(walSenderTimeout.Milliseconds()),
		"logical_decoding_work_mem": "64kB", // transactions above it go through the disk
	}})
	if err != nil {
		return s, err
	}
	if s.toPostgres, err = faultproxy.Listen(fmt.Sprintf("127.0.0.1:%d", s.postgres.Port())); err != nil {
		return s, err
	}
	return s, s.startKafka(ctx, brokers)
}

// build makes the program as a user would, or with the race detector in it.
func (s *stand) build(ctx context.Context, race bool) (err error) {
	if s.dir, err = os.MkdirTemp("", "outbox-soak-bin-"); err != nil {
		return fmt.Errorf("make a folder for the relay: %w", err)
	}
	if !race {
		s.relay, err = procs.Build(ctx, procs.RelayPackage, s.dir)
		return err
	}
	s.relay = filepath.Join(s.dir, "outbox-relay")
	out, err := exec.CommandContext(ctx, "go", "build", "-race", "-o", s.relay, procs.RelayPackage).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build -race: %w\n%s", err, out)
	}
	return nil
}

func (s *stand) startKafka(ctx context.Context, brokers int) (err error) {
	var addrs []string
	for range brokers {
		proxy, err := faultproxy.Listen("")
		if err != nil {
			return err
		}
		s.toBrokers = append(s.toBrokers, proxy)
		addrs = append(addrs, proxy.Addr())
	}
	s.kafka, err = kafkaserver.Start(ctx, kafkaserver.Config{Brokers: brokers, Advertised: addrs, Settings: map[string]string{
		"default.replication.factor":   fmt.Sprint(brokers),
		"min.insync.replicas":          fmt.Sprint(min(minInSync, brokers)),
		"replica.lag.time.max.ms":      fmt.Sprint(replicaLag.Milliseconds()),
		"replica.fetch.wait.max.ms":    "250",
		"broker.session.timeout.ms":    "3000",
		"broker.heartbeat.interval.ms": "500",
		"num.partitions":               fmt.Sprint(partitions),
	}})
	if err != nil {
		return err
	}
	for i, addr := range s.kafka.Behind() {
		s.toBrokers[i].Forward(addr)
	}
	topics := []string{heartbeats}
	for n := range mostTypes {
		topics = append(topics, load.Topic(commonType(n)))
	}
	for _, topic := range topics {
		if err := s.kafka.CreateTopic(ctx, topic, partitions, int16(brokers), nil); err != nil {
			return err
		}
	}
	return nil
}

// commonType is an aggregate type whose topic serves all rounds. Topics are never deleted: a broker of Kafka 4.4 that
// starts after that may not find its way back into the cluster ("Topic ID ... existed in isrMembers, but not in the
// topics map").
func commonType(n int) string { return fmt.Sprintf("common.%d", n) }

// heartbeats is the topic of all rounds' heartbeats, by Debezium's rule; nobody reads it.
const (
	topicPrefix = "soak"
	heartbeats  = "__debezium-heartbeat." + topicPrefix
)

// bootstrap is what the relay is told: the links, not the brokers.
func (s *stand) bootstrap() string {
	addrs := make([]string, len(s.toBrokers))
	for i, p := range s.toBrokers {
		addrs[i] = p.Addr()
	}
	return strings.Join(addrs, ",")
}

// dsn is a database's URL over the link.
func (s *stand) dsn(database string) (string, error) {
	u, err := url.Parse(s.postgres.DSN(database))
	if err != nil {
		return "", fmt.Errorf("parse the server's URL: %w", err)
	}
	u.Host = s.toPostgres.Addr()
	return u.String(), nil
}

// heal takes back what faults have left, before the end of a round is judged.
func (s *stand) heal() {
	for _, p := range append([]*faultproxy.Proxy{s.toPostgres}, s.toBrokers...) {
		p.Heal()
	}
}

// drop removes a database with its slots.
func (s *stand) drop(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, s.postgres.DSN("postgres"))
	if err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	defer conn.Close(ctx)
	statements := []string{
		`SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE database = '` + name + `' AND active`,
		`SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = '` + name + `'`,
		`DROP DATABASE IF EXISTS ` + pgx.Identifier{name}.Sanitize() + ` WITH (FORCE)`,
	}
	// A walsender takes a moment to let go of its slot.
	err = poll.Until(ctx, 20*time.Millisecond, func(ctx context.Context) error {
		for _, sql := range statements {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	return nil
}

// close ends everything.
func (s *stand) close() error {
	var errs []error
	if s.kafka != nil {
		errs = append(errs, s.kafka.Close())
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Close())
	}
	for _, p := range append([]*faultproxy.Proxy{s.toPostgres}, s.toBrokers...) {
		if p != nil {
			errs = append(errs, p.Close())
		}
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}
