package judge_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/test/judge"
)

// row is event id of key with version seq, to arrive in topic "t".
func row(id, key string, seq int64) judge.Committed {
	return judge.Committed{ID: id, Key: key, Seq: seq, Topic: "t", Hash: judge.Hash([]byte(id))}
}

// arrival is what row becomes, at an offset of partition 0.
func arrival(id, key string, offset int64) judge.Record {
	return judge.Record{ID: id, Key: key, Topic: "t", Offset: offset, Hash: judge.Hash([]byte(id))}
}

// with returns a copy of r after a change.
func with(r judge.Record, change func(*judge.Record)) judge.Record {
	change(&r)
	return r
}

func TestJudge(t *testing.T) {
	t.Parallel()
	a1, a2, a3, b1 := row("a1", "a", 1), row("a2", "a", 2), row("a3", "a", 3), row("b1", "b", 1)
	committed := []judge.Committed{a1, a2, a3, b1}
	rest := []judge.Record{arrival("a2", "a", 1), arrival("a3", "a", 2), arrival("b1", "b", 3)}
	good := append([]judge.Record{arrival("a1", "a", 0)}, rest...)
	other := with(arrival("a1", "a", 0), func(r *judge.Record) { r.Key, r.Topic, r.Hash = "x", "u", 1 })
	again := with(arrival("a1", "a", 9), func(r *judge.Record) { r.Key, r.Hash = "x", 1 })
	moved := with(arrival("a1", "a", 9), func(r *judge.Record) { r.Partition = 1 })
	apart := with(arrival("a1", "a", 0), func(r *judge.Record) { r.Partition = 1 })
	tests := []struct {
		name    string
		unknown []judge.Committed
		records []judge.Record
		want    judge.Report // without the counts
	}{
		{name: "all in order", records: good},
		{name: "offsets decide, not arrival", records: []judge.Record{good[2], good[3], good[0], good[1]}},
		{name: "one position read twice", records: append(append([]judge.Record{}, good...), good[1])},
		{name: "keys have no order among them", records: []judge.Record{
			arrival("b1", "b", 0), arrival("a1", "a", 1), arrival("a2", "a", 2), arrival("a3", "a", 3)}},
		{name: "missing", records: rest, want: judge.Report{Missing: []judge.Committed{a1}}},
		{name: "repeated", records: append(append([]judge.Record{}, good...), arrival("a1", "a", 8), arrival("a1", "a", 9), arrival("a3", "a", 10)),
			want: judge.Report{Repeated: []judge.Repeat{{"a1", 3}, {"a3", 2}}}},
		{name: "inversion", records: []judge.Record{arrival("a2", "a", 0), arrival("a1", "a", 1), arrival("a3", "a", 2), arrival("b1", "b", 3)},
			want: judge.Report{Inversions: []judge.Inversion{{Earlier: a1, Later: a2, Record: arrival("a1", "a", 1)}}}},
		{name: "foreign", records: append(append([]judge.Record{}, good...), arrival("rolled-back", "a", 8), arrival("", "a", 9)),
			want: judge.Report{Foreign: []judge.Record{arrival("rolled-back", "a", 8), arrival("", "a", 9)}}},
		{name: "changed at first", records: append([]judge.Record{other}, rest...),
			want: judge.Report{Changed: []judge.Change{{other, `key "x", committed "a"; topic "u", want "t"; value is not the committed one`}}}},
		{name: "changed when repeated", records: append(append([]judge.Record{}, good...), again),
			want: judge.Report{Repeated: []judge.Repeat{{"a1", 2}},
				Changed: []judge.Change{{again, `key "x", first "a"; value is not that of the first appearance`}}}},
		{name: "repeated in another partition", records: append(append([]judge.Record{}, good...), moved),
			want: judge.Report{Repeated: []judge.Repeat{{"a1", 2}}, Changed: []judge.Change{{moved, "partition 1, first 0"}}}},
		{name: "key in two partitions", records: append([]judge.Record{apart}, rest...),
			want: judge.Report{Changed: []judge.Change{{apart, `partition 1, other records of key "a" are in 0`}}}},
		{name: "unknown arrived", unknown: []judge.Committed{row("u", "a", 4)}, records: append(append([]judge.Record{}, good...), arrival("u", "a", 9))},
		{name: "unknown did not arrive", unknown: []judge.Committed{row("u", "a", 4)}, records: good},
		{name: "unknown out of order", unknown: []judge.Committed{row("u", "b", 0)}, records: append(append([]judge.Record{}, good...), arrival("u", "b", 9)),
			want: judge.Report{Inversions: []judge.Inversion{{Earlier: row("u", "b", 0), Later: b1, Record: arrival("u", "b", 9)}}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := judge.Judge(committed, test.unknown, test.records)
			test.want.Committed, test.want.Records = got.Committed, got.Records
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			if got.Committed != len(committed) {
				t.Errorf("%d committed, want %d", got.Committed, len(committed))
			}
		})
	}
}

func TestRowsWithoutTopicOrHashAreNotCompared(t *testing.T) {
	t.Parallel()
	rows := []judge.Committed{{ID: "a", Key: "k", Seq: 1}}
	records := []judge.Record{{ID: "a", Key: "k", Topic: "anything", Hash: 7}}
	if err := judge.Judge(rows, nil, records).ExactlyOnce(); err != nil {
		t.Error(err)
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                     string
		report                   judge.Report
		atLeastOnce, exactlyOnce bool
	}{
		{"clean", judge.Report{}, true, true},
		{"repeated", judge.Report{Repeated: make([]judge.Repeat, 1)}, true, false},
		{"missing", judge.Report{Missing: make([]judge.Committed, 1)}, false, false},
		{"inversion", judge.Report{Inversions: make([]judge.Inversion, 1)}, false, false},
		{"foreign", judge.Report{Foreign: make([]judge.Record, 1)}, false, false},
		{"changed", judge.Report{Changed: make([]judge.Change, 1)}, false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if err := test.report.AtLeastOnce(); (err == nil) != test.atLeastOnce {
				t.Errorf("at least once: %v, want ok %v", err, test.atLeastOnce)
			}
			if err := test.report.ExactlyOnce(); (err == nil) != test.exactlyOnce {
				t.Errorf("exactly once: %v, want ok %v", err, test.exactlyOnce)
			}
		})
	}
}

func TestReportText(t *testing.T) {
	t.Parallel()
	report := judge.Report{
		Committed: 10, Records: 12,
		Missing:  []judge.Committed{row("1", "a", 1), row("2", "a", 2), row("3", "a", 3), row("4", "a", 4)},
		Repeated: []judge.Repeat{{"5", 3}},
	}
	want := `10 committed, 12 records: 4 missing, 1 repeated (2 records too many), 0 inversions, 0 foreign, 0 changed
  missing: id 1, key "a", seq 1
  missing: id 2, key "a", seq 2
  missing: id 3, key "a", seq 3
  ... and 1 more
  repeated: id 5, 3 times`
	if diff := cmp.Diff(want, report.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if err := report.AtLeastOnce(); err == nil || err.Error() != want {
		t.Errorf("error %v, want the report in it", err)
	}
}

func TestHash(t *testing.T) {
	t.Parallel()
	hashes := map[uint64]string{}
	for name, value := range map[string][]byte{"null": nil, "empty": {}, "a": []byte("a"), "b": []byte("b")} {
		h := judge.Hash(value)
		if other, ok := hashes[h]; ok {
			t.Errorf("%s and %s have the same hash", name, other)
		}
		hashes[h] = name
	}
}
