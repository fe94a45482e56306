package preflight

import (
	"context"
	"sync"
	"time"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/router/kafka"
	"github.com/outbox-relay/outbox-relay/schema"
)

// Config is what a relay would start with.
type Config struct {
	Database    string // as whom to which, for the report; no password
	Replication replication.Config
	Bind        func(*schema.Relation) error // the router's verdict on a table
	Kafka       kafka.Config
	Targets     router.Targets
	Topics      kafka.Topics // completed by Run from Targets
}

const (
	// patience bounds each side's questions, one dead address of several included.
	patience = time.Minute
	// mostTopics are looked at in detail; a pattern may match thousands.
	mostTopics = 50
)

// Run checks PostgreSQL and Kafka at the same time and returns everything that it
// found, the database first.
func Run(ctx context.Context, c Config) Report {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if c.Kafka.MaxRequestSize == 0 {
		c.Kafka.MaxRequestSize = kafka.DefaultMaxRequestSize
	}
	c.completeTopics()
	var database, cluster Report
	var both sync.WaitGroup
	both.Go(func() { database = postgres(ctx, &c) })
	both.Go(func() { cluster = brokers(ctx, &c) })
	both.Wait()
	return append(database, cluster...)
}
