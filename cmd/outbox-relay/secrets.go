package main

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/replication"
)

// database is where PostgreSQL is and how to get in.
type database struct {
	url, hostname, user, password, passwordFile, dbname string
	sslmode, sslrootcert, sslcert, sslkey               string
	port                                                int
}

func (d *database) check() error {
	if d.password != "" && d.passwordFile != "" {
		return errors.New("database.password and database.password.file: give one of the two")
	}
	if _, err := d.parse(); err != nil {
		return fmt.Errorf("database.url: %s", err) // not wrapped: the chain shows the string
	}
	return nil
}

// connect makes a fresh configuration for a connection; the password file is
// read again, so a changed password is found.
func (d *database) connect() (*pgx.ConnConfig, error) {
	config, err := d.parse()
	if err != nil || d.passwordFile == "" {
		return config, err
	}
	config.Password, err = daemon.ReadSecretFile(d.passwordFile)
	if err != nil {
		// As with a wrong password: a mistake at the start, a rotation later.
		return nil, &replication.Problem{Class: replication.Configuration, Reason: "auth", Err: fmt.Errorf("database.password.file: %w", err)}
	}
	return config, nil
}

// parse lets pgx's own parser decide, so that everything libpq knows works. An
// option beats the same thing in the connection string.
func (d *database) parse() (*pgx.ConnConfig, error) {
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

// name says which database as whom, for the log.
func (d *database) name() string {
	config, err := d.parse()
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%s@%s:%d/%s", config.User, config.Host, config.Port, config.Database)
}

// connString adds the options to the connection string in its own form.
func (d *database) connString() string {
	values := [][2]string{{"host", d.hostname}, {"user", d.user}, {"password", d.password}, {"dbname", d.dbname}, {"sslmode", d.sslmode},
		{"sslrootcert", d.sslrootcert}, {"sslcert", d.sslcert}, {"sslkey", d.sslkey}}
	if d.port != 0 {
		values = append(values, [2]string{"port", strconv.Itoa(d.port)})
	}
	if strings.HasPrefix(d.url, "postgres://") || strings.HasPrefix(d.url, "postgresql://") {
		return addToURL(d.url, values)
	}
	parts := []string{d.url}
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

// sasl is the password for Kafka.
type sasl struct{ password, passwordFile string }

// source gives the password at each connect; nil if there is none.
func (s *sasl) source() (func() (string, error), error) {
	switch {
	case s.password != "" && s.passwordFile != "":
		return nil, errors.New("sasl.password and sasl.password.file: give one of the two")
	case s.password != "":
		return func() (string, error) { return s.password, nil }, nil
	case s.passwordFile != "":
		return func() (string, error) { return daemon.ReadSecretFile(s.passwordFile) }, nil
	}
	return nil, nil
}
