package records_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/compat/records"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func produce(t *testing.T, cluster *kfake.Cluster, list ...*kgo.Record) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.ProduceSync(t.Context(), list...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	_, cluster := kfaketest.New(t, 2, []string{"b", "a", "__other", "empty"})
	begin := time.Now()
	produce(t, cluster,
		&kgo.Record{Topic: "b", Key: []byte{}, Value: nil, Timestamp: time.UnixMilli(-1000)},
		&kgo.Record{Topic: "a", Partition: 1, Value: []byte("1"), Headers: []kgo.RecordHeader{{Key: "id", Value: []byte("x")}, {Key: "n"}}},
		&kgo.Record{Topic: "a", Partition: 1, Value: []byte("2")},
		&kgo.Record{Topic: "a", Partition: 0, Value: []byte("3"), Timestamp: time.UnixMilli(1)},
		&kgo.Record{Topic: "__other", Value: []byte("4")},
	)
	keep := func(topic string) bool { return !strings.HasPrefix(topic, "__") }
	got, err := records.Read(t.Context(), cluster.ListenAddrs(), keep, records.Window{From: begin, To: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	now := records.Timestamp{Clock: true}
	want := []records.Record{
		{Topic: "a", Partition: 0, Value: []byte("3"), Timestamp: records.Timestamp{Milli: 1}},
		{Topic: "a", Partition: 1, Value: []byte("1"), Timestamp: now, Headers: []records.Header{{Key: "id", Value: []byte("x")}, {Key: "n"}}},
		{Topic: "a", Partition: 1, Value: []byte("2"), Timestamp: now},
		{Topic: "b", Partition: 0, Key: []byte{}, Timestamp: records.Timestamp{Milli: -1000}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadNothing(t *testing.T) {
	t.Parallel()
	_, cluster := kfaketest.New(t, 2, []string{"a"})
	got, err := records.Read(t.Context(), cluster.ListenAddrs(), func(string) bool { return true }, records.Window{})
	if err != nil || len(got) != 0 {
		t.Errorf("%d records, error %v, want none", len(got), err)
	}
}

func record(id, value string, headers ...records.Header) records.Record {
	return records.Record{
		Topic: "t", Timestamp: records.Timestamp{Clock: true}, Key: []byte("k"), Value: []byte(value),
		Headers: append([]records.Header{{Key: "id", Value: []byte(id)}}, headers...),
	}
}

func with(r records.Record, change func(*records.Record)) records.Record {
	change(&r)
	return r
}

func TestDiff(t *testing.T) {
	t.Parallel()
	r := record("1", "v", records.Header{Key: "h"})
	long := strings.Repeat("x", 500)
	tests := []struct {
		name      string
		want, got []records.Record
		contains  []string // nothing: equal
	}{
		{"nothing", nil, nil, nil},
		{"equal", []records.Record{r, record("2", "")}, []records.Record{r, record("2", "")}, nil},
		{"value", []records.Record{r}, []records.Record{record("1", "w", records.Header{Key: "h"})},
			[]string{"1 of 1", `t/0 id "1"`, `- value "v"`, `+ value "w"`}},
		{"null value", []records.Record{record("1", "")}, []records.Record{with(record("1", ""), func(r *records.Record) { r.Value = nil })},
			[]string{`- value ""`, "+ value null"}},
		{"null header", []records.Record{r}, []records.Record{record("1", "v", records.Header{Key: "h", Value: []byte{}})},
			[]string{"- header 1 h null", `+ header 1 h ""`}},
		{"order of headers", []records.Record{record("1", "v", records.Header{Key: "a"}, records.Header{Key: "b"})},
			[]records.Record{record("1", "v", records.Header{Key: "b"}, records.Header{Key: "a"})}, []string{"- header 1 a: null", "+ header 1 b: null"}},
		{"header too many", []records.Record{record("1", "v")}, []records.Record{r}, []string{"+ header 1 h: null"}},
		{"header missing", []records.Record{r}, []records.Record{record("1", "v")}, []string{"- header 1 h: null"}},
		{"timestamp", []records.Record{r}, []records.Record{with(r, func(r *records.Record) { r.Timestamp = records.Timestamp{Milli: 5} })},
			[]string{"- timestamp now", "+ timestamp 5"}},
		{"key", []records.Record{r}, []records.Record{with(r, func(r *records.Record) { r.Key = []byte{0xff} })}, []string{`+ key "\xff"`}},
		{"partition", []records.Record{r}, []records.Record{with(r, func(r *records.Record) { r.Partition = 3 })},
			[]string{`t/0 id "1": missing`, `t/3 id "1": too many`}},
		{"one lost", []records.Record{record("0", "a"), r, record("2", "c")}, []records.Record{record("0", "a"), record("2", "c")},
			[]string{"1 of 3 records differ", `id "1": missing`}},
		{"one too many", []records.Record{record("2", "c")}, []records.Record{r, record("2", "c")}, []string{"1 of 1 records differ", `id "1": too many`}},
		{"swapped", []records.Record{r, record("2", "c")}, []records.Record{record("2", "c"), r}, []string{"2 of 2 records differ"}},
		{"far in", []records.Record{record("1", long+"a"+long)}, []records.Record{record("1", long+"b"+long)},
			[]string{`[440 bytes]…"xxx`, "xa", "xb", "…[301 bytes]"}},
		{"many", many(9), nil, []string{"9 of 9", "... and 4 more differences"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			diff := records.Diff(test.want, test.got)
			if (diff == "") != (len(test.contains) == 0) {
				t.Fatalf("got %q", diff)
			}
			for _, part := range test.contains {
				if !strings.Contains(diff, part) {
					t.Errorf("no %q in:\n%s", part, diff)
				}
			}
		})
	}
}

func many(n int) []records.Record {
	list := make([]records.Record, n)
	for i := range list {
		list[i] = record(string(rune('a'+i)), "v")
	}
	return list
}
