package dbzconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
)

// maxDepth bounds the nesting of a document; real ones need less than ten.
const maxDepth = 100

var errDeep = errors.New("nested too deeply")

// parseJSON reads one JSON value. Numbers keep their spelling. The error has the line, never the text.
func parseJSON(content []byte) (*node, error) {
	r := &jsonReader{dec: json.NewDecoder(bytes.NewReader(content)), lines: lineStarts(content)}
	r.dec.UseNumber()
	root, err := r.value(0)
	if err == nil {
		if _, more := r.dec.Token(); more != io.EOF {
			err = errors.New("there is something behind the JSON value")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", r.line(), jsonMistake(err))
	}
	return root, nil
}

// jsonMistake drops what an error of the library quotes from the content.
func jsonMistake(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("not valid JSON")
	}
	return err
}

type jsonReader struct {
	dec   *json.Decoder
	lines []int // offsets at which lines begin
}

// line is the line up to which the decoder has read.
func (r *jsonReader) line() int {
	return max(1, sort.SearchInts(r.lines, int(r.dec.InputOffset())))
}

func lineStarts(content []byte) []int {
	starts := []int{0}
	for i, b := range content {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func (r *jsonReader) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	token, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &node{line: r.line(), kind: scalar}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return n, r.object(n, depth)
		}
		return n, r.array(n, depth)
	case nil:
		n.kind = null
	default:
		n.text = fmt.Sprint(t)
	}
	return n, nil
}

func (r *jsonReader) object(n *node, depth int) error {
	n.kind = mapping
	for r.dec.More() {
		name, err := r.dec.Token()
		if err != nil {
			return err
		}
		f := field{name: name.(string), line: r.line()} // an object's keys are strings, or Token fails
		if f.value, err = r.value(depth + 1); err != nil {
			return err
		}
		n.fields = append(n.fields, f)
	}
	_, err := r.dec.Token()
	return err
}

func (r *jsonReader) array(n *node, depth int) error {
	n.kind = list
	for r.dec.More() {
		item, err := r.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := r.dec.Token()
	return err
}
