package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
	"github.com/outbox-relay/outbox-relay/router"
)

// imported reads Debezium's and Connect's configuration, and keeps what is to be
// said about it.
type imported struct {
	strict, print bool
	after         string // transforms.after
	server        bool   // debezium.server

	result  dbzconfig.Result
	refused []error
	names   []string // of the options that the configuration sets
}

func (i *imported) declare(g *options.Group) {
	g.Bool(&i.strict, "config.strict", false, "refuse keys of a Debezium configuration that Debezium ignores too, which are otherwise listed in a warning")
	g.Bool(&i.print, "config.print", false, "print all options that are set as one command line, with where each came from, and exit; also what a Debezium configuration comes to")
	g.String(&i.after, "transforms.after", "", "transforms behind the router, which heartbeats go through too, as RegexRouter(regex=…,replacement=…); DropHeaders(headers=a,b); InsertHeader(header=x,value.literal=y)")
	g.Bool(&i.server, "debezium.server", false, "send as Debezium Server's Kafka sink does: no explicit partition, and the time of sending as the record's")
}

// Claims implements options.Importer.
func (i *imported) Claims(content []byte) bool { return dbzconfig.Detect(content) }

// Wants implements options.Importer.
func (i *imported) Wants(env []string) bool { return dbzconfig.WantsEnviron(env) }

// Import implements options.Importer.
func (i *imported) Import(files []options.ConfigFile, env []string, given func(string) bool) ([]options.Imported, []error) {
	in := dbzconfig.Input{Environ: env, ReadFile: os.ReadFile, Strict: given("config.strict")}
	for _, f := range files {
		in.Files = append(in.Files, dbzconfig.File(f))
	}
	i.result = dbzconfig.Import(in)
	flags, refusals := i.result.Settle(given)
	i.refused = refusals
	out := make([]options.Imported, 0, len(flags))
	for _, f := range flags {
		at := options.Source{Kind: options.File, Where: f.Source.Place, Line: f.Source.Line, Key: f.Source.Key}
		i.names = append(i.names, f.Name)
		out = append(out, options.Imported{Name: f.Name, Text: f.Value, Source: at})
	}
	return out, refusals
}

// tell logs what the operator should know about the configuration.
func (i *imported) tell(log zerolog.Logger) {
	for _, notice := range i.result.Notices {
		log.Info().Str("notice", notice).Msg("configuration imported")
	}
	if len(i.result.Ignored) == 0 {
		return
	}
	ignored := make([]string, len(i.result.Ignored))
	for n, unknown := range i.result.Ignored {
		ignored[n] = unknown.String()
	}
	log.Warn().Strs("keys", ignored).Msg("configuration has keys that Debezium ignores too")
}

// implies reports whether an option has its value from the configuration, and not from
// somebody who gave it by its own name.
func (i *imported) implies(set *options.Set, option string) bool {
	return slices.Contains(i.names, option) && set.Source(option).Kind == options.File
}

// told reports whether the import has refused something about an option, so that
// rules about it need not say it again.
func (i *imported) told(option string) bool {
	return slices.ContainsFunc(i.refused, func(err error) bool { return strings.Contains(err.Error(), option) })
}

// check tells whether the transforms can be read.
func (i *imported) check(o *router.Options) error {
	_, err := i.transform(o)
	return err
}

// through is the topic that a record of the topic has behind the transforms.
func (i *imported) through(o *router.Options, topic string) (string, error) {
	after, err := i.transform(o)
	if err != nil || after == nil || topic == "" {
		return topic, err
	}
	rec := router.Record{Topic: topic}
	err = after(&rec)
	return rec.Topic, err
}

// transform returns what is done to each record behind the router, and to
// heartbeats, which Debezium sends through the same transforms; nil if nothing is.
func (i *imported) transform(o *router.Options) (func(*router.Record) error, error) {
	after, err := dbzconfig.ParseAfter(i.after, o.HeaderConverter)
	if err != nil {
		return nil, fmt.Errorf("transforms.after: %w", err)
	}
	if after == nil && !i.server {
		return nil, nil
	}
	return func(rec *router.Record) error {
		if i.server {
			rec.Partition, rec.Timestamp = router.ByKey, time.Now().UnixMilli()
		}
		if after == nil {
			return nil
		}
		return after.Apply(rec)
	}, nil
}
