package schema

import "strconv"

// scalarText appends the string form of a value that is neither bytes nor a
// collection, as Java's toString has it.
func scalarText(dst []byte, v Value) []byte {
	switch v.Type {
	case TypeBoolean:
		return strconv.AppendBool(dst, v.Int != 0)
	case TypeFloat32:
		return appendJavaFloat(dst, v.Float, 32)
	case TypeFloat64:
		return appendJavaFloat(dst, v.Float, 64)
	case TypeString:
		return append(dst, v.Bytes...)
	case TypeDecimal:
		return appendBigDecimal(dst, v.Bytes, int(v.Int))
	case TypeNull:
		return append(dst, "null"...)
	default:
		return strconv.AppendInt(dst, v.Int, 10)
	}
}

// appendString appends what StringConverter writes of a collection or a number:
// Java's toString.
func appendString(dst []byte, s *Schema, v Value) []byte {
	switch v.Type {
	case TypeBytes:
		// A ByteBuffer tells its position and limit in place of its content.
		n := int64(len(v.Bytes))
		dst = strconv.AppendInt(append(dst, "java.nio.HeapByteBuffer[pos=0 lim="...), n, 10)
		dst = strconv.AppendInt(append(dst, " cap="...), n, 10)
		return append(dst, ']')
	case TypeArray:
		dst = append(dst, '[')
		for i := range v.Items {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendString(dst, s.Items, v.Items[i])
		}
		return append(dst, ']')
	case TypeMap:
		dst = append(dst, '{')
		for i := 0; i+1 < len(v.Items); i += 2 {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(appendString(dst, s.Keys, v.Items[i]), '=')
			dst = appendString(dst, s.Items, v.Items[i+1])
		}
		return append(dst, '}')
	case TypeStruct:
		return appendStructString(dst, s, v)
	default:
		return scalarText(dst, v)
	}
}

// appendStructString writes Struct{a=1,b=x}; fields that are null are left out.
func appendStructString(dst []byte, s *Schema, v Value) []byte {
	dst = append(dst, "Struct{"...)
	first := true
	for i := range s.Fields {
		if v.Items[i].IsNull() {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(dst, s.Fields[i].Name...), '=')
		dst = appendString(dst, s.Fields[i].Schema, v.Items[i])
	}
	return append(dst, '}')
}

// appendSimple appends what SimpleHeaderConverter writes for a header's value.
// Strings and bytes are quoted: this is for those inside a collection.
func appendSimple(dst []byte, s *Schema, v Value) []byte {
	switch v.Type {
	case TypeString:
		return appendQuoted(dst, v.Bytes)
	case TypeBytes:
		return appendBase64(dst, v.Bytes)
	case TypeArray:
		dst = append(dst, '[')
		for i := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendSimple(dst, s.Items, v.Items[i])
		}
		return append(dst, ']')
	case TypeMap:
		dst = append(dst, '{')
		for i := 0; i+1 < len(v.Items); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendSimple(dst, s.Keys, v.Items[i]), ':')
			dst = appendSimple(dst, s.Items, v.Items[i+1])
		}
		return append(dst, '}')
	case TypeStruct:
		dst = append(dst, '{')
		for i := range s.Fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendQuoted(dst, []byte(s.Fields[i].Name)), ':')
			dst = appendSimple(dst, s.Fields[i].Schema, v.Items[i])
		}
		return append(dst, '}')
	}
	if isJavaDate(s) {
		return appendJavaDate(dst, s, v.Int)
	}
	return scalarText(dst, v)
}

// appendQuoted quotes a string as Connect's Values does: only the quote and the
// backslash are escaped, control characters are not.
func appendQuoted(dst, text []byte) []byte {
	dst = append(dst, '"')
	for _, c := range text {
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// isJavaDate tells whether a value of s is a java.util.Date in Connect.
func isJavaDate(s *Schema) bool {
	if s == nil {
		return false
	}
	return s.Name == nameConnectDate || s.Name == nameConnectTime || s.Name == nameConnectStamp
}

// appendJavaDate writes a date as Connect's Values does: a moment before the end
// of 1970-01-01, also any before 1970, as its time of day; a whole day as a date.
// It is SimpleDateFormat that writes: years have no sign.
func appendJavaDate(dst []byte, s *Schema, n int64) []byte {
	const day = 86_400_000
	if s.Name == nameConnectDate {
		n *= day
	}
	days := floorDiv(n, day)
	inDay := n - days*day
	switch {
	case n < day:
	case inDay == 0:
		return appendCivil(dst, days)
	default:
		dst = append(appendCivil(dst, days), 'T')
	}
	return append(appendClock(dst, inDay*1000, 3), 'Z')
}
