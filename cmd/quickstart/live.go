package main

import (
	"context"
	"fmt"
	"time"
)

// live lets the shop work once a second and prints each event as it arrives, until the context ends. What was
// committed by then still arrives.
func (d *demo) live(ctx context.Context) error {
	d.printHeading()
	if err := d.workAndShow(ctx, d.printEvent); err != nil {
		return err
	}
	if err := d.receiveAll(context.WithoutCancel(ctx), d.printEvent); err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\n%d events were committed and all arrived, each once, in order within each order\n", d.ledger.total)
	return d.agree(context.WithoutCancel(ctx))
}

func (d *demo) workAndShow(ctx context.Context, show func(event, time.Duration)) error {
	tick := time.NewTicker(workPause)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			// A transaction that has begun is finished: cut off in its commit, it would leave open what must arrive.
			if err := d.work(context.WithoutCancel(ctx), true); err != nil {
				return err
			}
		case e := <-d.consumer.events:
			if err := d.accept(e, show); err != nil {
				return err
			}
		case <-d.consumer.done:
			return d.consumer.err
		case <-d.billing.done:
			return d.billing.err
		case <-d.relay.Done():
			return errEnded
		case <-ctx.Done():
			return nil
		}
	}
}
