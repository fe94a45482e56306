package replication_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// What is forgotten most easily at a first start is told by its own name: who logs in, the password, wal_level.
func TestForgottenAtTheFirstStart(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{Password: "geheim", Settings: map[string]string{"wal_level": "replica"}})
	db := pgtest.CreateDB(t, server)
	db.Exec(t, outboxTable)
	db.Exec(t, `CREATE PUBLICATION outbox FOR TABLE outbox WITH (publish = 'insert')`)
	tests := []struct {
		name string
		user *url.Userinfo
		want string
	}{
		{"password", url.User("postgres"), "no password was given: -database.password.file"},
		{"another password", url.UserPassword("postgres", "wrong"), "check the password"},
		{"wal_level", url.UserPassword("postgres", "geheim"), "wal_level = logical"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cfg := config(t, db)
			cfg.CreateSlot = true
			cfg.Connect = as(db.DSN, test.user)
			_, err := open(t, cfg, replication.Position{}, newEvents())
			refusedForConfiguration(t, err, test.want)
		})
	}
}

// A server that trusts everybody looks for the role all the same.
func TestUnknownRoleIsNamed(t *testing.T) {
	t.Parallel()
	db := pgtest.NewDB(t)
	cfg := config(t, db)
	cfg.Connect = as(db.DSN, url.User("nobody_here"))
	_, err := open(t, cfg, replication.Position{}, newEvents())
	refusedForConfiguration(t, err, `create the role "nobody_here"`)
}

// as connects as another role.
func as(dsn string, user *url.Userinfo) func() (*pgx.ConnConfig, error) {
	return func() (*pgx.ConnConfig, error) {
		at, err := url.Parse(dsn)
		if err != nil {
			return nil, err
		}
		at.User = user
		return pgx.ParseConfig(at.String())
	}
}

func refusedForConfiguration(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || replication.ClassOf(err) != replication.Configuration {
		t.Errorf("got %v, which is not about %q or not a mistake of the configuration", err, want)
	}
}
