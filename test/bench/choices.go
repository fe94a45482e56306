package main

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// The parts of a run, in their order.
const (
	partDrain    = "drain"
	partLatency  = "latency"
	partStart    = "start"
	partRecovery = "recovery"
	partGrowth   = "growth"
)

var allParts = []string{partDrain, partLatency, partStart, partRecovery, partShards, partGrowth}

// quickParts are those of a quick run that does not choose.
var quickParts = []string{partDrain, partLatency, partStart, partRecovery}

// choices are what the command line decides.
type choices struct {
	quick    bool
	debezium bool
	fsync    bool
	rows     int
	rounds   int
	seconds  int
	parts    []string
	shapes   *regexp.Regexp
	relay    string
	baseline string
	write    bool
	docs     string
	command  string // the options as given, without those that name files
}

// options binds the command line to c. The texts it returns are not in their final form in c.
func options(c *choices) (fs *flag.FlagSet, parts, shapes *string) {
	fs = flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // an error is printed once, by run
	fs.BoolVar(&c.quick, "quick", false, "fewer and smaller runs, without Debezium: less than 5 minutes")
	fs.BoolVar(&c.debezium, "debezium", true, "measure Debezium too; with -quick only if asked for")
	fs.BoolVar(&c.fsync, "fsync", false, "let PostgreSQL wait for the disk at each commit")
	fs.IntVar(&c.rows, "rows", 0, "largest `number` of rows of a backlog; 0 leaves it to the shape")
	fs.IntVar(&c.rounds, "rounds", 0, "`number` of rounds of every part; 0 takes 5, with -quick 2 or 3")
	fs.IntVar(&c.seconds, "seconds", 0, "`length` of each run that measures latency; 0 takes 20, with -quick 4")
	parts = fs.String("parts", strings.Join(allParts, ","), "`list` of what to measure; with -quick without shards and growth, unless asked for")
	shapes = fs.String("shapes", "", "drain only backlogs whose names match this regular `expression`")
	fs.StringVar(&c.relay, "relay", "", "measure this outbox-relay `program` instead of building it")
	fs.StringVar(&c.baseline, "baseline", "", "measure this outbox-relay `program` beside it, to compare two builds")
	fs.BoolVar(&c.write, "write", false, "write benchmarks.md and benchmarks.svg too")
	fs.StringVar(&c.docs, "docs", "docs", "`folder` for -write")
	return fs, parts, shapes
}

// parse reads the command line.
func parse(args []string) (choices, error) {
	var c choices
	fs, parts, shapes := options(&c)
	if err := fs.Parse(args); err != nil {
		return c, err
	}
	if fs.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	c.command = repeat(fs)
	if c.quick && !given["debezium"] {
		c.debezium = false
	}
	if c.rows < 0 || c.rounds < 0 || c.seconds < 0 {
		return c, fmt.Errorf("-rows, -rounds and -seconds must not be negative")
	}
	c.parts = strings.Split(*parts, ",")
	if c.quick && !given["parts"] {
		c.parts = quickParts
	}
	for _, part := range c.parts {
		if !slices.Contains(allParts, part) {
			return c, fmt.Errorf("-parts: %q is none of %s", part, strings.Join(allParts, ", "))
		}
	}
	var err error
	if c.shapes, err = regexp.Compile(*shapes); err != nil {
		return c, fmt.Errorf("-shapes: %w", err)
	}
	return c, nil
}

// repeat is a command line that gives the options that were given, without those that name files of this machine.
func repeat(fs *flag.FlagSet) string {
	command := "go run ./test/bench"
	fs.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "relay", "baseline", "docs":
			return
		}
		command += " -" + f.Name
		switch value := f.Value.String(); {
		case value == "true":
		case strings.ContainsAny(value, ` "$*()|\^`):
			command += "='" + value + "'"
		default:
			command += "=" + value
		}
	})
	return command
}

func usage(w io.Writer) {
	var c choices
	fs, _, _ := options(&c)
	fmt.Fprintln(w, "Measures outbox-relay beside pg_recvlogical, bare programs and Debezium, and prints Markdown.")
	fs.SetOutput(w)
	fs.PrintDefaults()
}
