package docs_test

import (
	"os"
	"path/filepath"
	"testing"
)

// files are what the command lines of the documents read.
var files = map[string]string{
	"connector.json": `{"name": "outbox", "config": {
		"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "plugin.name": "pgoutput",
		"database.hostname": "db", "database.port": "5432", "database.user": "debezium", "database.password": "secret",
		"database.dbname": "shop", "topic.prefix": "shop", "slot.name": "debezium", "publication.name": "dbz_publication",
		"table.include.list": "public.outbox", "snapshot.mode": "no_data",
		"transforms": "outbox", "transforms.outbox.type": "io.debezium.transforms.outbox.EventRouter"}}`,
	"connect.properties": "bootstrap.servers=kafka:9092\n" +
		"key.converter=org.apache.kafka.connect.storage.StringConverter\n" +
		"value.converter=org.apache.kafka.connect.storage.StringConverter\n",
	"outbox-relay.conf":  "bootstrap.servers=kafka:9092\n",
	"outbox-pruner.conf": "slot.name=outbox_relay\n",
}

// folder is one with those files.
func folder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
