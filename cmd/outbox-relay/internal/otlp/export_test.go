package otlp

import (
	"encoding/json"
	"testing"
	"time"
)

// Hurry makes the pauses between repeats short.
func Hurry(c *Client) { c.pause = time.Millisecond }

// Document is what would be sent now.
func Document(t *testing.T, m *Metrics) string {
	t.Helper()
	families, err := m.Gatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(m.document(families, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
