package pipeline

import (
	"bytes"
	"encoding/json"

	"github.com/outbox-relay/outbox-relay/schema"
)

// appendRow appends a row as a JSON object: each column with its value as PostgreSQL
// writes it, or null. A value that the server did not send is left out.
func appendRow(dst []byte, rel *schema.Relation, values []schema.Datum) []byte {
	dst = append(dst, '{')
	first := len(dst)
	for i := range values {
		if values[i].Kind == schema.Unchanged {
			continue
		}
		if len(dst) > first {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, rel.Columns[i].Name), ':')
		if values[i].Kind == schema.Null {
			dst = append(dst, "null"...)
		} else {
			dst = appendText(dst, string(values[i].Bytes))
		}
	}
	return append(dst, '}')
}

// appendText appends a JSON string. Only what JSON demands is escaped.
func appendText(dst []byte, text string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil { // a string always has a form
		return append(dst, `""`...)
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
