package options

import (
	"regexp"
	"strings"
)

// variable turns the name of a program or option into that of an environment variable, less the prefix.
func variable(name string) string {
	return strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(name))
}

// readEnviron takes the variables with the program's prefix. One that no option answers to is a mistake, unless
// it comes from Kubernetes.
func (s *Set) readEnviron(env []string) ([]assignment, []error) {
	var out []assignment
	var mistakes []error
	byVariable, known := s.variables()
	for _, e := range env {
		name, text, _ := strings.Cut(e, "=")
		if text == "" || !strings.HasPrefix(name, s.prefix) {
			continue
		}
		if o := byVariable[name]; o != nil {
			out = append(out, assignment{o.name, text, Source{Kind: Environment, Where: name}})
		} else if !serviceLink(strings.TrimPrefix(name, s.prefix), text) {
			mistakes = append(mistakes, s.unknown("environment variable ", name, known))
		}
	}
	return out, mistakes
}

// variables maps the name of each option's variable to the option.
func (s *Set) variables() (map[string]*Option, []string) {
	byVariable := map[string]*Option{}
	var known []string
	for o := range s.each() {
		if o.onlyLine {
			continue
		}
		name := s.prefix + variable(o.name)
		byVariable[name] = o
		if !o.hidden {
			known = append(known, name)
		}
	}
	return byVariable, known
}

var (
	serviceName = regexp.MustCompile(`^(.+_)?SERVICE_(HOST|PORT(_.+)?)$`)
	servicePort = regexp.MustCompile(`^(.+_)?PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$`)
	serviceLast = regexp.MustCompile(`^(.+_)?PORT$`) // could be a typo too, so the value decides
	serviceURL  = regexp.MustCompile(`^(tcp|udp|sctp)://`)
)

// serviceLink reports whether a variable (less the prefix) is one of those that Kubernetes sets in every pod of a
// namespace for each Service. A Service named after the program, as one for its metrics would be, gives
// OUTBOX_RELAY_SERVICE_HOST, OUTBOX_RELAY_PORT=tcp://10.0.0.7:9187 and more of the kind; they are nobody's typo.
func serviceLink(rest, text string) bool {
	return serviceName.MatchString(rest) || servicePort.MatchString(rest) ||
		serviceLast.MatchString(rest) && serviceURL.MatchString(text)
}
