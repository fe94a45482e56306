package dbzconfig

// Flag is one option of outbox-relay with the value that the configuration gives it.
type Flag struct {
	Name   string
	Value  string // as it was written if Unresolved
	Source Source
	// Unresolved says why the value cannot be used: it holds a placeholder that nobody here can resolve, or a
	// template's mark. It does not matter if a stronger source sets the flag.
	Unresolved error
	// With is a flag without which this one would make no sense: it is left out where that one is Unresolved and
	// nothing else sets it.
	With string
}

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

	deadLetters: {"errors.tolerance"},

	"sasl.oauthbearer.client.credentials.client.secret": {"sasl.oauthbearer.client.credentials.client.secret.file"},

	"ssl.keystore.key": {"ssl.keystore.key.file"},
	"ssl.key.password": {"ssl.key.password.file"},
}

// exclusive are flags that must not be given together.
var exclusive = map[string]string{
	"database.password":      "database.password.file",
	"database.password.file": "database.password",
	"sasl.password":          "sasl.password.file",
	"sasl.password.file":     "sasl.password",

	"sasl.oauthbearer.client.credentials.client.secret":      "sasl.oauthbearer.client.credentials.client.secret.file",
	"sasl.oauthbearer.client.credentials.client.secret.file": "sasl.oauthbearer.client.credentials.client.secret",

	"ssl.keystore.key":      "ssl.keystore.key.file",
	"ssl.keystore.key.file": "ssl.keystore.key",
	"ssl.key.password":      "ssl.key.password.file",
	"ssl.key.password.file": "ssl.key.password",
}
