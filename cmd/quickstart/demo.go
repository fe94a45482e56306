package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/test/pgserver"
)

const (
	startTimeout = 5 * time.Minute  // a slow network fetches PostgreSQL and a slow machine compiles the relay
	drainTimeout = 30 * time.Second // for events under way to arrive; they take milliseconds
	workPause    = time.Second      // between two transactions of the shop in live
)

// demo is everything that runs. One goroutine owns it; only consumer and billing have another one each.
//
//	shop ──SQL──▶ PostgreSQL ──▶ outbox-relay ──▶ broker ─┬▶ consumer ──▶ ledger
//	                                                      └▶ billing ──SQL──▶ PostgreSQL
type demo struct {
	out      io.Writer
	dir      string // temporary, for the relay's program
	database *pgserver.Server
	broker   *kfake.Cluster
	relay    *relay
	shop     *shop
	consumer *consumer
	billing  *biller
	ledger   *ledger
}

// start brings up all parts, each after those it needs, and waits for a first event to get through.
func start(ctx context.Context, relayPath string, out io.Writer) (*demo, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	d := &demo{out: out, ledger: newLedger()}
	for _, step := range []func(context.Context) error{
		d.startDatabase,
		d.startBroker,
		func(ctx context.Context) error { return d.startRelay(ctx, relayPath) },
		d.firstEvent,
	} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, d.stop())
		}
	}
	return d, nil
}

func (d *demo) startDatabase(ctx context.Context) error {
	fmt.Fprintln(d.out, "starting PostgreSQL (fetched once if none is installed) ...")
	var err error
	// A commit waits for the disk, as it would in production; the test servers of this package skip that.
	safe := map[string]string{"fsync": "on", "full_page_writes": "on"}
	if d.database, err = pgserver.Start(ctx, pgserver.Config{Settings: safe}); err != nil {
		return err
	}
	for _, name := range []string{"shop", "billing"} {
		if err := d.database.CreateDatabase(ctx, name); err != nil {
			return err
		}
	}
	d.shop, err = openShop(ctx, d.database.DSN("shop"))
	return err
}

func (d *demo) startBroker(ctx context.Context) error {
	var err error
	d.broker, err = kfake.NewCluster(kfake.NumBrokers(1), kfake.DefaultNumPartitions(3))
	if err != nil {
		return fmt.Errorf("start the broker: %w", err)
	}
	if d.consumer, err = openConsumer(d.broker.ListenAddrs()); err != nil {
		return err
	}
	d.billing, err = openBilling(ctx, d.database.DSN("billing"), d.broker.ListenAddrs())
	return err
}

func (d *demo) startRelay(ctx context.Context, path string) error {
	var err error
	if d.dir, err = os.MkdirTemp("", "outbox-quickstart-"); err != nil {
		return fmt.Errorf("make a folder for the relay: %w", err)
	}
	if path == "" {
		fmt.Fprintln(d.out, "building outbox-relay ...")
		if path, err = buildRelay(ctx, d.dir); err != nil {
			return err
		}
	}
	args := relayArgs(d.database.DSN("shop"), d.broker.ListenAddrs())
	if d.relay, err = openRelay(ctx, path, args); err != nil {
		return err
	}
	d.printParts(args)
	return nil
}

// firstEvent places an order and waits for its event, for which the relay has to make the topic first.
func (d *demo) firstEvent(ctx context.Context) error {
	if err := d.work(ctx, true); err != nil {
		return err
	}
	return d.receiveAll(ctx, func(_ event, delay time.Duration) {
		fmt.Fprintf(d.out, "the first event took %s: the relay made the topic for it\n\n", milliseconds(delay))
	})
}

// work lets the shop do one transaction and notes which events must arrive.
func (d *demo) work(ctx context.Context, place bool) error {
	committed, err := d.shop.work(ctx, place)
	d.ledger.expect(committed)
	return err
}

// receive takes one event from the consumer, or fails when it can not come any more.
func (d *demo) receive(ctx context.Context, show func(event, time.Duration)) error {
	select {
	case e := <-d.consumer.events:
		return d.accept(e, show)
	case <-d.consumer.done:
		return d.consumer.err
	case <-d.billing.done:
		return d.billing.err
	case <-d.relay.Done():
		return errEnded
	case <-ctx.Done():
		return fmt.Errorf("%d events have not arrived: %w", d.ledger.open, context.Cause(ctx))
	}
}

func (d *demo) accept(e event, show func(event, time.Duration)) error {
	delay, err := d.ledger.arrived(e)
	if err == nil {
		show(e, delay)
	}
	return err
}

// receiveAll receives until nothing is expected any more.
func (d *demo) receiveAll(ctx context.Context, show func(event, time.Duration)) error {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	for d.ledger.open > 0 {
		if err := d.receive(ctx, show); err != nil {
			return err
		}
	}
	return nil
}

// agree waits until billing has billed all events, and looks that its invoices are those of the orders.
func (d *demo) agree(ctx context.Context) error {
	orders, err := d.shop.totals(ctx)
	if err != nil {
		return err
	}
	if err := d.billing.billedAs(ctx, d.ledger.total, orders); err != nil {
		return err
	}
	fmt.Fprintf(d.out, "billing has %d invoices over %d cents from %d events, as the orders say\n", orders.count, orders.cents, orders.events)
	return nil
}

// stop ends all parts in the order in which they feed each other, and looks that the relay ended well. It may be
// called however far start has come.
func (d *demo) stop() error {
	var errs []error
	if d.shop != nil {
		errs = append(errs, d.shop.close())
	}
	if d.relay != nil {
		errs = append(errs, d.relay.stop())
	}
	if d.consumer != nil {
		errs = append(errs, d.consumer.stop())
	}
	if d.billing != nil {
		errs = append(errs, d.billing.stop())
	}
	if d.broker != nil {
		d.broker.Close()
	}
	if d.database != nil {
		errs = append(errs, d.database.Close())
	}
	if d.dir != "" {
		errs = append(errs, os.RemoveAll(d.dir))
	}
	return errors.Join(errs...)
}
