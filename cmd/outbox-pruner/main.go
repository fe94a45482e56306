// Command outbox-pruner deletes old rows of an outbox table once they are proven to be relayed, and old rows of a
// consumer's inbox.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/outbox-relay/outbox-relay/cmd/internal/buildinfo"
	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

// version is stamped by the linker.
var version string

const program = "outbox-pruner"

func main() { daemon.Main(program, run) }

// run is the whole program but for its process.
func run(ctx context.Context, p daemon.Process) error {
	set, s := declare()
	err := set.Parse(p.Args, p.Env)
	if answered, err := set.Answer(p.Stdout, buildinfo.Read(version).String(), err); answered {
		return err
	}
	var info *options.InfoError
	switch {
	case errors.As(err, &info) && info.Name == printMetrics:
		return listMetrics(p.Stdout)
	case errors.As(err, &info):
		if _, err := fmt.Fprint(p.Stdout, setupSQL); err != nil {
			return fmt.Errorf("print the SQL: %w", err)
		}
		return nil
	case err != nil:
		return daemon.Configuration(err)
	}
	return serve(ctx, p, s)
}
