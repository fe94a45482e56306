package pipeline_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// golden is a record as it was recorded from Debezium.
type golden struct {
	Topic   string
	Key     *goldenBytes
	Value   *goldenBytes
	Headers []goldenHeader
}

type goldenBytes struct {
	Base64 []byte
}

type goldenHeader struct {
	Key   string
	Value *goldenBytes
}

func readGolden(t *testing.T, file string) []golden {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []golden
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		out = append(out, g)
	}
	if len(out) == 0 {
		t.Fatalf("nothing in %s", file)
	}
	return out
}

func asGolden(rec *kgo.Record) golden {
	wrap := func(b []byte) *goldenBytes {
		if b == nil {
			return nil
		}
		return &goldenBytes{b}
	}
	g := golden{Topic: rec.Topic, Key: wrap(rec.Key), Value: wrap(rec.Value)}
	for _, h := range rec.Headers {
		g.Headers = append(g.Headers, goldenHeader{h.Key, wrap(h.Value)})
	}
	return g
}

// script runs a file's statements, less those for extensions, which the table
// does without.
func (r *rig) script(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, line := range strings.Split(string(data), "\n") {
		if !strings.HasPrefix(line, "CREATE EXTENSION") {
			kept = append(kept, line)
		}
	}
	if _, err := r.db.Connect(t).PgConn().Exec(t.Context(), strings.Join(kept, "\n")).ReadAll(); err != nil {
		t.Fatal(err)
	}
}

// Golden case snapshot-types: rows of a snapshot are byte for byte those of the
// stream, and both those of Debezium.
func TestSnapshotTypes(t *testing.T) {
	t.Parallel()
	const dir = "../../../../test/golden/testdata/snapshot-types"
	want := readGolden(t, filepath.Join(dir, "golden.jsonl"))
	r := newRig(t)
	if r.db.Server.Major() < 15 {
		t.Skip("the table has a numeric(3,5), which came with PostgreSQL 15")
	}
	r.topic = want[0].Topic
	r.later(t)()
	r.script(t, filepath.Join(dir, "ddl.sql"))
	r.script(t, filepath.Join(dir, "before.sql"))
	r.router = router.DefaultOptions()
	r.router.TopicPrefix, r.router.RouteTopicReplacement = "snapshot-types", r.topic
	r.router.ValueConverter = schema.Converter{Name: "json"}
	var placements []string
	for _, h := range want[0].Headers[1:] {
		placements = append(placements, h.Key+":header", h.Key+":envelope")
	}
	r.router.AdditionalPlacement = strings.Join(placements, ",")
	r.replication.Snapshot = replication.Initial
	run := r.start(t)
	run.streaming(t)
	r.script(t, filepath.Join(dir, "insert.sql"))
	got := r.records(t, r.topic, len(want))
	run.stop(t)
	for i := range want {
		if diff := cmp.Diff(want[i], asGolden(got[i])); diff != "" {
			t.Errorf("record %d (-Debezium +relay):\n%s", i, diff)
		}
	}
	if n := r.held(r.topic); n != len(want) {
		t.Errorf("%d records, want %d", n, len(want))
	}
	if n := run.count(t, "outbox_relay_snapshot_rows_total"); int(n) != len(want)/2 {
		t.Errorf("%v rows by snapshot, want half of %d", n, len(want))
	}
}
