package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/replication"
)

func TestParseName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]catalog.Name{
		"outbox": {Schema: "public", Table: "outbox"}, "shop.outbox": {Schema: "shop", Table: "outbox"}, ` shop.Outbox `: {Schema: "shop", Table: "Outbox"},
		`"a.b".c`: {Schema: "a.b", Table: "c"}, `a."b.c"`: {Schema: "a", Table: "b.c"},
		"": {}, ".": {}, "a.": {}, ".a": {}, "a.b.c": {}, `"a`: {}, `"a"b`: {}, `""`: {},
	} {
		got, err := catalog.ParseName(text)
		if got != want || (err != nil) != (want == catalog.Name{}) {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestPublications(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][]string{
		`START_REPLICATION SLOT "s" LOGICAL 0/0 ("proto_version" '1', "publication_names" 'p')`:           {"p"},
		`START_REPLICATION SLOT "s" LOGICAL 0/0 (proto_version '1', publication_names '"Pub","a""b", c')`: {"Pub", `a"b`, "c"},
		`START_REPLICATION SLOT s LOGICAL 0/1 (publication_names 'it''s')`:                                {"it's"},
		`START_REPLICATION SLOT s LOGICAL 0/1 (PUBLICATION_NAMES 'ABC')`:                                  {"abc"},
		`START_REPLICATION SLOT s LOGICAL 0/1 (publication_names '"open')`:                                {"open"},
		`START_REPLICATION SLOT s LOGICAL 0/1`:                                                            nil,
		`<insufficient privilege>`:                                                                        nil,
	} {
		slot := catalog.Slot{Query: query}
		if diff := cmp.Diff(want, slot.Publications()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

func TestOthers(t *testing.T) {
	t.Parallel()
	slot := func(name, query string, change ...func(*catalog.Slot)) *catalog.Slot {
		s := &catalog.Slot{Name: name, Query: query, SlotInfo: replication.SlotInfo{Type: "logical", Plugin: "pgoutput", Database: "shop"}}
		for _, f := range change {
			f(s)
		}
		return s
	}
	long := "a_name_as_long_as_a_slot_may_have_one_in_postgresql_which_is_63"
	slots := map[string]*catalog.Slot{}
	for _, s := range []*catalog.Slot{
		slot("own", ""), slot("idle", ""), slot("reads_it", `(publication_names 'p')`), slot("reads_else", `(publication_names 'q')`),
		slot("own_snapshot", ""), slot(long, ""), slot(long[:45]+"_12345678_snapshot", ""),
		slot("wal2json", "", func(s *catalog.Slot) { s.Plugin = "wal2json" }), slot("elsewhere", "", func(s *catalog.Slot) { s.Database = "x" }),
		slot("standby", "", func(s *catalog.Slot) { s.Type, s.Database, s.Plugin = "physical", "", "" }),
	} {
		slots[s.Name] = s
	}
	want := []catalog.Other{
		{Slot: long[:45] + "_12345678_snapshot", Snapshot: true}, {Slot: "idle"}, {Slot: "own_snapshot", Snapshot: true}, {Slot: "reads_it", Publication: "p", Certain: true},
	}
	got := catalog.Others(slots, []string{"own", long}, "shop", func(p string) bool { return p == "p" })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
