package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

// perConnection is how many inserts per second one connection of the application makes.
const perConnection = 125

// warmUp is left out of the figures: connections are new, and the server has just written a checkpoint.
const warmUp = time.Second

// inserts writes at the rate while a phase lasts, and returns how long the inserts took, sorted. An insert's time counts from
// when it was due, so that those that had to wait for a slow one before them count as slow, too.
func (s *stand) inserts(ctx context.Context, phase func(context.Context) error) ([]time.Duration, error) {
	connections := max(1, s.rate/perConnection)
	step := time.Second * time.Duration(connections) / time.Duration(s.rate)
	writing, stop := context.WithCancel(ctx)
	defer stop()
	all := make([][]time.Duration, connections)
	group, grouped := errgroup.WithContext(writing)
	for i := range connections {
		group.Go(func() (err error) {
			all[i], err = s.insertPaced(grouped, step*time.Duration(i)/time.Duration(connections), step)
			return err
		})
	}
	err := phase(grouped)
	stop()
	if writeErr := group.Wait(); writeErr != nil {
		return nil, writeErr
	}
	if err != nil {
		return nil, err
	}
	took := slices.Concat(all...)
	if len(took) == 0 {
		return nil, fmt.Errorf("the phase was over within %s; take more rows", warmUp)
	}
	slices.Sort(took)
	return took, nil
}

// insertPaced is one connection: an insert every step, the first after delay, until ctx ends.
func (s *stand) insertPaced(ctx context.Context, delay, step time.Duration) ([]time.Duration, error) {
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // the figures are in
	began := time.Now()
	due := began.Add(delay)
	timer := time.NewTimer(delay)
	defer timer.Stop()
	var took []time.Duration
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return took, nil
		}
		if _, err := conn.Exec(context.WithoutCancel(ctx), insert, 1); err != nil {
			return nil, fmt.Errorf("insert: %w", err)
		}
		if due.Sub(began) > warmUp {
			took = append(took, time.Since(due))
		}
		due = due.Add(step)
		timer.Reset(time.Until(due))
	}
}
