package main

import (
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/replication"
)

// declareMessages adds the options of an outbox without a table.
func (s *settings) declareMessages(g *options.Group) {
	m := &s.replication.Messages
	options.Parsed(g, &m.Include, "message.prefix.include.list", "", "outbox without a table: `prefixes`, as regular expressions, of messages that SELECT pg_logical_emit_message(true, prefix, json) writes into the WAL. The JSON is an object with the columns of the outbox as fields. "+
		"Empty takes no messages as events. Given without table.include.list, no table is an outbox. It needs PostgreSQL 14", replication.ParseList)
	options.Parsed(g, &m.Exclude, "message.prefix.exclude.list", "", "`prefixes` of messages that are no events, instead of message.prefix.include.list: all others are", replication.ParseList)
	g.Bool(&s.router.MessageFieldsNull, "message.fields.null.include", false, "keep the null fields of messages, which are left out otherwise")
}
