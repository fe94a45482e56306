package prune

import (
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
)

func TestComingPartitions(t *testing.T) {
	t.Parallel()
	const layout = "2006-01-02 15:04"
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, newest, from, to, now string
		ahead                       int
		zone                        *time.Location
		want                        string
	}{
		{"days", "outbox_20261130", "2026-11-30 00:00", "2026-12-01 00:00", "2026-11-30 12:00", 2, time.UTC, "outbox_20261201 outbox_20261202"},
		{"enough", "outbox_20261202", "2026-12-02 00:00", "2026-12-03 00:00", "2026-11-30 12:00", 2, time.UTC, ""},
		{"none wanted", "outbox_20261130", "2026-11-30 00:00", "2026-12-01 00:00", "2026-11-30 12:00", 0, time.UTC, ""},
		{"months", "outbox_2026_11", "2026-11-01 00:00", "2026-12-01 00:00", "2026-11-30 12:00", 2, time.UTC, "outbox_2026_12 outbox_2027_01"},
		{"hours", "outbox_2026113012", "2026-11-30 12:00", "2026-11-30 13:00", "2026-11-30 12:30", 1, time.UTC, "outbox_2026113013"},
		{"weeks, named otherwise", "w48", "2026-11-23 00:00", "2026-11-30 00:00", "2026-11-30 12:00", 1, time.UTC, "outbox_p20261130 outbox_p20261207"},
		{"long gap", "outbox_20260101", "2026-01-01 00:00", "2026-01-02 00:00", "2026-11-30 12:00", 1, time.UTC, "outbox_20261130 outbox_20261201"},
		{"days of 25 hours", "outbox_20261024", "2026-10-24 00:00", "2026-10-25 00:00", "2026-10-24 12:00", 2, berlin, "outbox_20261025 outbox_20261026"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			at := func(s string) time.Time {
				v, err := time.ParseInLocation(layout, s, tt.zone)
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			newest := partition{name: catalog.Name{Schema: "s", Table: tt.newest}, from: at(tt.from), to: at(tt.to)}
			var got []string
			last := newest.to
			for _, p := range comingPartitions(catalog.Name{Schema: "s", Table: "outbox"}, []partition{newest, {}}, tt.ahead, at(tt.now), tt.zone) {
				got = append(got, p.name.Table)
				if p.from.Before(last) || !p.to.After(p.from) {
					t.Errorf("%s overlaps: from %s to %s", p.name, p.from, p.to)
				}
				last = p.to
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %q, want %q", s, tt.want)
			}
		})
	}
}
