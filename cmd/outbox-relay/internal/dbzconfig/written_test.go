package dbzconfig_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

func TestWritten(t *testing.T) {
	t.Parallel()
	tests := []struct {
		sql  string
		want [][]string
	}{
		{"SELECT pg_logical_emit_message(false, 'hb', '')", nil},
		{"UPDATE hb SET n = n + 1", [][]string{{"hb"}}},
		{`insert  into "Public" . Outbox VALUES (1)`, [][]string{{"Public", "outbox"}}},
		{"DELETE FROM ONLY a.b; TRUNCATE TABLE c; merge into d using e on true", [][]string{{"a", "b"}, {"c"}, {"d"}}},
		{`INSERT INTO "shop"."public"."outbox" VALUES (1)`, [][]string{{"shop", "public", "outbox"}}},
		{`WITH x AS (INSERT INTO Shop.Public.OUTBOX VALUES (1) RETURNING 1) SELECT * FROM x`, [][]string{{"shop", "public", "outbox"}}},
		{"DO $body$ BEGIN INSERT INTO outbox VALUES (1); END $body$", [][]string{{"outbox"}}},
		{"DO $$BEGIN UPDATE outbox SET a = 1; END$$", [][]string{{"outbox"}}},
		{"INSERT/* a /* b */ c */INTO -- d\n outbox VALUES ('x')", [][]string{{"outbox"}}},
		{"-- INSERT INTO outbox\nSELECT 'UPDATE outbox', E'it\\'s DELETE FROM outbox', 'it''s UPDATE outbox'", nil},
		{"TRUNCATE a, ONLY b.c, d", [][]string{{"a"}, {"b", "c"}, {"d"}}},
		{`UPDATE "a""b" SET c = 1`, [][]string{{`a"b`}}},
		{`UPDATE größe SET c = 1`, [][]string{{"größe"}}},
		{"COPY outbox FROM STDIN", [][]string{{"outbox"}}},
		{"", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, dbzconfig.Written(tt.sql)); diff != "" {
			t.Errorf("%s writes (-want +got):\n%s", tt.sql, diff)
		}
	}
}

func TestHideLiterals(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"UPDATE hb SET n = n + 1":                          "UPDATE hb SET n = n + 1",
		"SELECT dblink('password=it''s', E'a\\'b'), 'c'":   "SELECT dblink('***', E'***'), '***'",
		"SELECT $$secret$$, $x$ a $$ b $x$, \"a\" FROM $1": "SELECT $$***$$, $x$***$x$, \"a\" FROM $1",
		"SELECT 'not closed":                               "SELECT '***'",
	} {
		if got := dbzconfig.HideLiterals(sql); got != want {
			t.Errorf("%s: got %s, want %s", sql, got, want)
		}
	}
}
