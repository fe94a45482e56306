package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
)

// heartbeat are the options of Debezium's heartbeats.
type heartbeat struct {
	interval    time.Duration
	query       string
	topicPrefix string
	name        string // the topic's, if not the one that Debezium's rule gives
}

func (h *heartbeat) declare(g *options.Group) {
	g.Duration(&h.interval, "heartbeat.interval.ms", 0, "send a heartbeat to the topic <topic.heartbeat.prefix>.<topic.prefix>, at most once in this time; 0 sends none. The relay frees WAL without: it is for consumers that expect them", options.AtLeast(time.Duration(0)))
	g.String(&h.query, "heartbeat.action.query", "", "`SQL` to run after each heartbeat, on a connection of its own; a failure is logged and does not stop the relay. It may not write the outbox table; what a function or trigger writes is not seen", options.Shown(dbzconfig.HideLiterals))
	g.String(&h.topicPrefix, "topic.heartbeat.prefix", "__debezium-heartbeat", "first part of the heartbeats' topic `name`", options.NotEmpty())
	g.String(&h.name, "heartbeat.topic", "", "whole `name` of the heartbeats' topic, instead of <topic.heartbeat.prefix>.<topic.prefix>; transforms.after sees it. An imported configuration sets it where a RegexRouter before Debezium's router renames heartbeats")
}

// check refuses heartbeats that cannot be sent or that would make events.
func (h *heartbeat) check(o router.Options, tables *replication.Filter) error {
	if h.interval == 0 {
		return nil
	}
	var errs []error
	if _, err := router.NewHeartbeat(o, h.topic(o.TopicPrefix)); err != nil {
		errs = append(errs, err)
	}
	for _, table := range dbzconfig.Written(h.query) {
		if outbox(tables, table) {
			errs = append(errs, fmt.Errorf("heartbeat.action.query: it writes %s, which is an outbox table: each heartbeat would be an event or change one; let it write a table of its own", strings.Join(table, ".")))
		}
	}
	return errors.Join(errs...)
}

// topic is the name with which heartbeats enter the transforms, "" if none are
// sent.
func (h *heartbeat) topic(prefix string) string {
	switch {
	case h.interval == 0:
		return ""
	case h.name != "":
		return h.name
	}
	return h.topicPrefix + "." + prefix
}

// config completes the pipeline's heartbeats. The options were checked.
func (h *heartbeat) config(o router.Options) (pipeline.Heartbeat, error) {
	if h.interval == 0 {
		return pipeline.Heartbeat{}, nil
	}
	record, err := router.NewHeartbeat(o, h.topic(o.TopicPrefix))
	return pipeline.Heartbeat{Interval: h.interval, Record: record, Query: h.query}, err
}

// outbox reports whether a table may be an outbox. Without a schema it is looked
// for in public and in the schemas that table.include.list spells out.
func outbox(tables *replication.Filter, name []string) bool {
	if len(name) > 1 { // a third part is the database
		name = name[len(name)-2:]
		return tables.Match(name[0], name[1])
	}
	if tables.Match("public", name[0]) {
		return true
	}
	for _, pattern := range strings.Split(tables.IncludeTables.String(), ",") {
		schema, _, found := strings.Cut(strings.TrimSpace(pattern), ".")
		if found && tables.Match(strings.TrimSuffix(schema, `\`), name[0]) {
			return true
		}
	}
	return false
}
