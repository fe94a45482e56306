package markdown_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/markdown"
)

func TestTable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		table markdown.Table
		want  string
	}{
		{
			name:  "only headings",
			table: markdown.Table{Head: []string{"a", "rows/s"}},
			want: "| a   | rows/s |\n" +
				"|-----|-------:|\n",
		},
		{
			name: "columns are as wide as their widest cell, counted in characters",
			table: markdown.Table{Head: []string{"who", "×"}, Rows: [][]string{
				{"outbox-relay", "1.65×"}, {"Čapek", "1"},
			}},
			want: "| who          |     × |\n" +
				"|--------------|------:|\n" +
				"| outbox-relay | 1.65× |\n" +
				"| Čapek        |     1 |\n",
		},
		{
			name:  "a cell cannot break out, and missing cells are empty",
			table: markdown.Table{Head: []string{"a", "b"}, Rows: [][]string{{"x|y\nz"}}},
			want: "| a      |   b |\n" +
				"|--------|----:|\n" +
				"| x\\|y z |     |\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.table.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
