// Command bench measures the relay beside what it has to stand comparison with, in one run on one machine: PostgreSQL's
// own pg_recvlogical, the least that can do the job (package floor), and real Debezium in Kafka Connect, all on the same
// backlog of the same real PostgreSQL and, where they produce, the same real Apache Kafka.
//
// It prints Markdown. Every number is good for a comparison with the others of the same run only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/floor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the whole program but for its process. Exit codes: 0 all was measured, 1 something failed, 2 the command line
// is wrong.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var err error
	if floor.IsCommand(args) {
		err = runFloor(ctx, args, stdout)
	} else {
		var c choices
		c, err = parse(args)
		if errors.Is(err, flag.ErrHelp) {
			usage(stdout)
			return 0
		}
		if err != nil {
			fmt.Fprintf(stderr, "bench: %v; -help lists the options\n", err)
			return 2
		}
		err = measure(ctx, c, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// runFloor makes this process one of the contenders.
func runFloor(ctx context.Context, args []string, stdout io.Writer) error {
	command, err := floor.Parse(args)
	if err != nil {
		return err
	}
	return command.Run(ctx, stdout)
}

// measure runs everything that was chosen, prints the report, and returns the errors of all runs that failed: one that
// fails costs its own result only.
func measure(ctx context.Context, c choices, stdout, stderr io.Writer) error {
	s, err := newStand(ctx, c, stderr)
	if err != nil {
		return err
	}
	report, failures := s.measureAll(ctx)
	closed := s.close()
	if ctx.Err() != nil {
		return errors.Join(errors.New("interrupted"), closed) // which is why anything failed
	}
	failures = append(failures, closed)
	text, err := report.markdown()
	if err != nil {
		return errors.Join(append(failures, err)...)
	}
	if _, err := io.WriteString(stdout, text); err != nil {
		failures = append(failures, fmt.Errorf("print the report: %w", err))
	}
	if c.write {
		failures = append(failures, report.write(c.docs, text))
	}
	return errors.Join(failures...)
}
