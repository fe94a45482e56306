// Command outbox-relay publishes the rows of an outbox table to Kafka, as
// Debezium's Outbox Event Router would, from PostgreSQL's WAL.
package main

import (
	"context"
	"errors"

	"github.com/outbox-relay/outbox-relay/cmd/internal/buildinfo"
	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

// version is stamped by the linker.
var version string

const program = "outbox-relay"

func main() { daemon.Main(program, run) }

// run is the whole program but for its process.
func run(ctx context.Context, p daemon.Process) error {
	set, s := declare()
	var info *options.InfoError
	var mistakes *options.MistakesError
	err := set.Parse(p.Args, p.Env)
	if answered, err := set.Answer(p.Stdout, buildinfo.Read(version).String(), err); answered {
		return err
	}
	switch {
	case errors.As(err, &info):
		return inform(ctx, p, info)
	case s.imported.print && (err == nil || errors.As(err, &mistakes) && mistakes.Missing()):
		return s.imported.show(p.Stdout, set.Effective(), mistakes)
	case err != nil:
		return daemon.Configuration(err)
	case s.check.on:
		return s.preflight(ctx, p)
	}
	return serve(ctx, p, s, set.Effective())
}
