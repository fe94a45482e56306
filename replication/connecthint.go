package replication

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// connectHint says what the operator can do about a connection that failed, with
// the options' names.
func connectHint(config *pgx.ConnConfig, err error) string {
	switch Reason(err) {
	case "auth":
		return authHint(config, err)
	case "tls":
		return tlsHint(config, err)
	}
	return ""
}

// isPooler reports what PgBouncer answers to the parameters of a connection that it
// does not pass on. PostgreSQL itself has no such message.
func isPooler(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "08P01" && strings.Contains(pg.Message, "unsupported startup parameter")
}

// authHint looks at the server's words too: one SQLSTATE stands for a wrong
// password, a missing certificate and every missing line in pg_hba.conf.
func authHint(config *pgx.ConnConfig, err error) string {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return ""
	}
	const lines = "(replication connections match lines for database %q)"
	switch {
	case strings.Contains(pg.Message, "does not exist"): // FATAL: role "x" does not exist
		return fmt.Sprintf("; create the role %q, or name another by -database.user or in -database.url", config.User)
	case strings.Contains(pg.Message, "client certificate"), strings.Contains(pg.Message, "certificate authentication failed"):
		return fmt.Sprintf("; give -database.sslcert and -database.sslkey: a certificate of an authority in the server's ssl_ca_file, for the role %q", config.User)
	case strings.Contains(pg.Message, "no encryption"), strings.Contains(pg.Message, "SSL off"):
		return fmt.Sprintf("; pg_hba.conf may want TLS: try -database.sslmode verify-full; else add a line there "+lines, config.Database)
	case strings.Contains(pg.Message, "pg_hba.conf"):
		return fmt.Sprintf("; add a line there "+lines, config.Database)
	}
	if config.Password == "" {
		return fmt.Sprintf("; no password was given: -database.password.file or PGPASSWORD has one; or check pg_hba.conf "+lines, config.Database)
	}
	return fmt.Sprintf("; check the password and pg_hba.conf "+lines, config.Database)
}

func tlsHint(config *pgx.ConnConfig, err error) string {
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &hostname):
		return fmt.Sprintf("; reach the server by a name in its certificate (-database.hostname, now %q), or compare only the authority: -database.sslmode verify-ca", config.Host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "; renew the server's certificate or its authority's (-database.sslrootcert), or set this machine's clock"
	case errors.As(err, &unknown):
		return "; name a PEM file with the authority that signed the server's certificate: -database.sslrootcert"
	case refusedTLS(err):
		return "; the server has ssl = off: turn it on, or allow a connection without TLS: -database.sslmode prefer or disable"
	case isAlert(err):
		return "; the server refuses this side's certificate: -database.sslcert and -database.sslkey must be of an authority in its ssl_ca_file"
	}
	return ""
}

// isAlert reports that the other side broke TLS off.
func isAlert(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error" // crypto/tls's name for an alert
}

// refusedTLS reports that the server does not speak TLS (pgconn has no type for it).
func refusedTLS(err error) bool {
	return strings.Contains(err.Error(), "server refused TLS connection")
}

// noBinding reports that channel_binding=require cannot be had (likewise).
func noBinding(err error) bool {
	return strings.Contains(err.Error(), "channel binding required")
}
