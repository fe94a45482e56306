package options

import (
	"fmt"
	"io"
	"strings"
)

// zshText keeps what has a meaning in a specification of _arguments, within single quotes, from having it.
var zshText = strings.NewReplacer(`'`, `'\''`, `\`, `\\`, `[`, `\[`, `]`, `\]`, `:`, `\:`)

// zsh prints the script for zsh, which serves as an autoloaded file and for eval. The = behind a name means that the
// value comes behind it or as the next word.
func (s *Set) zsh(w io.Writer) {
	fmt.Fprintf(w, "#compdef %s\n\n%s() {\n\t_arguments", s.program.Name, s.function())
	for _, o := range s.visible() {
		word, _ := o.describe()
		name, value := o.name, ""
		switch o.takes() {
		case takesChoice:
			value = ":" + zshText.Replace(o.word) + ":(" + strings.Join(o.allowed, " ") + ")"
		case takesFile:
			value = ":file:_files"
		case takesText:
			value = ":" + zshText.Replace(word) + ": "
		}
		if value != "" {
			name += "="
		}
		fmt.Fprintf(w, " \\\n\t\t'-%s[%s]%s'", name, zshText.Replace(o.brief()), value)
	}
	fmt.Fprintf(w, "\n}\n\nif [[ $funcstack[1] == %[1]s ]]; then\n\t%[1]s \"$@\"\nelse\n\tcompdef %[1]s %[2]s\nfi\n", s.function(), s.program.Name)
}
