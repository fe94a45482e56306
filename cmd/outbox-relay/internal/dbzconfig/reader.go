package dbzconfig

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// reader finds the configurations in one file.
type reader struct {
	file string
	docs []document
	errs []error
}

// read returns the documents of a file and what is wrong with it.
func read(f File) ([]document, []error) {
	r := &reader{file: f.Name}
	switch syntaxOf(f.Content) {
	case jsonSyntax:
		root, err := parseJSON(bytes.TrimPrefix(f.Content, []byte("\ufeff")))
		if err != nil {
			r.refuse(0, "%w", err)
			break
		}
		r.find(root)
	case yamlSyntax:
		roots, err := parseYAML(f.Content)
		if err != nil {
			r.refuseYAML(f.Content, err)
			break
		}
		for _, root := range roots {
			r.find(root)
		}
	default:
		r.properties(f.Content, 0)
	}
	if len(r.docs) == 0 && len(r.errs) == 0 {
		r.refuse(0, "no connector, worker or Debezium Server configuration is in it")
	}
	return r.docs, r.errs
}

func (r *reader) refuse(line int, format string, args ...any) {
	r.errs = append(r.errs, &Refusal{Source: Source{Place: r.file, Line: line}, Reason: fmt.Errorf(format, args...).Error()})
}

// refuseYAML explains a parser's error by the most common reason for one.
func (r *reader) refuseYAML(content []byte, err error) {
	if bytes.Contains(content, []byte("{{")) {
		r.refuse(0, "%w: it looks like a template that has not been rendered; give what the template makes (helm template)", err)
		return
	}
	r.refuse(0, "%w", err)
}

// properties reads a properties file, or one that stands within a ConfigMap whose text begins behind line offset.
func (r *reader) properties(content []byte, offset int) {
	properties, err := parseProperties(content)
	if err != nil {
		r.refuse(0, "%w", err)
		return
	}
	d := document{form: connectorForm}
	d.form = propertiesForm(properties)
	for _, p := range properties {
		if strings.HasPrefix(p.key, ";") {
			r.refuse(p.line+offset, "a semicolon begins no comment in a properties file: Java reads a key %q there, and none of the options behind it; "+
				"take the semicolons away, or write #", p.key)
			return
		}
		d.add(setting{key: p.key, value: p.value, src: Source{Place: r.file, Line: p.line + offset, Key: p.key}})
	}
	r.docs = append(r.docs, d)
}

// propertiesForm tells whose properties they are.
func propertiesForm(properties []property) form {
	worker := false
	for _, p := range properties {
		key := unprofiled(p.key)
		switch {
		case strings.HasPrefix(key, "debezium."):
			return serverForm
		case key == "connector.class" || key == "transforms":
			return connectorForm
		case foreignProperty(property{key, p.value, 0}) || key == "bootstrap.servers":
			worker = true
		}
	}
	if worker {
		return workerForm
	}
	return connectorForm
}

var profile = regexp.MustCompile(`^%([\w-]+)\.`)

// unprofiled drops the Quarkus profile from a key, as in %prod.debezium.sink.type.
func unprofiled(key string) string { return strings.TrimPrefix(key, profile.FindString(key)) }

var errObject = errors.New("an option's value is a word or a number, not a map or a list")

// settings reads a map of options.
func (r *reader) settings(n *node) []setting {
	var out []setting
	for _, f := range n.fields {
		key := strings.TrimSpace(f.name) // YAML allows a blank before the colon; JSON's keys are as they are
		if key == "" {
			key = f.name
		}
		switch f.value.kind {
		case null: // as if it were not there
		case scalar:
			out = append(out, setting{key: key, value: f.value.text, src: Source{Place: r.file, Line: f.line, Key: f.name}})
		default:
			r.refuse(f.line, "%s: %w", key, errObject)
		}
	}
	return out
}
