package golden_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/compat/records"
)

// longestLine is above that of any record: the largest payload is 100 kB, written twice.
const longestLine = 1 << 20

// golden is one case of testdata.
type golden struct {
	name     string
	dir      string
	About    string           `json:"about"`
	Topics   map[string]int32 `json:"topics"`   // partitions of topics that must not have six
	Collapse []string         `json:"collapse"` // expressions for topics whose repeats count once
	args     []string         // more arguments for the relay
	fails    string           // how Debezium failed, if it did
	want     []records.Record
}

// load reads all cases.
func load(t *testing.T) []*golden {
	t.Helper()
	dirs, err := filepath.Glob("testdata/*/case.json")
	if err != nil {
		t.Fatal(err)
	}
	cases := make([]*golden, len(dirs))
	for i, path := range dirs {
		dir := filepath.Dir(path)
		cases[i] = &golden{name: filepath.Base(dir), dir: dir}
		if err := cases[i].read(); err != nil {
			t.Fatalf("read golden case %s: %v", cases[i].name, err)
		}
	}
	return cases
}

func (c *golden) read() error {
	text, err := os.ReadFile(c.path("case.json"))
	if err == nil {
		err = json.Unmarshal(text, c)
	}
	args, argsErr := c.optional("relay.args")
	c.args = strings.Fields(args)
	fails, failsErr := c.optional("golden.error")
	c.fails = fails
	return errors.Join(err, argsErr, failsErr, c.readRecords())
}

func (c *golden) path(file string) string { return filepath.Join(c.dir, file) }

// optional returns the text of a file, or nothing if the case has none.
func (c *golden) optional(file string) (string, error) {
	text, err := os.ReadFile(c.path(file))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

func (c *golden) readRecords() error {
	text, err := os.ReadFile(c.path("golden.jsonl"))
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		record, err := parse(lines.Bytes())
		if err != nil {
			return fmt.Errorf("record %d: %w", len(c.want)+1, err)
		}
		c.want = append(c.want, record)
	}
	return lines.Err()
}

// text is a byte string as golden.jsonl has it; a missing one is null.
type text *struct {
	Base64 []byte `json:"base64"`
}

func value(t text) []byte {
	if t == nil {
		return nil
	}
	if t.Base64 == nil {
		return []byte{}
	}
	return t.Base64
}

func parse(line []byte) (records.Record, error) {
	var g struct {
		Topic      string
		Partition  int32
		Timestamp  string
		Key, Value text
		Headers    []struct {
			Key   string
			Value text
		}
	}
	if err := json.Unmarshal(line, &g); err != nil {
		return records.Record{}, err
	}
	record := records.Record{Topic: g.Topic, Partition: g.Partition, Key: value(g.Key), Value: value(g.Value)}
	for _, h := range g.Headers {
		record.Headers = append(record.Headers, records.Header{Key: h.Key, Value: value(h.Value)})
	}
	if g.Timestamp == "now" {
		record.Timestamp.Clock = true
		return record, nil
	}
	milli, err := strconv.ParseInt(g.Timestamp, 10, 64)
	record.Timestamp.Milli = milli
	return record, err
}

// collapsed reports whether repeats in a topic count once.
func (c *golden) collapsed(topic string) bool {
	for _, expression := range c.Collapse {
		if regexp.MustCompile(expression).MatchString(topic) {
			return true
		}
	}
	return false
}

// normalise replaces in what the relay has sent what can not repeat, as the recording did, and drops repeats in topics
// where they do not count.
func (c *golden) normalise(got []records.Record, window records.Window) []records.Record {
	var kept []records.Record
	for _, r := range got {
		normaliseRun(r)
		if !c.collapsed(r.Topic) {
			kept = append(kept, r)
			continue
		}
		r.Value = normaliseClock(r.Value, window)
		if len(kept) == 0 || !kept[len(kept)-1].Equal(r) {
			kept = append(kept, r)
		}
	}
	return kept
}

// clock is the time of a heartbeat, in both converters' notations.
var clock = regexp.MustCompile(`(ts_ms"?[:=])(\d{13})`)

// normaliseClock replaces a time if it is one of the window.
func normaliseClock(value []byte, window records.Window) []byte {
	found := clock.FindSubmatch(value)
	if found == nil {
		return value
	}
	milli, err := strconv.ParseInt(string(found[2]), 10, 64)
	if err != nil || milli < window.From.UnixMilli() || milli > window.To.UnixMilli() {
		return value
	}
	return clock.ReplaceAll(value, []byte("${1}@NOW@"))
}

var uuid7 = regexp.MustCompile(`^("?)[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}("?)$`)

// normaliseRun replaces the id that Debezium gives itself at each start.
func normaliseRun(r records.Record) {
	for i, h := range r.Headers {
		if h.Key == "__debezium.context.runId" {
			r.Headers[i].Value = uuid7.ReplaceAll(h.Value, []byte("${1}@UUID@${2}"))
		}
	}
}
