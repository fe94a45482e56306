package schema

import (
	"errors"
	"strings"
)

// Expander turns a JSON payload into a value with an inferred schema:
// table.expand.json.payload.
type Expander struct {
	NullAsBytes       bool // table.json.payload.null.behavior=optional_bytes
	EmptyAsStrings    bool // table.json.payload.empty.array.behavior=optional_string
	AdjustFieldName   func(string) string
	PayloadColumnName string // names the inferred schema
}

// Errors of Expand. They say why a payload is sent as the text it is.
var (
	ErrNotExpandable = errors.New("the payload does not begin with { or [")
	ErrNotUniform    = errors.New("the payload's JSON has no Kafka Connect schema: arrays of mixed types, integers beyond 64 bits, or an array at the top")
)

// Expand infers a schema from a payload and converts it. If it fails, the text
// stays as it is. Debezium 3.6 sends the top-level [] without a schema; so does
// this, with a nil schema and the text.
func (x *Expander) Expand(text []byte) (*Schema, Value, error) {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return nil, Value{}, ErrNotExpandable
	}
	root, err := parseJSON(text)
	if err != nil {
		return nil, Value{}, err
	}
	s, err := x.infer(x.PayloadColumnName, &root)
	if err != nil {
		return nil, Value{}, err
	}
	if s == nil {
		return nil, Value{Type: TypeString, Bytes: text}, nil
	}
	if s.Type != TypeStruct {
		return nil, Value{}, ErrNotUniform
	}
	v, err := convert(&root, s)
	if err != nil {
		return nil, Value{}, err
	}
	return s, v, nil
}

// optional are the schemas of JSON's scalars, one object each so that they can
// be compared by address.
var optional = map[Type]*Schema{
	TypeString: {Type: TypeString, Optional: true}, TypeBoolean: {Type: TypeBoolean, Optional: true},
	TypeInt32: {Type: TypeInt32, Optional: true}, TypeInt64: {Type: TypeInt64, Optional: true},
	TypeFloat64: {Type: TypeFloat64, Optional: true}, TypeBytes: {Type: TypeBytes, Optional: true},
}

// infer returns the schema of a node, nil for one that is left out. path names
// the structs on the way.
func (x *Expander) infer(path string, n *node) (*Schema, error) {
	switch n.kind {
	case nodeString:
		return optional[TypeString], nil
	case nodeBool:
		return optional[TypeBoolean], nil
	case nodeInt:
		return optional[TypeInt32], nil
	case nodeLong:
		return optional[TypeInt64], nil
	case nodeBig, nodeDouble:
		return optional[TypeFloat64], nil
	case nodeNull:
		if x.NullAsBytes {
			return optional[TypeBytes], nil
		}
		return nil, nil
	case nodeArray:
		return x.inferArray(path, n)
	default:
		return x.inferObject(path, n)
	}
}

func (x *Expander) inferObject(path string, n *node) (*Schema, error) {
	s := &Schema{Type: TypeStruct, Optional: true, Name: path}
	prefix := ""
	if strings.TrimSpace(path) != "" {
		prefix = path + "."
	}
	for i := range n.items {
		name := x.adjust(n.names[i])
		f, err := x.infer(prefix+name, &n.items[i])
		switch {
		case err != nil:
			return nil, err
		case f == nil || s.field(name) >= 0:
			continue
		case name == "":
			return nil, ErrNotUniform // Connect has no fields without a name
		}
		s.Fields = append(s.Fields, Field{Name: name, Schema: f})
	}
	return s, nil
}

func (x *Expander) adjust(name string) string {
	if x.AdjustFieldName == nil {
		return name
	}
	return x.AdjustFieldName(name)
}

// field returns the position of a struct's field, or -1.
func (s *Schema) field(name string) int {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return i
		}
	}
	return -1
}

func (x *Expander) inferArray(path string, n *node) (*Schema, error) {
	if len(n.items) == 0 {
		if x.EmptyAsStrings {
			return &Schema{Type: TypeArray, Optional: true, Items: optional[TypeString]}, nil
		}
		return nil, nil
	}
	sample, err := x.sample(n)
	if err != nil {
		return nil, err
	}
	items, err := x.inferItems(path, n, sample)
	if err != nil {
		return nil, err
	}
	return &Schema{Type: TypeArray, Optional: true, Items: items}, nil
}

