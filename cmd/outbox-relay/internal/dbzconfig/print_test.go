package dbzconfig_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

func TestPrint(t *testing.T) {
	t.Parallel()
	flags := []dbzconfig.Flag{
		{Name: "slot.name", Value: "s", Source: dbzconfig.Source{Place: "c.json", Line: 3, Key: "slot.name"}},
		{Name: "database.password", Value: "hunter2", Source: dbzconfig.Source{Place: "environment", Key: "DEBEZIUM_SOURCE_DATABASE_PASSWORD"}},
		{Name: "sasl.password", Value: "", Source: dbzconfig.Source{Place: "c.json"}},
		{Name: "route.topic.replacement", Value: "it's ${routedByValue}", Source: dbzconfig.Source{Place: "Debezium's default"}},
		{Name: "database.user", Value: "${U}", Unresolved: errors.New("the environment variable U is not set"), Source: dbzconfig.Source{Place: "c.json", Line: 4, Key: "database.user"}},
		{Name: "heartbeat.action.query", Value: "a\nb"},
	}
	var b strings.Builder
	if err := dbzconfig.Print(&b, flags); err != nil {
		t.Fatal(err)
	}
	want := `# slot.name                c.json:3 slot.name
# database.password        environment DEBEZIUM_SOURCE_DATABASE_PASSWORD
# sasl.password            c.json
# route.topic.replacement  Debezium's default
# database.user            c.json:4 database.user: the environment variable U is not set
# heartbeat.action.query   
outbox-relay \
  -slot.name=s \
  '-database.password=***' \
  -sasl.password= \
  '-route.topic.replacement=it'\''s ${routedByValue}' \
  '-database.user=${U}' \
  '-heartbeat.action.query=a
b'
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestPrintFails(t *testing.T) {
	t.Parallel()
	if err := dbzconfig.Print(full{}, nil); err == nil {
		t.Error("no error")
	}
}
