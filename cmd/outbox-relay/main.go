// Command outbox-relay publishes the rows of an outbox table to Kafka, as
// Debezium's Outbox Event Router would, from PostgreSQL's WAL.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/outbox-relay/outbox-relay/cmd/internal/buildinfo"
	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/schema"
)

// version is stamped by the linker.
var version string

const program = "outbox-relay"

func main() { daemon.Main(program, run) }

// run is the whole program but for its process.
func run(ctx context.Context, p daemon.Process) error {
	set, s := declare()
	var info *options.InfoError // print-ddl is the only one
	switch err := set.Parse(p.Args, p.Env); {
	case errors.As(err, &info):
		_, err := fmt.Fprint(p.Stdout, schema.DDL)
		return err
	case errors.Is(err, options.ErrHelp):
		return set.Usage(p.Stdout)
	case errors.Is(err, options.ErrVersion):
		fmt.Fprintln(p.Stdout, program, buildinfo.Read(version))
		return nil
	case err != nil:
		return daemon.Configuration(err)
	case s.imported.print:
		return s.imported.show(p.Stdout)
	}
	return serve(ctx, p, s)
}
