package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
)

// connector are the options of Debezium's connector that change what is sent.
type connector struct {
	extendedHeaders bool
	compatibility   string
	excludeColumns  replication.List
	unavailable     []byte
	heartbeat       heartbeat
	dropOnStop      bool
}

// declareAutocreate adds what is made of publication and slot, and when they go.
func (s *settings) declareAutocreate(g *options.Group) {
	r := &s.replication
	options.Parsed(g, &r.Autocreate, "publication.autocreate.mode", string(replication.Filtered),
		"filtered makes a missing publication for the inserts of the outbox tables; all_tables for the inserts of all tables, which takes a superuser; no_tables makes an empty one and starts; disabled refuses to start. "+
			"A publication that exists is never altered: the relay refuses one that lacks an outbox table, and says what to run",
		word[replication.Autocreate], options.OneOf("filtered", "all_tables", "no_tables", "disabled"))
	g.Bool(&r.PublishUpdates, "publication.publish.updates", false, "let a publication that filtered makes carry updates too, where the tables have a replica identity: to Debezium an update of a row's key is an event, and others deserve a warning. Debezium's configuration turns it on")
	g.Bool(&s.connector.dropOnStop, "slot.drop.on.stop", false, "drop the slot after a stop in good order, and make a missing one at the next start: events committed in between are not relayed. For tests")
	g.Bool(&r.Failover, "slot.failover", false, "let standbys keep a copy of the slot (FAILOVER, PostgreSQL 17 and later); the server's synchronized_standby_slots and the standbys' sync_replication_slots belong to it")
}

// declareSnapshot adds snapshot.mode.
func (s *settings) declareSnapshot(g *options.Group) {
	options.Parsed(g, &s.replication.Snapshot, "snapshot.mode", string(replication.NoData),
		"no_data (or never) relays no rows from before the slot. initial relays the rows that the tables hold when the relay makes the slot, then streams; initial_only exits with 0 after them; always relays them at each start. "+
			"when_needed is initial and also replaces a slot that is missing or lost, without -slot.create: rows that were deleted meanwhile are not relayed. Rows come as they are stored, not in the order of their commits. "+
			"A snapshot that was broken off is taken again, so that events come twice. It needs SELECT on the tables and one more free slot while it lasts",
		snapshotMode, options.OneOf("no_data", "never", "initial", "initial_only", "always", "when_needed"))
}

// word reads an enumeration that OneOf has checked.
func word[T ~string](text string) (T, error) { return T(text), nil }

// snapshotMode also knows what no_data was called before Debezium 2.6.
func snapshotMode(text string) (replication.SnapshotMode, error) {
	if text == "never" {
		return replication.NoData, nil
	}
	return replication.SnapshotMode(text), nil
}

// declareTables adds the lists that choose tables and columns.
func (s *settings) declareTables(g *options.Group) {
	t := &s.replication.Tables
	options.Parsed(g, &t.IncludeTables, "table.include.list", defaultTable, "outbox `tables`: Java regular expressions, separated by commas, each for a whole schema.table, in any case; without it, another of these lists chooses", replication.ParseList)
	options.Parsed(g, &t.ExcludeTables, "table.exclude.list", "", "`tables` that are no outbox, instead of table.include.list", replication.ParseList)
	options.Parsed(g, &t.IncludeSchemas, "schema.include.list", "", "`schemas` whose tables may be an outbox", replication.ParseList)
	options.Parsed(g, &t.ExcludeSchemas, "schema.exclude.list", "", "`schemas` whose tables are no outbox, instead of schema.include.list", replication.ParseList)
	s.declareMessages(g)
	options.Parsed(g, &s.connector.excludeColumns, "column.exclude.list", "", "`columns` that the router does not see: regular expressions, each for a whole schema.table.column", replication.ParseList)
}

// defaultTable is the outbox unless a list says something else.
const defaultTable = "public.outbox"

// chooseTables takes the default back if another list was given: what Debezium
// understands by a missing table.include.list is every table. Messages need none.
func (s *settings) chooseTables(set *options.Set) {
	t := &s.replication.Tables
	others := !t.ExcludeTables.Empty() || !t.IncludeSchemas.Empty() || !t.ExcludeSchemas.Empty()
	messages := s.replication.Messages.Enabled()
	if (others || messages) && set.Source("table.include.list").Kind == options.Default {
		t.IncludeTables = replication.List{}
	}
	t.None = messages && !others && t.IncludeTables.Empty()
}

// declareConnector adds the options of what the connector sends besides the row.
func (s *settings) declareConnector(g *options.Group) {
	c := &s.connector
	g.Bool(&c.extendedHeaders, "extended.headers.enabled", false, "begin each event's headers with __debezium.context.*, as Debezium's connector does by default; needs topic.prefix")
	g.String(&c.compatibility, "debezium.compatibility", "3.6", "`release` of Debezium whose context headers are sent: 3.1 has none, 3.3 three, 3.6 also the runId", options.OneOf("3.1", "3.3", "3.6"))
	options.Parsed(g, &c.unavailable, "unavailable.value.placeholder", "__debezium_unavailable_value", "`text`, or hex: and bytes, in place of a large value that was not sent because an UPDATE of the row's key left it alone", parsePlaceholder)
	c.heartbeat.declare(g)
}

// parsePlaceholder reads a text, or bytes in hexadecimal behind "hex:".
func parsePlaceholder(text string) ([]byte, error) {
	digits, isHex := strings.CutPrefix(text, "hex:")
	if !isHex {
		return []byte(text), nil
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("behind hex: %w", err)
	}
	return b, nil
}

// checkHeartbeat needs the converters, which checkRouter completes.
func (s *settings) checkHeartbeat() error {
	if s.connector.heartbeat.interval > 0 && s.router.TopicPrefix == "" && !s.connector.extendedHeaders && !s.imported.told("topic.prefix") {
		return errors.New("topic.prefix: heartbeat.interval.ms sends to a topic named by it; name one")
	}
	return s.connector.heartbeat.check(s.router, &s.replication.Tables)
}

// checkConnector completes the router's options with the context headers.
func (s *settings) checkConnector() error {
	if !s.connector.extendedHeaders {
		return nil
	}
	if s.router.TopicPrefix == "" && s.imported.told("topic.prefix") {
		return nil // the configuration is refused for it
	}
	if s.router.TopicPrefix == "" {
		return errors.New("topic.prefix: extended.headers.enabled sends it as the connector's logical name; name one")
	}
	s.router.Context = s.connector.context(s.router.TopicPrefix, time.Now())
	return nil
}

// context are the context headers of a release: none before 3.2, and the runId,
// which changes at each start, since 3.4.
func (c *connector) context(name string, now time.Time) []router.ContextHeader {
	const prefix = "__debezium.context."
	headers := []router.ContextHeader{
		{Key: prefix + "connectorLogicalName", Value: name},
		{Key: prefix + "taskId", Value: "0"},
		{Key: prefix + "connectorName", Value: "postgresql"},
	}
	switch c.compatibility {
	case "3.1":
		return nil
	case "3.6":
		return append(headers, router.ContextHeader{Key: prefix + "runId", Value: newRunID(now)})
	}
	return headers
}
