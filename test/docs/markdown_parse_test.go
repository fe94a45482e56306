package docs_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const text = "# Title\n\n1. Do this:\n\n   <!-- stays -->\n   ```sh\n   a \\\n     b\n   ```\n\n   and that:\n\n       c\n\n         d\n\nEnd.\n"
	got := parse("x.md", text)
	want := []block{{"sh", "stays", "a \\\n  b\n", 7}, {"", "", "c\n\n  d\n", 13}}
	if diff := cmp.Diff(want, got.blocks, cmp.AllowUnexported(block{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("# Title\n\n1. Do this:\n\n   <!-- stays -->\n\n   and that:\n\n\nEnd.\n\n", got.prose); diff != "" {
		t.Error(diff)
	}
}
