package outbox

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxChars is the length of the columns of schema.DDL that are varchar(255).
const maxChars = 255

// checkReference refuses what the columns of the reference table can not hold.
func checkReference(e Event) error {
	var errs []error
	if !isUUID(e.ID) {
		errs = append(errs, errors.New("its id is no UUID, which the reference table wants; for a table of another kind set Table.Name"))
	}
	for _, text := range []struct{ name, value string }{
		{"aggregate type", e.AggregateType}, {"aggregate id", e.AggregateID}, {"type", e.Type},
	} {
		if n := utf8.RuneCountInString(text.value); n > maxChars {
			errs = append(errs, fmt.Errorf("its %s has %d characters, of which the reference table takes %d; "+
				"for a table of another kind set Table.Name", text.name, n, maxChars))
		}
	}
	return errors.Join(errs...)
}

// isUUID takes what PostgreSQL takes: 32 hexadecimal digits, perhaps in braces, with
// a hyphen allowed behind each group of four but the last.
func isUUID(id string) bool {
	if strings.HasPrefix(id, "{") && strings.HasSuffix(id, "}") {
		id = id[1 : len(id)-1]
	}
	digits := 0
	for i := range len(id) {
		switch {
		case strings.IndexByte("0123456789abcdefABCDEF", id[i]) >= 0:
			digits++
		case id[i] != '-' || i == 0 || id[i-1] == '-' || digits%4 != 0 || digits == 32:
			return false
		}
	}
	return digits == 32
}
