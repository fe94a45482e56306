package main

import (
	"context"
	"slices"
)

// kind is one kind of fault. do makes it, waits for the time that the fault lasts, and takes it back. An error is a
// failure of the harness, not of the relay.
type kind struct {
	name   string
	uses   string // what it has for itself: two faults of one round never use the same
	weight int
	gentle bool // nothing breaks, so nothing may be sent twice
	stops  bool // nothing flows meanwhile: a long one must turn the relay red
	do     func(ctx context.Context, r *round, f fault) error
}

// allKinds are those of a stand with so many brokers.
func allKinds(brokers int) []*kind {
	kinds := slices.Concat(linkKinds(), postgresKinds(), brokerKinds(), relayKinds(), catalogKinds())
	if brokers > 1 {
		kinds = append(kinds, clusterKinds()...)
	}
	return kinds
}

// What faults have for themselves.
const (
	databaseLink = "link to PostgreSQL"
	brokerLink   = "links to brokers"
	database     = "PostgreSQL"
	brokers      = "brokers"
	relays       = "relay"
	catalog      = "catalog"
)
