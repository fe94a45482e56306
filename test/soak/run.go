package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"time"
)

// config is the command line.
type config struct {
	rounds  int
	seed    uint64
	brokers int
	race    bool
	only    string
	logs    string
}

// run does all rounds and prints the sum. It answers whether all went well; an error is one of the harness.
func (c config) run(ctx context.Context) (ok bool, err error) {
	kinds, err := c.kinds()
	if err != nil {
		return false, err
	}
	began := time.Now()
	s, err := newStand(ctx, c.brokers, c.race)
	defer func() { err = errors.Join(err, s.close()) }()
	if err != nil {
		return false, err
	}
	fmt.Printf("PostgreSQL %d and %d Kafka brokers are up after %v; first seed %d\n", s.postgres.Major(), c.brokers, since(began), c.seed)
	var sum tally
	began = time.Now()
	for i := range c.rounds {
		if err = c.round(ctx, s, i, kinds, &sum); err != nil {
			break
		}
	}
	if sum.rounds > 0 {
		fmt.Printf("%.1f s a round; failed seeds: %v\n", time.Since(began).Seconds()/float64(sum.rounds), sum.failed)
	}
	fmt.Println(&sum)
	return err == nil && len(sum.failed) == 0, err
}

// kinds are the faults to draw from.
func (c config) kinds() ([]*kind, error) {
	only, err := regexp.Compile(c.only)
	if err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	kinds := slices.DeleteFunc(allKinds(c.brokers), func(k *kind) bool { return !only.MatchString(k.name) })
	if len(kinds) == 0 {
		return nil, fmt.Errorf("-only %s: matches no kind of fault", c.only)
	}
	return kinds, nil
}

// round does round i and prints a line about it.
func (c config) round(ctx context.Context, s *stand, i int, kinds []*kind, sum *tally) error {
	p := draw(c.seed+uint64(i), kinds)
	r := newRound(s, p, i)
	r.ignoreMemory = c.race
	r.run(ctx)
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), r.close(ctx))
	}
	sum.add(r)
	verdict := "ok  "
	if len(r.problems) > 0 {
		verdict = "FAIL"
	}
	fmt.Printf("%s round %d seed=%d %v rows=%d repeats=%d %.0fMB: %s\n",
		verdict, i+1, p.seed, since(r.began), r.report.Committed, r.report.Repeats(), float64(r.relay.memory())/(1<<20), &p)
	var err error
	if len(r.problems) > 0 {
		err = c.keep(r)
	}
	return errors.Join(err, r.close(ctx))
}

// keep prints what failed and writes the logs.
func (c *config) keep(r *round) (err error) {
	for _, problem := range r.problems {
		fmt.Printf("     %s\n", problem)
	}
	if c.logs == "" {
		if c.logs, err = os.MkdirTemp("", "outbox-soak-failed-"); err != nil {
			return fmt.Errorf("make a folder for logs: %w", err)
		}
	}
	dir, err := r.writeLogs(c.logs)
	if err == nil {
		fmt.Printf("     logs in %s; again: make soak ROUNDS=1 SEED=%d\n", dir, r.plan.seed)
	}
	return err
}

func since(t time.Time) time.Duration { return time.Since(t).Round(100 * time.Millisecond) }

// newRound names what the round has for itself: all but those topics that are there before it.
func newRound(s *stand, p plan, i int) *round {
	name := fmt.Sprintf("soak_%d_%d", i, p.seed)
	r := &round{stand: s, plan: p, name: name, slot: name, relay: &relay{}}
	r.relay.launch = r.launch
	for n := range p.types {
		if p.late {
			r.types = append(r.types, fmt.Sprintf("%s.%d", name, n))
		} else {
			r.types = append(r.types, commonType(n))
		}
	}
	return r
}
