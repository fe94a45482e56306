package router

import (
	"bytes"
	"fmt"

	"github.com/outbox-relay/outbox-relay/schema"
)

// traceNames are the headers of W3C's Trace Context and Baggage, in the order in
// which they are sent. Debezium's ActivateTracingSpan sends those that its
// propagator knows, which by default are these.
var traceNames = [...]string{"traceparent", "tracestate", "baggage"}

// bindTrace prepares the column with the context of a trace. As in Debezium a
// table without it carries no traces.
func (p *Plan) bindTrace(r *Router) error {
	name := r.settings.TraceField
	if name == "" || p.rel.Index(name) < 0 {
		return nil
	}
	f, err := r.column(p.rel, name)
	if err == nil && f.codec.Schema.Type != schema.TypeString {
		err = fmt.Errorf("column %q is of type %s; the context of a trace is a text", name, f.codec.Column.TypeText())
	}
	if err == nil {
		p.trace = &f
	}
	return option("tracing.span.context.field", err)
}

// routeTrace appends the headers that the column asks for. It holds a
// java.util.Properties text, as Debezium's own outbox extension writes it, or a
// traceparent alone. What is not valid adds nothing: a trace must not stop an event.
func (p *Plan) routeTrace(values []schema.Datum, rec *Record) {
	d := &values[p.trace.index]
	if d.Kind != schema.Text {
		return
	}
	if text := bytes.TrimSpace(d.Bytes); ValidTraceparent(text) {
		rec.Headers = append(rec.Headers, Header{Key: traceNames[0], Value: text})
		return
	}
	var found [len(traceNames)][]byte
	for rest := d.Bytes; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		name, value := property(line)
		for i := range traceNames {
			if string(name) == traceNames[i] {
				found[i] = rec.unescape(value)
			}
		}
	}
	if !ValidTraceparent(found[0]) {
		return
	}
	for i, value := range found {
		if value != nil {
			rec.Headers = append(rec.Headers, Header{Key: traceNames[i], Value: value})
		}
	}
}

// property splits a line of a Properties text. Comments and blank lines have no name.
func property(line []byte) (name, value []byte) {
	line = bytes.TrimLeft(bytes.TrimRight(line, "\r"), " \t\f")
	if len(line) == 0 || line[0] == '#' || line[0] == '!' {
		return nil, nil
	}
	end := bytes.IndexAny(line, "=: \t\f")
	if end < 0 {
		return line, nil
	}
	name, value = line[:end], bytes.TrimLeft(line[end:], " \t\f")
	if len(value) > 0 && (value[0] == '=' || value[0] == ':') {
		value = bytes.TrimLeft(value[1:], " \t\f")
	}
	return name, value
}

// unescape drops the backslashes that Properties puts before = : # and !. Without
// any the text stays where it is.
func (r *Record) unescape(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	first := len(r.scratch)
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		r.scratch = append(r.scratch, text[i])
	}
	return r.scratch[first:len(r.scratch):len(r.scratch)]
}

// ValidTraceparent reports whether text is a traceparent of version 00: version,
// trace, parent and flags in lower-case hexadecimal digits, neither of the two ids
// all zeros (W3C Trace Context, section 3.2).
func ValidTraceparent(text []byte) bool {
	const form = "00-11111111111111111111111111111111-2222222222222222-33"
	if len(text) != len(form) {
		return false
	}
	trace, parent := false, false
	for i, c := range text {
		digit := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
		switch form[i] {
		case '0', '-':
			if c != form[i] {
				return false
			}
			continue
		case '1':
			trace = trace || c != '0'
		case '2':
			parent = parent || c != '0'
		}
		if !digit {
			return false
		}
	}
	return trace && parent
}
