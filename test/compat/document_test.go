package compat_test

import (
	"os"
	"strings"
	"testing"
)

// TestDocumentSaysWhatTakeoverDoes ties docs/migrating-from-debezium.md to the steps that TestTakeover goes.
func TestDocumentSaysWhatTakeoverDoes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/migrating-from-debezium.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []string{
		"curl -s -X PUT http://connect:8083/connectors/outbox/stop\n",
		strings.ReplaceAll(slotInUse, "$1", "'"+migrationSlot+"'") + ";\n",
		"outbox-relay " + takeoverArguments + "\n",
		"curl -s -X DELETE http://connect:8083/connectors/outbox/offsets\n",
		"offset.storage.file.filename",
		"curl -s -X PUT http://connect:8083/connectors/outbox/resume\n",
	} {
		if !strings.Contains(string(text), step) {
			t.Errorf("the document does not say %q", step)
		}
	}
}
