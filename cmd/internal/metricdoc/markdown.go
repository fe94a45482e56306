package metricdoc

import (
	"fmt"
	"io"
	"strings"
)

// Print writes what the registry can export as two Markdown tables: the program's own series, whose names begin with
// prefix, and those of its Go runtime and process.
func Print(w io.Writer, reg Source, prefix string) error {
	all, err := List(reg)
	if err != nil {
		return err
	}
	var own, other []Series
	for _, s := range all {
		if strings.HasPrefix(s.Name, prefix) {
			own = append(own, s)
		} else {
			other = append(other, s)
		}
	}
	if _, err := fmt.Fprintf(w, "%s\n%s", table(own), table(other)); err != nil {
		return fmt.Errorf("print the metrics: %w", err)
	}
	return nil
}

func table(all []Series) string {
	var b strings.Builder
	b.WriteString("| series | type | labels | meaning |\n|---|---|---|---|\n")
	for _, s := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Name, s.Type, strings.Join(s.Labels, ", "), cell.Replace(s.Help))
	}
	return b.String()
}

// cell keeps a help text from breaking its row.
var cell = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;")
