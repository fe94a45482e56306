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

func TestWritten(t *testing.T) {
	t.Parallel()
	tests := []struct{ query, want string }{
		{"INSERT INTO public.Outbox (id) VALUES (1)", "public.outbox"},
		{`insert into "App"."Outbox" default values`, "App.Outbox"},
		{"UPDATE ONLY outbox SET x = 1", "outbox"},
		{"DELETE FROM a . b WHERE true", "a.b"},
		{"WITH x AS (DELETE FROM app.outbox RETURNING *) SELECT * FROM x", "app.outbox"},
		{"TRUNCATE TABLE outbox", "outbox"},
		{"MERGE INTO t USING s ON true WHEN MATCHED THEN DO NOTHING", "t"},
		{"SELECT 1", ""},
		{"SELECT pg_logical_emit_message(false, 'heartbeat', '')", ""},
	}
	for _, test := range tests {
		got := ""
		if tables := written(test.query); len(tables) > 0 {
			got = tables[0]
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.query, got, test.want)
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
