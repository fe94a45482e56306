package pgserver

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Config says which server to start. The zero value is a good one for tests.
type Config struct {
	// Major is the major version wanted, 14 to 18. Defaults to $OUTBOX_TEST_PG_VERSION, or whatever is at hand.
	Major int

	// Password makes every connection authenticate by SCRAM as user postgres. Defaults to none: all are trusted.
	Password string

	// Settings are lines of postgresql.conf. They override the defaults of this package, which trade safety against a
	// power cut for speed (fsync=off, full_page_writes=off); a crash of the server alone loses nothing.
	Settings map[string]string

	// Files are put into the data directory before the first start, for instance server.crt and server.key for TLS, or
	// pg_hba.conf, which must let user postgres in over TCP without TLS.
	Files map[string][]byte
}

// defaults are for many short tests at once on few cores: lots of slots and connections, little memory, no disk syncs.
func defaults() map[string]string {
	return map[string]string{
		"wal_level":             "logical",
		"max_wal_senders":       "50",
		"max_replication_slots": "50",
		"max_connections":       "200",
		"fsync":                 "off",
		"full_page_writes":      "off",
		"listen_addresses":      "127.0.0.1",
		"log_line_prefix":       "%m [%p] %q%u@%d ",
		"timezone":              "UTC",
		"log_timezone":          "UTC",
	}
}

// conf is the text of postgresql.auto.conf, which PostgreSQL reads after the file that initdb has written.
func (c Config) conf(port int, socketDir string) string {
	settings := defaults()
	maps.Copy(settings, c.Settings)
	settings["port"] = strconv.Itoa(port)
	settings["unix_socket_directories"] = socketDir
	quote := strings.NewReplacer("'", "''", `\`, `\\`)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "%s = '%s'\n", name, quote.Replace(settings[name]))
	}
	return b.String()
}
