package options

import (
	"fmt"
	"io"
	"strings"
)

// bash prints the script for bash, as old as 3.2 (macOS). Bash takes the = of -name=value for a word of its own,
// which the first lines of the function undo.
func (s *Set) bash(w io.Writer) {
	fmt.Fprintf(w, `# bash completion for %[1]s:
#   source <(%[1]s -completion bash)
%[2]s() {
	local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} IFS=$'\n'
	if [[ $cur == = ]]; then
		cur=
	elif [[ $option == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-2]}
	fi
	COMPREPLY=()
	case ${option/#--/-} in
`, s.program.Name, s.function())
	for _, o := range s.visible() {
		if o.takes() == takesChoice {
			fmt.Fprintf(w, "\t-%s) COMPREPLY=($(compgen -W $'%s' -- \"$cur\")) ;;\n", o.name, strings.Join(o.allowed, `\n`))
		}
	}
	bashCase(w, s.flags(takesFile), `compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur"))`)
	bashCase(w, s.flags(takesText), ":")
	fmt.Fprintf(w, "\t*)\n\t\tlocal dash=\n\t\t[[ $cur == --* ]] && dash=-\n\t\tCOMPREPLY=($(compgen -P \"$dash\" -W $'%s' -- \"${cur/#--/-}\"))\n\t\t;;\n\tesac\n}\n",
		strings.Join(s.dashed(), `\n`))
	fmt.Fprintf(w, "complete -F %s %s\n", s.function(), s.program.Name)
}

// bashCase prints one branch for several options, none if there are none.
func bashCase(w io.Writer, flags []string, do string) {
	if len(flags) > 0 {
		fmt.Fprintf(w, "\t%s) %s ;;\n", strings.Join(flags, "|"), do)
	}
}

// dashed is all options as they are written on the command line.
func (s *Set) dashed() []string {
	var out []string
	for _, o := range s.visible() {
		out = append(out, "-"+o.name)
	}
	return out
}
