package debezium

import (
	"strings"
	"testing"
)

func TestVersionsAreThoseOfThePom(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"<debezium.version>" + Version + "</debezium.version>", "<kafka.version>" + ConnectVersion + "</kafka.version>"} {
		if !strings.Contains(string(pom), want) {
			t.Errorf("pom.xml does not name %s", want)
		}
	}
}
