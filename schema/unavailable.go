package schema

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"strconv"
)

// Unavailable returns the text that stands for a value of this column which the
// server did not send, because it is stored apart and an UPDATE left it alone:
// Debezium's unavailable.value.placeholder in the form of the column's type. ok
// is false for a type that Debezium has no such form for.
func (c *Column) Unavailable(placeholder []byte) (text []byte, ok bool) {
	oid := c.base().TypeOID
	if base := c.base(); base.Type != nil && base.Type.Name == "hstore" {
		quoted := appendQuoted(nil, valid(placeholder))
		return append(append(bytes.Clone(quoted), "=>"...), quoted...), true
	}
	switch oid {
	case oidText, oidVarchar, oidBpchar, oidJSON, oidJSONB, oidXML, oidTsvector:
		return valid(placeholder), true
	case oidBytea:
		return appendHex(nil, placeholder), true
	}
	if elem, isArray := arrayElements[oid]; isArray {
		return unavailableArray(elem, placeholder)
	}
	if base := c.base(); oid >= firstUserOID && (base.Type == nil || textual[base.Type.Name]) {
		return valid(placeholder), true
	}
	return nil, false
}

// textual are extensions' types whose text is a string.
var textual = map[string]bool{"citext": true, "ltree": true, "isbn": true}

// unavailableArray is an array of one element, or of the placeholder's bytes if
// the elements are numbers.
func unavailableArray(elem uint32, placeholder []byte) ([]byte, bool) {
	switch elem {
	case oidText, oidVarchar, oidBpchar, oidJSON, oidJSONB:
		return append(appendQuoted([]byte{'{'}, valid(placeholder)), '}'), true
	case oidBytea:
		return append(appendQuoted([]byte{'{'}, appendHex(nil, placeholder)), '}'), true
	case oidUUID:
		return fmt.Appendf(nil, "{%s}", uuidOfName(placeholder)), true
	case oidInt4, oidInt8:
		text := []byte{'{'}
		for i, b := range placeholder {
			if i > 0 {
				text = append(text, ',')
			}
			text = strconv.AppendInt(text, int64(int8(b)), 10) // Java's bytes have a sign
		}
		return append(text, '}'), true
	}
	return nil, false
}

// uuidOfName is Java's UUID.nameUUIDFromBytes: version 3, without a namespace.
func uuidOfName(name []byte) string {
	u := md5.Sum(name)
	u[6] = u[6]&0x0f | 0x30
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

func appendHex(dst, b []byte) []byte { return hex.AppendEncode(append(dst, `\x`...), b) }

// valid is what Java's String makes of bytes.
func valid(b []byte) []byte { return bytes.ToValidUTF8(b, []byte("\uFFFD")) }

// base is the column itself, or the type under its domain as a column.
func (c *Column) base() *Column {
	if c.Type != nil && c.Type.Base != nil {
		return c.Type.Base.base()
	}
	return c
}
