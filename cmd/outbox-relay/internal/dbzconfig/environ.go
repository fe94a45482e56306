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

// serverVariables returns the settings among the variables.
func serverVariables(environ []string) []setting {
	var out []setting
	for _, e := range environ {
		name, value, ok := strings.Cut(e, "=")
		if ok && serverVariable.MatchString(name) {
			out = append(out, setting{key: propertyName(name), value: value, src: Source{Place: "environment", Key: name}})
		}
	}
	return out
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
