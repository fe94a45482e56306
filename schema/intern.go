package schema

// Interner gives equal inferred schemas one address, so that what is derived
// from a schema can be remembered by it. It is not safe for concurrent use.
type Interner struct {
	known map[string]*Schema
	room  []byte
}

// maxInterned bounds the memory: a payload with ever new shapes is not worth
// remembering.
const maxInterned = 10_000

// Intern returns the schema that was first seen equal to s.
func (in *Interner) Intern(s *Schema) *Schema {
	in.room = s.AppendJSON(in.room[:0])
	if old, ok := in.known[string(in.room)]; ok {
		return old
	}
	if in.known == nil {
		in.known = map[string]*Schema{}
	}
	if len(in.known) < maxInterned {
		in.known[string(in.room)] = s
	}
	return s
}

// AppendJSON appends the schema as JsonConverter writes it. Equal schemas give
// equal text.
func (s *Schema) AppendJSON(dst []byte) []byte { return jsonFormat{}.appendSchema(dst, s, nil) }
