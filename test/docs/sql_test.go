package docs_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// around is what the documents' SQL takes for granted beside the tables of the pattern: the roles of others.
const around = `
	CREATE ROLE shop_owner; CREATE ROLE outbox_pruner; CREATE ROLE debezium LOGIN REPLICATION;
	CREATE ROLE rds_replication;
	CREATE PUBLICATION outbox_relay FOR TABLE outbox;
`

// makes are what a block may make itself, and what goes away before.
var makes = map[string]string{
	"CREATE TABLE outbox ":             "DROP TABLE outbox CASCADE",
	"CREATE ROLE outbox_pruner":        "DROP ROLE outbox_pruner",
	"CREATE PUBLICATION outbox_relay ": "DROP PUBLICATION outbox_relay",
}

// version finds what a block or setting needs, in a comment.
var version = regexp.MustCompile(`(?:--|#).*PostgreSQL (\d+)`)

// needs reports whether a server is new enough for a text.
func needs(t testing.TB, text string, have int) bool {
	t.Helper()
	m := version.FindStringSubmatch(text)
	if m == nil {
		return true
	}
	n, err := strconv.Atoi(m[1])
	return err == nil && have >= n
}

// TestSQL runs each piece of SQL of the documents in a transaction that is rolled back. That of docs/pattern.md is run
// by test/pattern, with a relay behind it, and is left out here.
func TestSQL(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	conn := db.Connect(t)
	n := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			if !isSQL(b) || strings.HasPrefix(b.mark, "sql: ") || !needs(t, b.text, db.Server.Major()) {
				continue
			}
			n++
			if err := rolledBack(t, conn, b.text); err != nil {
				t.Errorf("%s:%d: %v\n%s", d.path, b.line, err, b.text)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d pieces of SQL found", n)
	}
}

var statement = regexp.MustCompile(`^(SELECT|INSERT|ALTER|CREATE|DROP|GRANT) `)

// isSQL also takes what is indented and reads like it.
func isSQL(b block) bool {
	return b.language == "sql" || b.language == "" && statement.MatchString(b.text)
}

// rolledBack runs statements and takes everything back.
func rolledBack(t testing.TB, conn *pgx.Conn, sql string) (err error) {
	t.Helper()
	ctx := wait.Context(t, time.Minute)
	if _, err := conn.Exec(ctx, "BEGIN;"+schema.DDL+schema.DDLInbox+around); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, failed := conn.Exec(context.WithoutCancel(ctx), "ROLLBACK"); failed != nil {
			t.Fatal(failed)
		}
	}()
	for made, before := range makes {
		if strings.Contains(sql, made) {
			if _, err := conn.Exec(ctx, before); err != nil {
				return err
			}
		}
	}
	_, err = conn.Exec(ctx, sql)
	return err
}

var setting = regexp.MustCompile(`(?m)^([a-z_]+) = .*$`)

// TestSettings looks that the server knows the settings that the documents put into its configuration.
func TestSettings(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	conn := db.Connect(t)
	n := 0
	for _, d := range documents(t) {
		for _, b := range d.in("conf") {
			for _, m := range setting.FindAllStringSubmatch(b.text, -1) {
				if !needs(t, m[0], db.Server.Major()) {
					continue
				}
				n++
				var known bool
				if err := conn.QueryRow(wait.Context(t, time.Minute), `SELECT count(*) = 1 FROM pg_settings WHERE name = $1`, m[1]).Scan(&known); err != nil {
					t.Fatal(err)
				}
				if !known {
					t.Errorf("%s:%d: the server has no setting %s", d.path, b.line, m[1])
				}
			}
		}
	}
	if n < 5 {
		t.Errorf("only %d settings found", n)
	}
}
