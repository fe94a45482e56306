package options

import (
	"fmt"
	"io"
	"strings"
)

// fishText keeps a text within single quotes together.
var fishText = strings.NewReplacer(`\`, `\\`, `'`, `\'`)

// fish prints the script for fish. -o is a long name behind a single dash.
func (s *Set) fish(w io.Writer) {
	fmt.Fprintf(w, "# fish completion for %[1]s:\n#   %[1]s -completion fish | source\ncomplete -c %[1]s -f\n", s.program.Name)
	for _, o := range s.visible() {
		value := ""
		switch o.takes() {
		case takesChoice:
			value = " -x -a '" + fishText.Replace(strings.Join(o.allowed, " ")) + "'"
		case takesFile:
			value = " -r -F"
		case takesText:
			value = " -x"
		}
		fmt.Fprintf(w, "complete -c %s -o %s%s -d '%s'\n", s.program.Name, o.name, value, fishText.Replace(o.brief()))
	}
}
