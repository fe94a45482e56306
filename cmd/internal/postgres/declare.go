package postgres

import (
	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

// Declare declares the options database.*. role says what the role must have, table what the database holds.
func (d *Database) Declare(g *options.Group, role, table string) {
	g.String(&d.URL, "database.url", "", "connection string, as a URL or in keyword=value form; what it leaves out comes from the options below, then from libpq's PG* variables, service and password files", options.Shown(logging.Redact))
	g.String(&d.Hostname, "database.hostname", "", "`host` name or directory of the Unix socket")
	g.Int(&d.Port, "database.port", 0, "`port`; 0 leaves it to PGPORT, then 5432", options.AtLeast(0), options.AtMost(65535))
	g.String(&d.User, "database.user", "", "`role` with "+role)
	g.String(&d.Password, "database.password", "", "password; better given by file or in the environment, where ps does not show it", options.Secret())
	g.String(&d.PasswordFile, "database.password.file", "", "`file` with the password, read again at each connect")
	g.String(&d.DBName, "database.dbname", "", "`database` that holds "+table)
	g.String(&d.SSLRootCert, "database.sslrootcert", "", "PEM `file` with the authorities to trust for verify-ca and verify-full")
	g.String(&d.SSLCert, "database.sslcert", "", "PEM `file` with the client's certificate")
	g.String(&d.SSLKey, "database.sslkey", "", "PEM `file` with the client's private key")
	g.String(&d.SSLMode, "database.sslmode", "", "how the connection is encrypted, and what is checked of the server; empty leaves it to PGSSLMODE, then prefer", options.OneOf("disable", "allow", "prefer", "require", "verify-ca", "verify-full"))
}
