package dbzconfig_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// testdata/options-3.6.1.txt has every option that the classes of Debezium 3.6.1 and Kafka Connect 4.3.1 tell in their
// ConfigDef, with their defaults: of the connector (with the fields that it has and does not tell), of the two transforms, and of Connect's
// source connectors. None of them may be unknown to the registry.
func TestUpstreamOptions(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("testdata/options-3.6.1.txt")
	if err != nil {
		t.Fatal(err)
	}
	scopes := map[string]dbzconfig.Scope{
		"connector": dbzconfig.Connector, "router": dbzconfig.Router, "decode": dbzconfig.Transform, "source": dbzconfig.Connect, "converter": dbzconfig.Converter,
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	if len(lines) < 150 {
		t.Errorf("only %d options; the test has lost its point", len(lines))
	}
	for _, line := range lines {
		where, name, _ := strings.Cut(line, " ")
		name, def, _ := strings.Cut(name, "=")
		if converter := converterOption.FindStringSubmatch(name); converter != nil {
			where, name = "converter", converter[1]
		}
		switch o := inRegistry(name, scopes[where]); {
		case o == nil:
			t.Errorf("the registry has no %s option %s", where, name)
		case o.Name == name && o.Default != "" && def != "" && o.Default != strings.Trim(def, "[]"): // a list of one
			t.Errorf("%s: the registry has the default %q, Debezium %q", name, o.Default, def)
		}
	}
}

var converterOption = regexp.MustCompile(`^(?:key|value|header)\.converter\.(.+)$`)

// inRegistry also takes an entry that ends in * for what begins with it.
func inRegistry(name string, scope dbzconfig.Scope) *dbzconfig.Option {
	for _, o := range dbzconfig.Options() {
		prefix, open := strings.CutSuffix(o.Name, "*")
		if o.Scope == scope && (o.Name == name || open && strings.HasPrefix(name, prefix)) {
			return &o
		}
	}
	return nil
}
