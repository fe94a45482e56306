package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// Every option that the importer can set exists.
func TestImportedOptionsExist(t *testing.T) {
	t.Parallel()
	set, _ := declare()
	known := map[string]bool{}
	for _, setting := range set.Effective() {
		known[setting.Name] = true
	}
	for _, name := range dbzconfig.FlagNames() {
		if !known[name] {
			t.Errorf("the importer sets %s, which is no option", name)
		}
	}
}

const connectorJSON = `{"name": "outbox", "config": {
	"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput", "topic.prefix": "shop",
	"database.hostname": "db", "database.user": "u", "database.password": "geheim", "database.dbname": "shop",
	"slot.name": "theirs", "publication.name": "p", "publication.autocreate.mode": "filtered", "table.include.list": "public.outbox", "snapshot.mode": "never",
	"key.converter": "org.apache.kafka.connect.storage.StringConverter", "value.converter": "org.apache.kafka.connect.storage.StringConverter",
	"transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter"}}`

func writeConfig(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "connector.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConfigPrint(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := execute(t, nil, "-config", writeConfig(t, connectorJSON), "-bootstrap.servers", "kafka:9092", "-config.print")
	for _, want := range []string{"-slot.name=theirs", "-snapshot.mode=no_data", "-extended.headers.enabled=true", "***"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%s is not in\n%s", want, stdout)
		}
	}
	if code != daemon.OK || strings.Contains(stdout+stderr, "geheim") {
		t.Errorf("exit %d, stderr %s, or the password shows", code, stderr)
	}
}

func TestConfigStrict(t *testing.T) {
	t.Parallel()
	misspelled := strings.Replace(connectorJSON, `"slot.name"`, `"slot.nmae": "x", "slot.name"`, 1)
	args := []string{"-config", writeConfig(t, misspelled), "-bootstrap.servers", "kafka:9092", "-config.print"}
	if code, _, stderr := execute(t, nil, args...); code != daemon.OK {
		t.Errorf("without config.strict: exit %d: %s", code, stderr)
	}
	code, _, stderr := execute(t, nil, append(args, "-config.strict")...)
	if code != daemon.Config || !strings.Contains(stderr, "slot.nmae") {
		t.Errorf("with config.strict: exit %d: %s", code, stderr)
	}
}

func TestConvertersAreNotGuessed(t *testing.T) {
	t.Parallel()
	without := strings.ReplaceAll(connectorJSON, `"key.converter": "org.apache.kafka.connect.storage.StringConverter", "value.converter": "org.apache.kafka.connect.storage.StringConverter",`, "")
	args := []string{"-config", writeConfig(t, without), "-bootstrap.servers", "kafka:9092", "-config.print"}
	code, _, stderr := execute(t, nil, args...)
	if code != daemon.Config || !strings.Contains(stderr, "key.converter") || !strings.Contains(stderr, "value.converter") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if code, _, stderr := execute(t, nil, append(args, "-key.converter", "string", "-value.converter", "string")...); code != daemon.OK {
		t.Errorf("with both given: exit %d: %s", code, stderr)
	}
}

// What the import has refused is not asked for by the options' own rules as well.
func TestOneFaultIsToldOnce(t *testing.T) {
	t.Parallel()
	with := func(old, fresh string) string { return strings.Replace(connectorJSON, old, fresh, 1) }
	tests := map[string]string{
		"no topic.prefix":            with(`"topic.prefix": "shop",`, `"heartbeat.interval.ms": "1000",`),
		"a topic.prefix from nobody": with(`"topic.prefix": "shop",`, `"topic.prefix": "${env:NOBODY}", "heartbeat.interval.ms": "1000",`),
		"a replacement from nobody":  with(`"transforms": "outbox",`, `"transforms": "outbox", "transforms.outbox.route.topic.regex": "(.*)", "transforms.outbox.route.topic.replacement": "${env:NOBODY}.$1",`),
		"no topic for dead letters":  with(`"transforms": "outbox",`, `"transforms": "outbox", "errors.tolerance": "all",`),
		"a word that there is not":   with(`"transforms": "outbox",`, `"transforms": "outbox", "transforms.outbox.table.op.invalid.behavior": "foo",`),
	}
	for name, content := range tests {
		code, _, stderr := execute(t, nil, "-config", writeConfig(t, content), "-bootstrap.servers", "kafka:9092", "-config.print")
		if code != daemon.Config || strings.Count(stderr, "\n  - ") != 1 {
			t.Errorf("%s: exit %d: %s", name, code, stderr)
		}
	}
}

func TestHeartbeatQueryHidesItsTexts(t *testing.T) {
	t.Parallel()
	content := strings.Replace(connectorJSON, `"transforms": "outbox",`, `"transforms": "outbox", "heartbeat.interval.ms": "1000", "heartbeat.action.query": "SELECT dblink('password=geheim')",`, 1)
	code, stdout, stderr := execute(t, nil, "-config", writeConfig(t, content), "-bootstrap.servers", "kafka:9092", "-config.print")
	if code != daemon.OK || strings.Contains(stdout+stderr, "geheim") || !strings.Contains(stdout, "OUTBOX_RELAY_HEARTBEAT_ACTION_QUERY=") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}
