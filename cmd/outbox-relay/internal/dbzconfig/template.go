package dbzconfig

import (
	"regexp"
	"strings"
)

// template reads an OpenShift Template: its parameters are put in, then its objects are looked at.
func (r *reader) template(n *node) {
	parameters := map[string]string{}
	for _, p := range n.get("parameters").items {
		if value := p.get("value"); value.kind == scalar {
			parameters[p.get("name").text] = value.text
		}
	}
	objects := n.get("objects")
	objects.each(func(x *node) {
		if x.kind == scalar {
			x.text = fillIn(x.text, parameters)
		}
	})
	r.find(objects)
}

var parameter = regexp.MustCompile(`\$\{\{\w+\}\}|\$\{\w+\}`)

// fillIn replaces ${NAME} and ${{NAME}} by the value of the parameter. What is no parameter, or has no value, stays
// for the placeholders.
func fillIn(text string, parameters map[string]string) string {
	return parameter.ReplaceAllStringFunc(text, func(ref string) string {
		if value, ok := parameters[strings.Trim(ref, "${}")]; ok {
			return value
		}
		return ref
	})
}
