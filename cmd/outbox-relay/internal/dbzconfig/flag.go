package dbzconfig

import "slices"

// Flag is one option of outbox-relay with the value that the configuration gives it.
type Flag struct {
	Name   string
	Value  string // as it was written if Unresolved
	Source Source
	// Unresolved says why the value cannot be used: it holds a placeholder that nobody here can resolve, or a
	// template's mark. It does not matter if a stronger source sets the flag.
	Unresolved error
}

// Secret reports whether the value must not be shown.
func (f Flag) Secret() bool { return slices.Contains(secretFlags, f.Name) }

// Shown is the value, or *** for a secret.
func (f Flag) Shown() string {
	if f.Secret() && f.Value != "" {
		return hidden
	}
	return f.Value
}

// hidden stands in the place of a secret.
const hidden = "***"

var secretFlags = []string{"database.password", "sasl.password"}

// alternatives are flags of which one is enough: setting the second makes a value for the first unnecessary.
var alternatives = map[string][]string{
	"database.hostname":      {"database.url"},
	"database.port":          {"database.url"},
	"database.user":          {"database.url"},
	"database.dbname":        {"database.url"},
	"database.password":      {"database.password.file", "database.url"},
	"database.password.file": {"database.password", "database.url"},
	"sasl.password":          {"sasl.password.file"},
	"sasl.password.file":     {"sasl.password"},
}

// exclusive are flags that must not be given together.
var exclusive = map[string]string{
	"database.password":      "database.password.file",
	"database.password.file": "database.password",
	"sasl.password":          "sasl.password.file",
	"sasl.password.file":     "sasl.password",
}
