package options

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// referenceName is the option that prints Reference. It is hidden: only the maker of docs/configuration.md wants it.
const referenceName = "print-options"

// declareReference declares it.
func (g *Group) declareReference() {
	g.Bool(new(bool), referenceName, false, "print all options as Markdown and exit", commandLineOnly, Hidden())
	g.set.infos = append(g.set.infos, referenceName)
}

// Reference prints all options that Usage shows as Markdown: one table a group, in the order of Usage.
func (s *Set) Reference(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, g := range s.inOrder() {
		g.reference(b)
	}
	return b.Flush()
}

func (g *Group) reference(w io.Writer) {
	titled := false
	for _, o := range g.options {
		if o.hidden {
			continue
		}
		if !titled {
			fmt.Fprintf(w, "### %s\n\n| option, environment variable | value | default | meaning |\n|---|---|---|---|\n", g.title)
			titled = true
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", o.names(g.set.prefix), o.values(), o.referenceDefault(), markdown.Replace(o.meaning()))
	}
	if titled {
		fmt.Fprintln(w)
	}
}

// names is the option and, if it has one, its environment variable.
func (o *Option) names(prefix string) string {
	if o.onlyLine {
		return "`-" + o.name + "`"
	}
	return "`-" + o.name + "`<br>`" + prefix + variable(o.name) + "`"
}

// values is the unit of the value, or what it may be.
func (o *Option) values() string {
	word, _ := o.describe()
	switch {
	case len(o.allowed) > 0:
		return "`" + strings.Join(o.allowed, "`, `") + "`"
	case o.bool && o.onlyLine:
		return ""
	case o.bool:
		return "`true`, `false`"
	}
	return markdown.Replace(word)
}

func (o *Option) referenceDefault() string {
	switch {
	case o.onlyLine && len(o.allowed) == 0:
		return ""
	case o.required && o.def == "":
		return "required"
	case o.def == "":
		return ""
	}
	return "`" + strings.ReplaceAll(o.show(o.def), "|", `\|`) + "`"
}

func (o *Option) meaning() string {
	_, help := o.describe()
	return help
}

// markdown keeps what has a meaning in a table from having it.
var markdown = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "__", `\_\_`)
