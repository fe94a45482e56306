package dbzconfig

import "testing"

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"tombstones.on.delete", "table.include.list", "slot.name", "connector.class"}
	for name, want := range map[string]string{
		"tombstone.on.delete": "tombstones.on.delete",
		`connector.class"`:    "connector.class",
		"slot.nmae":           "slot.name",
		"Table.Include.List":  "table.include.list",
		"slot":                "",
		"completely.other":    "",
		"":                    "",
	} {
		if got := nearest(name, known); got != want {
			t.Errorf("nearest to %q: got %q, want %q", name, got, want)
		}
	}
}

func TestSplitPatterns(t *testing.T) {
	t.Parallel()
	got := splitPatterns(`a\.b, c\,d ,,e`)
	if len(got) != 3 || got[0] != `a\.b` || got[1] != "c,d" || got[2] != "e" {
		t.Errorf("got %q", got)
	}
}
