// Command bench measures what an application that writes to an outbox feels of the pruner: the latency of its inserts
// while a backlog is pruned, beside that of the same inserts without the pruner, in turns, on servers of its own. The
// real relay reads the slot all the while.
//
//	go run ./test/prune/bench                  # 1,000,000 rows, 2,000 inserts/s
//	go run ./test/prune/bench -rows 100000     # sooner
//
// It prints Markdown. Exit codes: 0 done, 1 something failed or the goal was missed, 2 the command line is wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// choices are what the command line decides.
type choices struct {
	rows   int // to be pruned, in all rounds together
	rate   int // inserts per second
	rounds int
	pause  time.Duration // of the pruner
	batch  int
	fsync  bool
	goal   float64 // largest ratio of the p99s
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c choices
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.IntVar(&c.rows, "rows", 1_000_000, "rows to prune, in all rounds together")
	fs.IntVar(&c.rate, "rate", 2000, "inserts per second")
	fs.IntVar(&c.rounds, "rounds", 20, "turns of both phases: short ones, so that other load on the machine meets both alike")
	fs.DurationVar(&c.pause, "pause", 100*time.Millisecond, "the pruner's -pause")
	fs.IntVar(&c.batch, "batch.size", 1000, "the pruner's -batch.size")
	fs.BoolVar(&c.fsync, "fsync", true, "let PostgreSQL wait for the disk, as in production")
	fs.Float64Var(&c.goal, "goal", 1.5, "largest ratio of the p99 with the pruner to that without; 0 for none")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if c.rows < 1 || c.rate < 1 || c.rounds < 1 || fs.NArg() > 0 {
		fmt.Fprintln(stderr, "bench: rows, rate and rounds must be positive, and there are no arguments")
		return 2
	}
	rounds, err := measure(ctx, c, stderr)
	if err == nil {
		err = print(stdout, c, rounds)
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// round is what one turn of both phases came to.
type round struct {
	without, with []time.Duration // of all inserts, sorted
	pruned        int
	took          time.Duration
}

var errGoal = errors.New("the goal was missed")

// print writes the report: the quantiles of all rounds' inserts taken together, and how much single rounds differ.
func print(w io.Writer, c choices, rounds []round) error {
	var without, with []time.Duration
	var ratios []float64
	var took time.Duration
	pruned := 0
	for _, r := range rounds {
		without, with = append(without, r.without...), append(with, r.with...)
		ratios = append(ratios, ratio(quantile(r.with, 0.99), quantile(r.without, 0.99)))
		pruned += r.pruned
		took += r.took
	}
	slices.Sort(without)
	slices.Sort(with)
	slices.Sort(ratios)
	fmt.Fprintf(w, "Inserts at %d/s, one row a transaction; %d rows pruned in %d rounds at %.0f rows/s, -batch.size %d, -pause %s, fsync %v.\n\n",
		c.rate, pruned, c.rounds, float64(pruned)/took.Seconds(), c.batch, c.pause, c.fsync)
	fmt.Fprintln(w, "| | without the pruner | with it | ratio |\n|---|---|---|---|")
	fmt.Fprintf(w, "| inserts | %d | %d | |\n", len(without), len(with))
	for _, q := range []struct {
		name string
		at   float64
	}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}} {
		a, b := quantile(without, q.at), quantile(with, q.at)
		fmt.Fprintf(w, "| %s | %s | %s | %.2f |\n", q.name, ms(a), ms(b), ratio(b, a))
	}
	fmt.Fprintf(w, "\nRatio of the p99s of single rounds: %.2f to %.2f, median %.2f\n", ratios[0], ratios[len(ratios)-1], ratios[len(ratios)/2])
	if got := ratio(quantile(with, 0.99), quantile(without, 0.99)); c.goal > 0 && got > c.goal {
		return fmt.Errorf("%w: ratio of the p99s %.2f, at most %.2f is wanted", errGoal, got, c.goal)
	}
	return nil
}

// quantile is that of sorted times, of which there is at least one.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[int(float64(len(sorted)-1)*q)]
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }
