package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
)

// What does not go with shards is refused by name, before any connection.
func TestShardMistakes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"no index", []string{"-shard.count", "3"}, "shard.index: give the number of this relay, from 0 to 2"},
		{"no count", []string{"-shard.index", "1"}, "shard.index: it is 1, and without -shard.count"},
		{"counted from 1", []string{"-shard.count", "3", "-shard.index", "3"}, "shard.index: it is 3, and with shard.count 3 it is from 0 to 2"},
		{"negative", []string{"-shard.count", "-1"}, "shard.count"},
		{"name too long for another shard", []string{"-shard.count", "11", "-shard.index", "0", "-slot.name", strings.Repeat("s", 55)}, "slot.name: with shard.count 11 it becomes"},
		{"publication too long", []string{"-shard.count", "2", "-shard.index", "0", "-publication.name", strings.Repeat("p", 57)}, "publication.name: with shard.count 2 it becomes"},
		{"no key", []string{"-shard.count", "2", "-shard.index", "0", "-table.field.event.key", ""}, "table.field.event.key"},
		{"all tables", []string{"-shard.count", "2", "-shard.index", "0", "-publication.autocreate.mode", "all_tables"}, "publication.autocreate.mode: all_tables makes a publication without row filters"},
		{"no tables", []string{"-shard.count", "2", "-shard.index", "0", "-publication.autocreate.mode", "no_tables"}, "publication.autocreate.mode: no_tables"},
		{"updates", []string{"-shard.count", "2", "-shard.index", "0", "-publication.publish.updates"}, "publication.publish.updates"},
		{"messages", []string{"-shard.count", "2", "-shard.index", "0", "-message.prefix.include.list", "x"}, "message.prefix.include.list"},
		{"drop on stop", []string{"-shard.count", "2", "-shard.index", "0", "-slot.drop.on.stop"}, "slot.drop.on.stop"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			code, _, stderr := execute(t, nil, append([]string{"-bootstrap.servers", "kafka:9092"}, test.args...)...)
			if code != daemon.Config || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, want %q in\n%s", code, test.want, stderr)
			}
		})
	}
}

// The index comes from the environment, as in a StatefulSet, and 0 without a count is a single relay.
func TestShardNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, slot, publication string
		env                     []string
	}{
		{"shard", "outbox_relay_2_of_3", "outbox_relay_2_of_3", []string{"OUTBOX_RELAY_SHARD_INDEX=2", "OUTBOX_RELAY_SHARD_COUNT=3"}},
		{"longest", strings.Repeat("s", 56) + "_0_of_2", "outbox_relay_0_of_2", []string{"OUTBOX_RELAY_SHARD_INDEX=0", "OUTBOX_RELAY_SHARD_COUNT=2", "OUTBOX_RELAY_SLOT_NAME=" + strings.Repeat("s", 56)}},
		{"single", "outbox_relay", "outbox_relay", []string{"OUTBOX_RELAY_SHARD_INDEX=0", "OUTBOX_RELAY_SHARD_COUNT=1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			set, s := declare()
			if err := set.Parse([]string{"-bootstrap.servers", "kafka:9092"}, test.env); err != nil {
				t.Fatal(err)
			}
			if s.replication.Slot != test.slot || s.replication.Publication != test.publication || s.kafka.DeadLetters.Connector != test.slot {
				t.Errorf("slot %q, publication %q, name in dead letters %q", s.replication.Slot, s.replication.Publication, s.kafka.DeadLetters.Connector)
			}
		})
	}
}

const importedConnector = `{"name": "outbox", "config": {
	"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
	"database.hostname": "db", "database.user": "debezium", "database.dbname": "shop", "topic.prefix": "shop",
	"slot.name": "debezium", "publication.name": "dbz_publication", "table.include.list": "public.outbox",
	"transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter",
	"key.converter": "org.apache.kafka.connect.storage.StringConverter", "value.converter": "org.apache.kafka.connect.storage.StringConverter"}}`

// A Debezium configuration gives the names. Its default for making publications does not go with shards, and updates,
// which it would publish, are not.
func TestShardsOfAnImportedConnector(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "connector.json")
	if err := os.WriteFile(path, []byte(importedConnector), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-config", path, "-bootstrap.servers", "kafka:9092", "-shard.count", "2", "-shard.index", "1"}
	if code, _, stderr := execute(t, nil, args...); code != daemon.Config || !strings.Contains(stderr, "publication.autocreate.mode: all_tables") {
		t.Errorf("exit %d and\n%s", code, stderr)
	}
	set, s := declare()
	if err := set.Parse(append(args, "-publication.autocreate.mode", "filtered"), nil); err != nil {
		t.Fatal(err)
	}
	if r := &s.replication; r.Slot != "debezium_1_of_2" || r.Publication != "dbz_publication_1_of_2" || r.PublishUpdates {
		t.Errorf("slot %q, publication %q, updates %t", r.Slot, r.Publication, r.PublishUpdates)
	}
	set, _ = declare()
	if err := set.Parse(append(args, "-publication.autocreate.mode", "filtered", "-publication.publish.updates"), nil); err == nil || !strings.Contains(err.Error(), "publication.publish.updates") {
		t.Errorf("updates that were asked for: %v", err)
	}
}
