// Soak runs the relay's program through rounds of faults that are drawn by lot, between a PostgreSQL and a Kafka cluster
// that stay up, and judges after each round whether anything was lost, out of order, made up or changed:
//
//	go run ./test/soak -rounds 300 -seed 1
//
// A round that fails is repeated by -rounds 1 -seed with the seed that was printed for it: the load's shape, the faults
// and their times are the same then. It exits with 1 if anything was not as it must be.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	c := config{}
	flag.IntVar(&c.rounds, "rounds", 15, "how many rounds")
	flag.Uint64Var(&c.seed, "seed", 0, "`seed` of the first round, the others count up; 0 takes the time")
	flag.IntVar(&c.brokers, "brokers", 3, "1 or 3 brokers")
	flag.BoolVar(&c.race, "race", false, "build the relay with the race detector; its memory is not judged then")
	flag.StringVar(&c.only, "only", "", "regular expression for the `kinds` of faults; changes what a seed means")
	flag.StringVar(&c.logs, "logs", "", "`folder` for the logs of failed rounds; default a new temporary one")
	flag.Parse()
	if c.seed == 0 {
		c.seed = uint64(time.Now().UnixMilli())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ok, err := c.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}
