package database_test

import (
	"fmt"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// TestDatabaseEncoding relays from databases that are not in UTF-8. SQL_ASCII holds bytes of no encoding; such a row can
// never be sent, and is no reason to try for ever.
func TestDatabaseEncoding(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{})
	for _, encoding := range []string{"LATIN1", "SQL_ASCII"} {
		execAt(t, server.DSN("postgres"), fmt.Sprintf(`CREATE DATABASE db_%s TEMPLATE template0 ENCODING '%s' LC_COLLATE 'C' LC_CTYPE 'C'`, encoding, encoding))
	}
	t.Run("LATIN1", func(t *testing.T) {
		r := newRigOn(t, server)
		r.dsn = server.DSN("db_latin1")
		execAt(t, r.dsn, outboxTable)
		p := r.stream(t)
		execAt(t, r.dsn+"&client_encoding=UTF8", `INSERT INTO outbox VALUES ('r1', 'all', 'Zoë', NULL, 'é')`)
		if got := r.records(t, "r1")[0]; string(got.Key) != "Zoë" || string(got.Value) != "é" {
			t.Errorf("key %q, value %q", got.Key, got.Value)
		}
		p.stop(t)
	})
	t.Run("SQL_ASCII", func(t *testing.T) {
		r := newRigOn(t, server)
		r.dsn = server.DSN("db_sql_ascii")
		execAt(t, r.dsn, outboxTable)
		p := r.stream(t)
		execAt(t, r.dsn, `INSERT INTO outbox VALUES ('r1', 'all', 'k', NULL, 'plain')`,
			`INSERT INTO outbox SELECT 'r2', 'all', 'k', NULL, convert_from('\xfffe', 'SQL_ASCII')`)
		p.mustEnd(t, exitHuman, "22021")
		r.records(t, "r1")
		r.launch(t).mustEnd(t, exitHuman, "22021")
	})
}

// TestTimeZones sets every zone there is to another one: a time without zone is UTC and becomes the record's, and one
// with a zone is shown in UTC.
func TestTimeZones(t *testing.T) {
	t.Parallel()
	const moment = 1767323045678
	event, shown := []string{"-table.field.event.timestamp", "at"}, []string{"-table.fields.additional.placement", "at:header"}
	tests := []struct {
		kind, value string
		args        []string
		text        string // of the header
	}{
		{"timestamp(3)", `'2026-01-02 03:04:05.678'`, event, ""},
		{"timestamp(6)", `'2026-01-02 03:04:05.678'`, event, ""},
		{"timestamptz", `'2026-01-02 08:34:05.678+05:30'`, shown, "2026-01-02T03:04:05.678000Z"},
		{"timestamptz(3)", `'2026-01-01 23:34:05.678-03:30'`, shown, "2026-01-02T03:04:05.678Z"},
	}
	for _, zone := range []string{"Asia/Tokyo", "America/St_Johns"} {
		for _, test := range tests {
			t.Run(zone+" "+test.kind, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, outboxTable, `ALTER TABLE outbox ADD at `+test.kind)
				r.db.Exec(t, `ALTER DATABASE `+r.db.Name+` SET timezone = '`+zone+`'`)
				p := r.launchIn(t, []string{"TZ=" + zone}, test.args...)
				p.await(t, 0, "streaming")
				r.db.Exec(t, `INSERT INTO outbox VALUES ('r1', 'all', 'k', NULL, NULL, `+test.value+`)`)
				rec := r.records(t, "r1")[0]
				if got := rec.Timestamp.UnixMilli(); test.text == "" && got != moment {
					t.Errorf("the record's time is %d, want %d", got, moment)
				}
				if got := header(rec, "at"); got != test.text {
					t.Errorf("the header is %s, want %s", got, test.text)
				}
				p.stop(t)
			})
		}
	}
}
