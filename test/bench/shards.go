package main

import (
	"context"
	"fmt"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/test/bench/internal/stats"
)

// partShards measures several relays that share an outbox.
const partShards = "shards"

// shardCounts are the numbers of relays that drain the same backlog.
var shardCounts = []int{1, 2, 4}

// relayCount is their name in tables.
func relayCount(n int) string {
	if n == 1 {
		return "1 relay"
	}
	return fmt.Sprintf("%d relays", n)
}

// shardShapes are the backlogs that are divided.
func (c choices) shardShapes() []shape {
	shapes := []shape{drained(1, 200_000), drained(100, 500_000)}
	if c.quick {
		shapes = []shape{drained(1, 100_000), drained(100, 200_000)}
	}
	return c.choose(shapes)
}

// fleet is some relays that share the outbox.
type fleet struct {
	contender
	relays int
}

func (s *stand) fleets() []fleet {
	var all []fleet
	for _, n := range shardCounts {
		all = append(all, fleet{contender{name: relayCount(n), ending: arrives, reads: true}, n})
	}
	return all
}

// measureShards lets different numbers of relays drain each backlog.
func (s *stand) measureShards(ctx context.Context, r *report) []error {
	var failures []error
	for i, shape := range s.plan.shardShapes {
		if ctx.Err() != nil {
			break
		}
		b, errs := s.drainShared(ctx, i, shape)
		r.shards = append(r.shards, b)
		failures = append(failures, errs...)
	}
	return failures
}

// drainShared is drain for fleets.
func (s *stand) drainShared(ctx context.Context, number int, shape shape) (*board, []error) {
	b := &board{title: shape.String(), rounds: s.plan.rounds, values: map[cell][]float64{}}
	for _, f := range s.fleets() {
		b.names = append(b.names, f.name)
	}
	log, err := s.newBacklogWith(ctx, fmt.Sprint("shards_", number), shape, s.makeShards)
	if err != nil {
		return b, []error{err}
	}
	var failures []error
	for round := range s.plan.rounds {
		for _, f := range stats.Rotate(s.fleets(), round) {
			if ctx.Err() != nil {
				break
			}
			r, err := s.drainWith(ctx, f, log, round)
			if err != nil {
				failures = append(failures, fmt.Errorf("%s, round %d: %s: %w", shape, round+1, f.name, err))
				s.say("%s, round %d: %s failed", shape, round+1, f.name)
				continue
			}
			r.note(b, f.name, round)
			b.set(f.name, senders, round, r.senders.Seconds()*1e6/float64(r.rows))
			s.say("%s, round %d: %s %.0f rows/s", shape, round+1, f.name, r.perSecond())
		}
	}
	return b, append(failures, failed("clean up", log.drop())...)
}

// shardName is a slot or publication of a fleet's relay, as the relay itself makes it.
func shardName(name string, index, count int) string {
	if count == 1 {
		return name
	}
	return replication.ShardName(name, index, count)
}

// roundSlot is the slot's name without the shard's part.
func roundSlot(round int) string { return fmt.Sprint("bench_shards_", round) }

// makeShards makes the publications of all fleets, and their slots for all rounds.
func (s *stand) makeShards(ctx context.Context, db *database) error {
	for _, f := range s.fleets() {
		for i := range f.relays {
			if f.relays > 1 {
				sql := fmt.Sprintf("CREATE PUBLICATION %s FOR TABLE outbox WHERE ((coalesce(hashtext(aggregateid), 0) & 2147483647) %% %d = %d) WITH (publish = 'insert')",
					shardName(publication, i, f.relays), f.relays, i)
				if err := db.exec(ctx, sql); err != nil {
					return err
				}
			}
			for round := range s.plan.rounds {
				if err := db.createSlot(ctx, shardName(roundSlot(round), i, f.relays)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
