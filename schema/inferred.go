package schema

// Inferred returns a Codec for a field that is no column of a table: its schema is
// known already, and its value stands in *v when Decode is called. Decode looks at
// the Datum for nothing but null.
func Inferred(name string, s *Schema, v *Value) *Codec {
	column := &Column{Name: name, Type: &TypeInfo{Name: s.Type.String()}}
	return &Codec{Column: column, Schema: s, decode: func(_, buf []byte) (Value, []byte, error) { return *v, buf, nil }}
}
