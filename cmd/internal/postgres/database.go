// Package postgres holds the options by which a daemon finds PostgreSQL, and what they come to.
package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/replication"
)

// Database is where PostgreSQL is and how to get in: the values of the options that Declare declares.
type Database struct {
	URL, Hostname, User, Password, PasswordFile, DBName string
	SSLMode, SSLRootCert, SSLCert, SSLKey               string
	Port                                                int
}

// Check reports what is wrong with the options. The error does not show the connection string.
func (d *Database) Check() error {
	if d.Password != "" && d.PasswordFile != "" {
		return errors.New("database.password and database.password.file: give one of the two")
	}
	if d.PasswordFile != "" && holdsPassword(d.URL) {
		return errors.New("database.url holds a password, and database.password.file is given: give one of the two")
	}
	if _, err := d.parse(); err != nil {
		return fmt.Errorf("%s: %s", faultyOption(err), err) // not wrapped: the chain shows the string
	}
	return nil
}

// HoldsPassword reports whether the connection string has one.
func (d *Database) HoldsPassword() bool { return holdsPassword(d.URL) }

// holdsPassword reports whether a connection string, in either form, has one.
func holdsPassword(dsn string) bool {
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme == "" {
		return passwordWord.MatchString(dsn)
	}
	_, inUser := u.User.Password()
	return inUser || u.Query().Get("password") != ""
}

var passwordWord = regexp.MustCompile(`(^|\s)password\s*=`)

// faultyOption is the option behind a mistake that the parser found: what it read
// of files it tells by libpq's names.
func faultyOption(err error) string {
	for _, word := range []struct{ in, option string }{
		{"CA ", "database.sslrootcert"}, {"sslkey", "database.sslkey"}, {"decrypt key", "database.sslkey"}, {"sslpassword", "database.sslkey"}, {"cert:", "database.sslcert"},
	} {
		if strings.Contains(err.Error(), word.in) {
			return word.option
		}
	}
	return "database.url"
}

// Connect makes a fresh configuration for a connection; the password file is
// read again, so a changed password is found.
func (d *Database) Connect() (*pgx.ConnConfig, error) {
	config, err := d.parse()
	if err != nil {
		// It could be read at the start, so that a certificate or key is being replaced.
		return nil, unreadable(faultyOption(err), err)
	}
	if d.PasswordFile == "" {
		return config, nil
	}
	if config.Password, err = daemon.ReadSecretFile(d.PasswordFile); err != nil {
		return nil, unreadable("database.password.file", err)
	}
	return config, nil
}

// unreadable is for a file that cannot be used: as with a wrong password, a mistake
// at the start and a rotation later.
func unreadable(option string, err error) error {
	return &replication.Problem{Class: replication.Configuration, Reason: "auth", Err: fmt.Errorf("%s: %w", option, err)}
}

// parse lets pgx's own parser decide, so that everything libpq knows works. An
// option beats the same thing in the connection string.
func (d *Database) parse() (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(d.connString())
	if err != nil {
		return nil, &badConnString{err}
	}
	return config, nil
}

// badConnString says what is wrong with a connection string without showing it.
// The parser's own text shows it, with the password cut out only where it
// recognized one: one with a character that should have been escaped it does not.
type badConnString struct{ err error }

func (e *badConnString) Error() string {
	if cause := errors.Unwrap(e.err); cause != nil && !strings.Contains(e.err.Error(), "failed to parse as") {
		return cause.Error()
	}
	return "not a connection string; a password with one of %/@:?# in it must be percent-encoded in a URL, one with a blank quoted in keyword=value form, or give it by database.password.file"
}

func (e *badConnString) Unwrap() error { return e.err }

// Name says which database as whom, for the log.
func (d *Database) Name() string {
	config, err := d.parse()
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%s@%s:%d/%s", config.User, config.Host, config.Port, config.Database)
}

// connString adds the options to the connection string in its own form.
func (d *Database) connString() string {
	values := [][2]string{{"host", d.Hostname}, {"user", d.User}, {"password", d.Password}, {"dbname", d.DBName}, {"sslmode", d.SSLMode},
		{"sslrootcert", d.SSLRootCert}, {"sslcert", d.SSLCert}, {"sslkey", d.SSLKey}}
	if d.Port != 0 {
		values = append(values, [2]string{"port", strconv.Itoa(d.Port)})
	}
	if strings.HasPrefix(d.URL, "postgres://") || strings.HasPrefix(d.URL, "postgresql://") {
		return addToURL(d.URL, values)
	}
	parts := []string{d.URL}
	for _, v := range values {
		if v[1] != "" {
			parts = append(parts, v[0]+"='"+strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(v[1])+"'")
		}
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// addToURL adds parameters, which beat the parts before the question mark.
func addToURL(base string, values [][2]string) string {
	separator := "?"
	if strings.Contains(base, "?") {
		separator = "&"
	}
	for _, v := range values {
		if v[1] == "" {
			continue
		}
		base += separator + v[0] + "=" + strings.ReplaceAll(url.QueryEscape(v[1]), "+", "%20")
		separator = "&"
	}
	return base
}
