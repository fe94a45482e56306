package browser

import (
	_ "embed"
	"testing"
)

//go:embed audit.js
var audit string

// Audit returns what would keep a person from using the page as it is shown now, with a keyboard, a screen reader or
// weak eyes, one line a problem.
func Audit(t *testing.T, tab *Tab) []string {
	t.Helper()
	return Eval[[]string](t, tab, audit)
}
