package security_test

import (
	"strings"

	"github.com/outbox-relay/outbox-relay/test/procs"
)

func contains(text string) procs.Match { return procs.Contains(text) }

// escapePgpass writes a field of .pgpass.
func escapePgpass(field string) string {
	return strings.NewReplacer(`\`, `\\`, `:`, `\:`).Replace(field)
}
