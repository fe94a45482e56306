package dbzconfig

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// reader finds the configurations in one file.
type reader struct {
	file string
	docs []document
	errs []error

	notices []notice
}

// notice is what the operator should know about a place.
type notice struct {
	src  Source
	text string
}

// read returns the documents of a file and what is wrong with it.
func (im *importer) read(f File) ([]document, []error) {
	r := &reader{file: f.Name}
	content := decoded(f.Content)
	syntax := syntaxOf(content)
	if isVariables(content) {
		syntax = variablesSyntax
	}
	switch syntax {
	case variablesSyntax:
		r.variables(content)
	case jsonSyntax:
		if !utf8.Valid(content) {
			r.refuse(0, "JSON is UTF-8, and this is not")
			break
		}
		root, err := parseJSON(content)
		if err != nil {
			r.refuse(0, "%w", err)
			break
		}
		r.find(root)
	case yamlSyntax:
		roots, err := parseYAML(content)
		if err != nil {
			r.refuseYAML(content, err)
			break
		}
		for _, root := range roots {
			r.find(root)
		}
	default:
		r.properties(content, 0)
	}
	if len(r.docs) == 0 && len(r.errs) == 0 {
		r.refuse(0, "no connector, worker or Debezium Server configuration is in it")
	}
	for i := range r.docs {
		r.docs[i].file = f.Name
	}
	for _, n := range r.notices {
		im.notice(n.src, "%s", n.text)
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
	properties, err := parseProperties(latin1(content))
	d := document{form: propertiesForm(properties)}
	if d.form == serverForm && err == nil {
		properties, err = parseProperties(decodeText(content))
	}
	if err != nil {
		r.refuse(0, "%w", err)
		return
	}
	for _, p := range properties {
		at := Source{Place: r.file, Line: p.line + offset, Key: p.key}
		if p.beyond {
			r.tellEncoding(at, d.form, utf8.Valid(content))
		}
		if strings.HasPrefix(p.key, ";") {
			r.refuse(p.line+offset, "a semicolon begins no comment in a properties file: Java reads a key %q there, and none of the options behind it; "+
				"take the semicolons away, or write #", p.key)
			return
		}
		d.add(setting{key: p.key, value: p.value, src: at})
	}
	r.docs = append(r.docs, d)
}

// tellEncoding is about a property with letters beyond ASCII: Kafka Connect reads a file's bytes as ISO 8859-1, Debezium
// Server as UTF-8, whatever the editor meant. The records have what the program read.
func (r *reader) tellEncoding(at Source, f form, valid bool) {
	switch {
	case f == serverForm && !valid:
		r.errs = append(r.errs, &Refusal{Source: at, Reason: "it is not UTF-8, as which Debezium Server reads it; save the file as UTF-8, or write \\uXXXX"})
	case f != serverForm && valid:
		r.notices = append(r.notices, notice{at, "Kafka Connect reads a properties file as ISO 8859-1, so what the file has as one letter of UTF-8 is two or more to it; " +
			"taken as Connect reads it, so that records stay the same. What was meant is written \\uXXXX"})
	}
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
		case foreignProperty(property{key: key, value: p.value}) || key == "bootstrap.servers":
			worker = true
		}
	}
	if worker {
		return workerForm
	}
	return connectorForm
}

var errObject = errors.New("an option's value is a word or a number, not a map or a list")

// settings reads a map of options. A blank in a key belongs to it, as for Connect, which then knows no such option.
func (r *reader) settings(n *node) []setting {
	var out []setting
	for _, f := range n.fields {
		switch f.value.kind {
		case null: // as if it were not there
		case scalar:
			out = append(out, setting{key: f.name, value: f.value.text, src: Source{Place: r.file, Line: f.line, Key: f.name}})
		default:
			r.refuse(f.line, "%s: %w", f.name, errObject)
		}
	}
	return out
}
