package floor

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
)

// The names under which the programs are run: as the first argument of a process.
const (
	ReadCommand    = "floor-read"
	RelayCommand   = "floor-relay"
	ProduceCommand = "floor-produce"
)

// Done is the line that Read and Produce print when they have finished. They live on until ctx ends, so that what
// they have used can be read from outside.
const Done = "done"

// Command says how to run a program. Not every program needs every field.
type Command struct {
	Name    string
	Source  Source
	Brokers []string
	Prefix  string   // of topics, for RelayCommand
	Topics  []string // for ProduceCommand
	Rows    int
	Payload int // bytes
}

// Args is the command line without the program.
func (c Command) Args() []string {
	return []string{
		c.Name, "-dsn", c.Source.DSN, "-slot", c.Source.Slot, "-publication", c.Source.Publication,
		"-brokers", strings.Join(c.Brokers, ","), "-prefix", c.Prefix, "-topics", strings.Join(c.Topics, ","),
		"-rows", fmt.Sprint(c.Rows), "-payload", fmt.Sprint(c.Payload),
	}
}

// IsCommand reports whether args are the command line of a program of this package.
func IsCommand(args []string) bool {
	return len(args) > 0 && (args[0] == ReadCommand || args[0] == RelayCommand || args[0] == ProduceCommand)
}

// Parse is the reverse of Args.
func Parse(args []string) (Command, error) {
	c := Command{Name: args[0]}
	var brokers, topics string
	fs := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&c.Source.DSN, "dsn", "", "")
	fs.StringVar(&c.Source.Slot, "slot", "", "")
	fs.StringVar(&c.Source.Publication, "publication", "", "")
	fs.StringVar(&brokers, "brokers", "", "")
	fs.StringVar(&c.Prefix, "prefix", "", "")
	fs.StringVar(&topics, "topics", "", "")
	fs.IntVar(&c.Rows, "rows", 0, "")
	fs.IntVar(&c.Payload, "payload", 0, "")
	if err := fs.Parse(args[1:]); err != nil {
		return Command{}, fmt.Errorf("%s: %w", c.Name, err)
	}
	c.Brokers, c.Topics = list(brokers), list(topics)
	return c, nil
}

func list(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}

// Run runs the program until ctx ends.
func (c Command) Run(ctx context.Context, stdout io.Writer) error {
	var err error
	switch c.Name {
	case ReadCommand:
		err = Read(ctx, c.Source, c.Rows)
	case ProduceCommand:
		err = Produce(ctx, c.Brokers, c.Topics, c.Rows, c.Payload)
	case RelayCommand:
		return Relay(ctx, c.Source, c.Brokers, c.Prefix)
	default:
		return fmt.Errorf("unknown program %q", c.Name)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, Done)
	<-ctx.Done()
	return nil
}
