package dbzconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxNodes bounds a YAML document with its aliases expanded: a file of a few hundred bytes can stand for billions.
const maxNodes = 200_000

// parseYAML reads all documents of a YAML stream. The error has the line, never the text.
func parseYAML(content []byte) ([]*node, error) {
	var out []*node
	dec := yaml.NewDecoder(bytes.NewReader(content))
	r := &yamlReader{}
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, yamlMistake(err)
		}
		n, err := r.value(&doc, 0)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
}

var yamlLine = regexp.MustCompile(`line \d+`)

// yamlMistake keeps the line of the library's error, whose text may quote the content.
func yamlMistake(err error) error {
	if line := yamlLine.FindString(err.Error()); line != "" {
		return fmt.Errorf("%s: not valid YAML", line)
	}
	return errors.New("not valid YAML")
}

type yamlReader struct{ nodes int }

func (r *yamlReader) value(y *yaml.Node, depth int) (*node, error) {
	if r.nodes++; depth > maxDepth || r.nodes > maxNodes {
		return nil, errDeep
	}
	n := &node{line: y.Line}
	switch y.Kind {
	case yaml.DocumentNode:
		if len(y.Content) == 0 {
			return n, nil
		}
		return r.value(y.Content[0], depth+1)
	case yaml.AliasNode:
		return r.value(y.Alias, depth+1)
	case yaml.MappingNode:
		n.kind = mapping
		return n, r.fields(n, y, depth)
	case yaml.SequenceNode:
		n.kind = list
		for _, item := range y.Content {
			value, err := r.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, value)
		}
	case yaml.ScalarNode:
		if y.Tag != "!!null" {
			n.kind, n.text = scalar, scalarText(y)
		}
	}
	return n, nil
}

// fields reads a mapping. What it takes over by << is weaker than its own, so it comes first.
func (r *yamlReader) fields(n *node, y *yaml.Node, depth int) error {
	var own []field
	for i := 0; i+1 < len(y.Content); i += 2 {
		name := y.Content[i]
		value, err := r.value(y.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		if name.Tag == "!!merge" {
			n.fields = append(n.fields, merged(value)...)
			continue
		}
		if name.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a key that is not a plain word; a template that has not been rendered looks so", name.Line)
		}
		own = append(own, field{name.Value, name.Line, value})
	}
	n.fields = append(n.fields, own...)
	return nil
}

// merged returns the fields of a map, or of a list of maps, of which the first is the strongest.
func merged(n *node) []field {
	out := n.fields
	for _, item := range n.items {
		out = append(append([]field{}, item.fields...), out...)
	}
	return out
}

// scalarText is the text of a scalar. Kubernetes reads YAML 1.1, where yes and on are booleans.
func scalarText(y *yaml.Node) string {
	if y.Style != 0 {
		return y.Value
	}
	switch strings.ToLower(y.Value) {
	case "yes", "on":
		return "true"
	case "no", "off":
		return "false"
	}
	return y.Value
}
