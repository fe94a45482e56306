package schema

import "slices"

// Takes reports whether Kafka Connect takes values of schema o for values of s,
// and they mean the same: it looks at the Java class, not at a semantic type's
// name, so that s may take a text for a UUID. A value must not turn into s's
// default, nor may one that can be null meet a schema that requires it.
func (s *Schema) Takes(o *Schema) bool {
	if s == o {
		return true
	}
	if s == nil || o == nil || s.Type != o.Type || isJavaDate(s) != isJavaDate(o) || unprintable(s) != unprintable(o) {
		return false
	}
	if o.Optional && o.Default == nil && (!s.Optional || s.Default != nil) {
		return false
	}
	switch s.Type {
	case TypeStruct:
		return s.Equal(o)
	case TypeArray:
		return s.Items.Takes(o.Items)
	case TypeMap:
		return s.Keys.Takes(o.Keys) && s.Items.Takes(o.Items)
	case TypeDecimal:
		return s.scale() == o.scale()
	}
	return true
}

// scale is a Decimal's scale, as its schema writes it.
func (s *Schema) scale() string {
	i := slices.IndexFunc(s.Params, func(p Param) bool { return p.Key == "scale" })
	if i < 0 {
		return ""
	}
	return s.Params[i].Value
}
