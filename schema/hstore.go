package schema

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf16"
)

// hstoreKind is hstore under hstore.handling.mode.
func (o TypeOptions) hstoreKind() (kind, error) {
	switch o.HStoreHandling {
	case "", "json":
		return kind{schema: named(TypeString, nameJSON), decode: decodeHStoreJSON, noDefault: true}, nil
	case "map":
		return kind{
			schema:    Schema{Type: TypeMap, Keys: &Schema{Type: TypeString}, Items: &Schema{Type: TypeString, Optional: true}},
			decode:    decodeHStore,
			noDefault: true,
		}, nil
	}
	return kind{}, fmt.Errorf("-hstore.handling.mode: %q is neither json nor map", o.HStoreHandling)
}

// decodeHStore reads "k"=>"v", "n"=>NULL. The pairs come in the order of Java's
// HashMap, through which Debezium passes them.
func decodeHStore(text, buf []byte) (Value, []byte, error) {
	v := Value{Type: TypeMap, Items: []Value{}}
	for len(text) > 0 {
		var key, value Value
		var ok bool
		key, text, buf, ok = hstoreString(text, buf)
		text, ok = cutPrefix(text, "=>", ok)
		if !ok {
			return Value{}, buf, errSyntax
		}
		if rest, isNull := bytes.CutPrefix(text, []byte("NULL")); isNull {
			text = rest
		} else if value, text, buf, ok = hstoreString(text, buf); !ok {
			return Value{}, buf, errSyntax
		}
		v.Items = append(v.Items, key, value)
		if len(text) == 0 {
			break
		}
		if text, ok = cutPrefix(text, ", ", true); !ok {
			return Value{}, buf, errSyntax
		}
	}
	javaHashOrder(v.Items)
	return v, buf, nil
}

func hstoreString(text, buf []byte) (v Value, rest, newBuf []byte, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		return Value{}, text, buf, false
	}
	start := len(buf)
	buf, rest, ok = unquote(buf, text)
	return Value{Type: TypeString, Bytes: notNil(buf[start:])}, rest, buf, ok
}

func cutPrefix(text []byte, prefix string, ok bool) ([]byte, bool) {
	rest, found := bytes.CutPrefix(text, []byte(prefix))
	return rest, ok && found
}

// decodeHStoreJSON writes the pairs as a JSON object. Debezium's generator for
// it keeps characters beyond U+FFFF as they are.
func decodeHStoreJSON(text, buf []byte) (Value, []byte, error) {
	v, buf, err := decodeHStore(text, buf)
	if err != nil {
		return v, buf, err
	}
	start := len(buf)
	buf = append(buf, '{')
	for i := 0; i < len(v.Items); i += 2 {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(appendJSONCharacters(buf, v.Items[i].Bytes), ':')
		if v.Items[i+1].IsNull() {
			buf = append(buf, "null"...)
		} else {
			buf = appendJSONCharacters(buf, v.Items[i+1].Bytes)
		}
	}
	buf = append(buf, '}')
	return Value{Type: TypeString, Bytes: buf[start:]}, buf, nil
}

// appendJSONCharacters quotes text as Jackson's character generator does: only
// what JSON demands is escaped.
func appendJSONCharacters(dst, text []byte) []byte {
	dst = append(dst, '"')
	for _, c := range text {
		if c < 0x20 || c == '"' || c == '\\' {
			dst = appendEscape(dst, []byte{c})
		} else {
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// javaHashOrder sorts key-value pairs into the order in which a java.util.HashMap
// with these keys is read: by bucket, and within a bucket as they came. (A bucket
// of more than eight becomes a tree in Java, which keeps that order, too.)
func javaHashOrder(pairs []Value) {
	n := len(pairs) / 2
	buckets := uint32(16)
	for n > int(buckets)*3/4 {
		buckets *= 2
	}
	type entry struct {
		bucket     uint32
		key, value Value
	}
	entries := make([]entry, n)
	for i := range entries {
		h := javaHash(pairs[2*i].Bytes)
		entries[i] = entry{(h ^ h>>16) & (buckets - 1), pairs[2*i], pairs[2*i+1]}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return int(a.bucket) - int(b.bucket) })
	for i, e := range entries {
		pairs[2*i], pairs[2*i+1] = e.key, e.value
	}
}

// javaHash is String.hashCode: over UTF-16 units.
func javaHash(text []byte) uint32 {
	var h uint32
	for _, u := range utf16.Encode([]rune(string(text))) {
		h = 31*h + uint32(u)
	}
	return h
}