// sample returns the first element that is not null, after checking that all
// others are of its kind; numbers must have the very same schema.
func (x *Expander) sample(n *node) (*node, error) {
	first := &node{}
	for i := range n.items {
		item := &n.items[i]
		switch {
		case item.kind == nodeNull:
		case first.kind == nodeNull:
			first = item
		case first.kind.isNumber() && item.kind.isNumber():
			a, _ := x.infer("", first)
			if b, _ := x.infer("", item); a != b {
				return nil, ErrNotUniform
			}
		case item.kind != first.kind:
			return nil, ErrNotUniform
		}
	}
	return first, nil
}

func (x *Expander) inferItems(path string, n, sample *node) (*Schema, error) {
	if sample.kind != nodeObject {
		s, err := x.infer("", sample)
		if err == nil && s == nil {
			err = ErrNotUniform
		}
		return s, err
	}
	var distinct []*Schema
	for i := range n.items {
		if n.items[i].kind != nodeObject {
			continue
		}
		s, err := x.infer(path, &n.items[i])
		if err != nil {
			return nil, err
		}
		if !containsSchema(distinct, s) {
			distinct = append(distinct, s)
		}
	}
	merged := distinct[0]
	for _, s := range distinct[1:] {
		merged = merge(merged, s)
	}
	return merged, nil
}

func containsSchema(list []*Schema, s *Schema) bool {
	for _, l := range list {
		if l.Equal(s) {
			return true
		}
	}
	return false
}

// merge adds right's fields to left's. Of a field that both have left's stays,
// unless it is bytes, which null was taken for. Debezium merges in the order of
// a hash set; here it is the order of the elements. Like there, the result is no
// longer optional.
func merge(left, right *Schema) *Schema {
	m := &Schema{Type: TypeStruct, Name: left.Name, Fields: append([]Field(nil), left.Fields...)}
	for _, f := range right.Fields {
		i := m.field(f.Name)
		switch {
		case i < 0:
			m.Fields = append(m.Fields, f)
		case m.Fields[i].Schema.Type == TypeBytes && f.Schema.Type != TypeBytes:
			m.Fields[i] = f
		}
	}
	return m
}

// Equal reports whether two schemas are the same in every respect but their
// defaults, which inferred ones do not have.
func (s *Schema) Equal(o *Schema) bool {
	if s == o {
		return true
	}
	if s == nil || o == nil || s.Type != o.Type || s.Optional != o.Optional || s.Name != o.Name || len(s.Fields) != len(o.Fields) {
		return false
	}
	for i := range s.Fields {
		if s.Fields[i].Name != o.Fields[i].Name || !s.Fields[i].Schema.Equal(o.Fields[i].Schema) {
			return false
		}
	}
	return s.Items.Equal(o.Items)
}

// convert makes the value of a node under a schema that was inferred from it,
// or from its siblings in an array: then it may not fit.
func convert(n *node, s *Schema) (Value, error) {
	switch n.kind {
	case nodeNull:
		if !s.Optional {
			return Value{}, ErrNotUniform
		}
		return Value{}, nil
	case nodeObject:
		return convertObject(n, s)
	case nodeArray:
		return convertArray(n, s)
	}
	v := Value{Type: s.Type, Int: n.int, Float: n.float, Bytes: n.text}
	fits := map[nodeKind]Type{nodeBool: TypeBoolean, nodeInt: TypeInt32, nodeLong: TypeInt64, nodeDouble: TypeFloat64, nodeString: TypeString}
	if t, ok := fits[n.kind]; !ok || t != s.Type {
		return Value{}, ErrNotUniform
	}
	return v, nil
}

func convertObject(n *node, s *Schema) (Value, error) {
	if s.Type != TypeStruct {
		return Value{}, ErrNotUniform
	}
	v := Value{Type: TypeStruct, Items: make([]Value, len(s.Fields))}
	for i := range s.Fields {
		m := n.member(s.Fields[i].Name)
		if m == nil {
			m = &node{} // a field that only siblings have
		}
		item, err := convert(m, s.Fields[i].Schema)
		if err != nil {
			return Value{}, err
		}
		v.Items[i] = item
	}
	return v, nil
}

func convertArray(n *node, s *Schema) (Value, error) {
	if s.Type != TypeArray {
		return Value{}, ErrNotUniform
	}
	v := Value{Type: TypeArray, Items: make([]Value, len(n.items))}
	for i := range n.items {
		item, err := convert(&n.items[i], s.Items)
		if err != nil {
			return Value{}, err
		}
		v.Items[i] = item
	}
	return v, nil
}
