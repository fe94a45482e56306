package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/outbox-relay/outbox-relay/test/procs"
)

// stopTimeout is for the relay to end after SIGTERM. Nothing is under way then, so it takes milliseconds.
const stopTimeout = 30 * time.Second

// listens matches the line of the relay's log that has the address of its endpoint.
var listens = regexp.MustCompile(`"listen":"`)

// errEnded is what stops the demo when the relay is gone; its stop says how it ended.
var errEnded = errors.New("the relay ended by itself")

// relay is the real program in a process of its own.
type relay struct {
	*procs.Proc
	addr string // of its HTTP endpoint
}

func buildRelay(ctx context.Context, dir string) (string, error) {
	return procs.Build(ctx, procs.RelayPackage, dir)
}

// relayArgs is the command line: where the database is, where the broker is, and that each event's number in its order
// goes along for billing. The rest could stay at its defaults, but that the topics are made as needed and that the
// endpoint takes a free port.
func relayArgs(dsn string, brokers []string) []string {
	return []string{
		"-database.url=" + dsn,
		"-slot.name=quickstart",
		"-publication.name=quickstart",
		"-table.include.list=public.outbox",
		"-table.fields.additional.placement=sequence:header",
		"-bootstrap.servers=" + strings.Join(brokers, ","),
		"-topic.creation.enable",
		"-web.listen-address=127.0.0.1:0",
		"-log.format=json",
	}
}

// openRelay starts the program and waits until it is ready to relay.
func openRelay(ctx context.Context, path string, args []string) (*relay, error) {
	proc, err := procs.Start(procs.Config{Path: path, Args: args})
	if err != nil {
		return nil, err
	}
	r := &relay{Proc: proc}
	if err := r.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, proc.Close())
	}
	return r, nil
}

func (r *relay) awaitReady(ctx context.Context) error {
	line, err := r.WaitLog(ctx, 0, procs.Regexp(listens))
	if err != nil {
		return err
	}
	r.addr, _ = procs.LineField(line.Text, "listen")
	ctx, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { // a relay that has ended will never be ready
		select {
		case <-r.Done():
			cancel(errEnded)
		case <-ctx.Done():
		}
	})
	defer watch.Wait()
	defer cancel(nil)
	if _, err := procs.WaitStatus(ctx, r.addr, "/readyz", 200); err != nil {
		return fmt.Errorf("%w; the relay's last lines:\n%s", err, r.Tail(20))
	}
	return nil
}

// stop sends SIGTERM and insists on exit code 0.
func (r *relay) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	code, err := r.Stop(ctx)
	if err == nil && code != 0 {
		err = fmt.Errorf("the relay ended with exit code %d; its last lines:\n%s", code, r.Tail(20))
	}
	return errors.Join(err, r.Close())
}
