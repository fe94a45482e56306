package dbzconfig

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// After is a chain of transforms that records go through behind the router. It is not safe for concurrent use. A nil
// After is the empty chain.
type After struct{ steps []step }

// step changes a record.
type step interface {
	apply(rec *router.Record) error
}

// Apply runs rec through the chain. It allocates nothing if the chain is empty.
func (a *After) Apply(rec *router.Record) error {
	if a == nil {
		return nil
	}
	for _, s := range a.steps {
		if err := s.apply(rec); err != nil {
			return fmt.Errorf("-%s: %w", afterFlag, err)
		}
	}
	return nil
}

// ParseAfter reads a chain in the form of the flag transforms.after:
//
//	chain = stage { ";" stage }
//	stage = name "(" option "=" value { "," option "=" value } ")"
//
// A value is in double quotes, in which "" stands for one quote and nothing else is special, or bare, without blanks
// and the characters ( ) ; " around a comma. The stages are
//
//	RegexRouter(regex=...,replacement=...)      Connect's RegexRouter
//	DropHeaders(headers="a,b")                  Connect's DropHeaders
//	InsertHeader(header=...,value.literal=...)  Connect's InsertHeader
//
// each also with if.topic=REGEX or unless.topic=REGEX, a Java regular expression for the whole topic as the stages
// before have left it: Connect's TopicNameMatches. header is the converter of headers. An empty text is the nil chain.
func ParseAfter(text string, header schema.Converter) (*After, error) {
	stages, err := parseStages(text)
	if err != nil {
		return nil, fmt.Errorf("-%s: %w", afterFlag, err)
	}
	if len(stages) == 0 {
		return nil, nil
	}
	a := &After{}
	for _, st := range stages {
		s, err := st.compile(header)
		if err != nil {
			return nil, fmt.Errorf("-%s: %s: %w", afterFlag, st.name, err)
		}
		a.steps = append(a.steps, s)
	}
	return a, nil
}

// stage is one transform as it is written.
type stage struct {
	name string
	args [][2]string
}

// The conditions of a stage.
const (
	ifTopic     = "if.topic"
	unlessTopic = "unless.topic"
)

// formatStages writes a chain so that parseStages reads the same.
func formatStages(stages []stage) string {
	var out []string
	for _, s := range stages {
		var args []string
		for _, a := range s.args {
			args = append(args, a[0]+"="+quoteValue(a[1]))
		}
		out = append(out, s.name+"("+strings.Join(args, ",")+")")
	}
	return strings.Join(out, ";")
}

func quoteValue(value string) string {
	if value != "" && !strings.ContainsAny(value, "\"(),; \t\r\n") {
		return value
	}
	return `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
}

var errChain = errors.New(`write a chain as Name(option=value,option="other value");Name(...)`)

// parseStages reads a chain.
func parseStages(text string) ([]stage, error) {
	p := chainParser{in: text}
	var out []stage
	for p.blank(); p.in != ""; p.blank() {
		if len(out) > 0 && !p.take(";") {
			return nil, errChain
		}
		if p.blank(); p.in == "" { // a semicolon at the end
			break
		}
		s, err := p.stage()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// chainParser cuts a chain from the front.
type chainParser struct{ in string }

func (p *chainParser) blank() { p.in = strings.TrimLeft(p.in, " \t\r\n") }

// take drops a sign, and the blanks around it.
func (p *chainParser) take(sign string) bool {
	p.blank()
	rest, ok := strings.CutPrefix(p.in, sign)
	if ok {
		p.in = rest
		p.blank()
	}
	return ok
}

// until cuts off what stands before the first of the signs.
func (p *chainParser) until(signs string) string {
	end := strings.IndexAny(p.in, signs)
	if end < 0 {
		end = len(p.in)
	}
	word := strings.TrimSpace(p.in[:end])
	p.in = p.in[end:]
	return word
}

func (p *chainParser) stage() (stage, error) {
	s := stage{name: p.until("(;,)=")}
	if s.name == "" || !p.take("(") {
		return s, errChain
	}
	for !p.take(")") {
		if len(s.args) > 0 && !p.take(",") {
			return s, errChain
		}
		name := p.until("=,()")
		if !p.take("=") { // DropHeaders(headers=a,b): b belongs to the value before
			if len(s.args) == 0 || name == "" {
				return s, errChain
			}
			s.args[len(s.args)-1][1] += "," + name
			continue
		}
		value, err := p.value()
		if err != nil {
			return s, err
		}
		s.args = append(s.args, [2]string{name, value})
	}
	return s, nil
}

func (p *chainParser) value() (string, error) {
	if !strings.HasPrefix(p.in, `"`) {
		return p.until(",();\""), nil
	}
	var out strings.Builder
	for rest := p.in[1:]; ; {
		end := strings.IndexByte(rest, '"')
		if end < 0 {
			return "", errors.New("a quote is not closed")
		}
		out.WriteString(rest[:end])
		rest = rest[end+1:]
		if !strings.HasPrefix(rest, `"`) {
			p.in = rest
			return out.String(), nil
		}
		out.WriteByte('"')
		rest = rest[1:]
	}
}

// compile makes a stage ready to run.
func (s stage) compile(header schema.Converter) (step, error) {
	var out step
	var err error
	switch s.name {
	case "RegexRouter":
		out, err = newRename(s)
	case "DropHeaders":
		out, err = newDrop(s)
	case "InsertHeader":
		out, err = newInsert(s, header)
	default:
		return nil, errors.New("there is RegexRouter, DropHeaders and InsertHeader")
	}
	if err != nil {
		return nil, err
	}
	return s.conditional(out)
}

// only checks that a stage has these options, each once, and no others but conditions.
func (s stage) only(names ...string) (map[string]string, error) {
	out := map[string]string{}
	for _, a := range s.args {
		if _, again := out[a[0]]; again {
			return nil, fmt.Errorf("%s is there twice", a[0])
		}
		if !slices.Contains(names, a[0]) && a[0] != ifTopic && a[0] != unlessTopic {
			return nil, fmt.Errorf("there is no option %s; there is %s", a[0], strings.Join(names, ", "))
		}
		out[a[0]] = a[1]
	}
	for _, name := range names {
		if _, ok := out[name]; !ok {
			return nil, fmt.Errorf("%s is missing", name)
		}
	}
	return out, nil
}
