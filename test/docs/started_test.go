package docs_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/judge"
)

// row finds what the guide says of the record.
var row = regexp.MustCompile("(?m)^\\| (key|header `id`|value) \\| `(.+)` \\|$")

// TestGettingStarted follows docs/getting-started.md to its end.
func TestGettingStarted(t *testing.T) {
	const path = "docs/getting-started.md"
	g := follow(t, path, "outbox.event.order")
	if out := g.next(t); !strings.Contains(out, "logical") {
		t.Fatalf("wal_level is %s", out)
	}
	g.next(t) // table
	g.next(t) // role and publication
	if out := g.next(t); strings.Contains(out, "error") {
		t.Errorf("check: %s", out)
	}
	g.next(t) // first start
	g.next(t) // readiness
	g.next(t) // event
	records := g.arrived(t, 1)
	said := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(read(t, path).prose, -1) {
		said[m[1]] = m[2]
	}
	if r := records[0]; r.Key != said["key"] || r.ID != said["header `id`"] || r.Hash != judge.Hash([]byte(said["value"])) {
		t.Errorf("the record is %+v; the guide says %q", r, said)
	}
	g.stop(t)
	g.db.Exec(t, `INSERT INTO outbox VALUES (gen_random_uuid(), 'order', '42', 'OrderPaid', '{}')`)
	g.next(t) // from now on
	if got := len(g.arrived(t, 2)); got != 2 {
		t.Errorf("%d records, want 2", got)
	}
	g.stop(t)
	g.next(t) // away with it
	if len(g.blocks) > 0 {
		t.Errorf("%d blocks are left", len(g.blocks))
	}
}
