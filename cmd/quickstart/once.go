package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

const (
	onceOrders = 200
	onceEvents = onceOrders * 5 // each order has one event for each of its steps
)

// once lets the shop handle 200 orders as fast as it can, one transaction after the other, and checks that each of
// the 1,000 events arrives once, unchanged, and in order within its order. The event of start counts, but not for
// the times, because it had to wait for the topic.
func (d *demo) once(ctx context.Context) error {
	fmt.Fprintf(d.out, "relaying %d events of %d orders ...\n", onceEvents, onceOrders)
	delays := make([]time.Duration, 0, onceEvents)
	collect := func(_ event, delay time.Duration) { delays = append(delays, delay) }
	began, transactions := time.Now(), 0
	for placed := d.shop.placed; placed < onceOrders || d.shop.open() > 0; placed++ {
		if err := d.work(ctx, placed < onceOrders); err != nil {
			return err
		}
		transactions++
		if err := d.receiveArrived(collect); err != nil {
			return err
		}
	}
	if err := d.receiveAll(ctx, collect); err != nil {
		return err
	}
	took := time.Since(began)
	if got := 1 + len(delays); got != onceEvents {
		return fmt.Errorf("%d events arrived, not %d", got, onceEvents)
	}
	slices.Sort(delays)
	fmt.Fprintf(d.out, "%d events of %d orders arrived, each once, unchanged, in order within each order\n"+
		"%d transactions, one after the other, in %.2f s\n"+
		"from commit to consumer: p50 %s, p99 %s, longest %s\n",
		onceEvents, onceOrders, transactions, took.Seconds(),
		milliseconds(percentile(delays, 50)), milliseconds(percentile(delays, 99)), milliseconds(percentile(delays, 100)))
	return d.agree(ctx)
}

// receiveArrived takes what the consumer has already, without waiting.
func (d *demo) receiveArrived(show func(event, time.Duration)) error {
	for {
		select {
		case e := <-d.consumer.events:
			if err := d.accept(e, show); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// percentile returns the smallest value that p percent of the sorted values do not exceed.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := (len(sorted)*p + 99) / 100 // rounded up
	return sorted[max(rank, 1)-1]
}
