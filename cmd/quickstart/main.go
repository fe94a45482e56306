// Command quickstart shows the relay at work on a machine that has nothing but Go. It starts a PostgreSQL server, an
// in-process broker that speaks Kafka's protocol, and the real outbox-relay between them; it plays a small shop with the
// order service of examples/orders, which writes orders and their events in one transaction, runs that example's billing,
// and prints each event as it arrives.
//
// Nothing of it is a part of the product, and nothing is left behind when it ends. Read demo.go first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
)

func main() {
	forgetEnvironment()
	daemon.Main("quickstart", run)
}

// choices are what the command line decides.
type choices struct {
	once  bool
	relay string
}

// run is the whole program but for its process.
func run(ctx context.Context, p daemon.Process) error {
	c, err := parse(p.Args, p.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return daemon.Configuration(err)
	}
	d, err := start(ctx, c.relay, p.Stdout)
	if err != nil {
		return err
	}
	if c.once {
		err = d.once(ctx)
	} else {
		err = d.live(ctx)
	}
	if err := errors.Join(err, d.stop()); err != nil {
		return err
	}
	fmt.Fprintln(p.Stdout, "the relay ended with exit code 0; all is stopped and cleaned up")
	return nil
}

func parse(args []string, stdout io.Writer) (choices, error) {
	var c choices
	fs := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // an error is printed once, by daemon
	fs.BoolVar(&c.once, "once", false, fmt.Sprintf("relay %d events, check them, print a summary and exit", onceEvents))
	fs.StringVar(&c.relay, "relay", "", "run this outbox-relay `program` instead of building it")
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, "Shows outbox-relay between a PostgreSQL and a broker that it starts itself. Ctrl-C ends it.\n\n")
		fs.SetOutput(stdout)
		fs.PrintDefaults()
		return c, err
	}
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if err != nil {
		return c, fmt.Errorf("%w; -help lists what there is", err)
	}
	return c, nil
}

// forgetEnvironment drops what the user may have set for a server or relay of his own; it would reach the ones here.
func forgetEnvironment() {
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "PG") || strings.HasPrefix(name, "OUTBOX_RELAY_") {
			os.Unsetenv(name)
		}
	}
}
