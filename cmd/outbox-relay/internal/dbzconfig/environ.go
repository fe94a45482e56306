package dbzconfig

import (
	"regexp"
	"strings"
)

// shellName is what Debezium Server takes for a variable's name: letters, digits, and an underscore somewhere within.
var shellName = regexp.MustCompile(`^[a-zA-Z0-9_]+_+[a-zA-Z0-9_]+$`)

// serverVariable matches the variables that configure Debezium Server. Others that begin with DEBEZIUM_ (its image
// sets DEBEZIUM_VERSION, Kubernetes the address of a service of that name) do not.
var serverVariable = regexp.MustCompile(`(?i)^DEBEZIUM_(SOURCE_|SINK_|FORMAT_|TRANSFORMS(_|$)|PREDICATES(_|$))`)

// propertyName is the option that a variable stands for, by Debezium Server's own rule: small letters, and dots for
// the underscores. Capitals and underscores within an option's name are lost, there as here.
func propertyName(variable string) string {
	if !shellName.MatchString(variable) {
		return variable
	}
	return strings.ToLower(strings.ReplaceAll(variable, "_", "."))
}

// productionMark begins the name of a variable that is of the profile in which Debezium Server runs, and beats the one
// without it.
const productionMark = "_PROD_"

// serverVariables returns the settings among the variables, the stronger ones last.
func serverVariables(environ []string) []setting {
	var out, strong []setting
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		bare, production := strings.CutPrefix(name, productionMark)
		s := setting{key: propertyName(bare), value: value, src: Source{Place: "environment", Key: name}}
		switch {
		case !strings.Contains(e, "=") || !serverVariable.MatchString(bare):
		case production:
			strong = append(strong, s)
		default:
			out = append(out, s)
		}
	}
	return append(out, strong...)
}

// variables maps the names of the environment to their values.
func variables(environ []string) map[string]string {
	out := map[string]string{}
	for _, e := range environ {
		if name, value, ok := strings.Cut(e, "="); ok {
			out[name] = value
		}
	}
	return out
}
