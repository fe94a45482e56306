// Package markdown writes tables that read well both rendered and as text.
package markdown

import (
	"strings"
	"unicode/utf8"
)

// Table has one line of headings, and rows with a cell for each of them.
type Table struct {
	Head []string
	Rows [][]string
}

// Add appends a row. Cells that are missing stay empty.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// String is the table with aligned columns: the first to the left, the others, which hold numbers, to the right.
func (t *Table) String() string {
	widths := make([]int, len(t.Head))
	lines := append([][]string{t.Head}, t.Rows...)
	for _, line := range lines {
		for i := range widths {
			widths[i] = max(widths[i], 3, utf8.RuneCountInString(cell(line, i)))
		}
	}
	var b strings.Builder
	for n, line := range lines {
		for i, width := range widths {
			b.WriteString("| " + pad(cell(line, i), width, i > 0) + " ")
		}
		b.WriteString("|\n")
		if n == 0 {
			b.WriteString(rule(widths))
		}
	}
	return b.String()
}

// cell is the text of column i in a form that cannot end the cell.
func cell(line []string, i int) string {
	if i >= len(line) {
		return ""
	}
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(line[i])
}

func pad(text string, width int, right bool) string {
	space := strings.Repeat(" ", width-utf8.RuneCountInString(text))
	if right {
		return space + text
	}
	return text + space
}

// rule is the line below the headings.
func rule(widths []int) string {
	var b strings.Builder
	for i, width := range widths {
		if i == 0 {
			b.WriteString("|" + strings.Repeat("-", width+2))
		} else {
			b.WriteString("|" + strings.Repeat("-", width+1) + ":")
		}
	}
	return b.String() + "|\n"
}
