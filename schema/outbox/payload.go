package outbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"
)

// PayloadKind is what kind of column holds the payload.
type PayloadKind int

const (
	JSON  PayloadKind = iota // json or jsonb; what only json takes is refused for both
	Text                     // text or varchar
	Bytes                    // bytea
)

// encode returns the payload as the driver takes it, nil for NULL, and its size in
// bytes as it will be sent. Text goes as a string, because a driver may take a
// []byte for bytea.
func (k PayloadKind) encode(payload any) (value any, size int, err error) {
	if p, ok := payload.(json.RawMessage); ok {
		payload = []byte(p)
	}
	if p, ok := payload.([]byte); payload == nil || ok && p == nil {
		return nil, 0, nil
	}
	switch k {
	case JSON:
		return encodeJSON(payload)
	case Text:
		return encodeText(payload)
	default:
		return encodeBytes(payload)
	}
}

func encodeJSON(payload any) (any, int, error) {
	text, given := payload.([]byte)
	if !given {
		var err error
		if text, err = marshal(payload); err != nil || text == nil {
			return nil, 0, err
		}
	}
	switch {
	case len(text) == 0:
		return nil, 0, errors.New("the payload is empty, which is not valid JSON; nil is NULL")
	case given && !json.Valid(text):
		return nil, 0, fmt.Errorf("the payload is not valid JSON%s", where(text))
	case !utf8.Valid(text):
		return nil, 0, errors.New("the payload is JSON that is not UTF-8")
	}
	size, err := measure(text)
	return string(text), size, err
}

// marshal returns the JSON of a value, none for a nil one.
func marshal(payload any) ([]byte, error) {
	text, err := json.Marshal(payload)
	if err != nil {
		return nil, fmt.Errorf("the payload can not be marshaled: %w", err)
	}
	if string(text) == "null" && isNil(payload) {
		return nil, nil
	}
	if holdsReplacement(text) {
		return nil, errors.New(`the payload became JSON with \ufffd, which encoding/json writes where a string is not UTF-8; ` +
			"give JSON that is meant so as a []byte")
	}
	return text, nil
}

// isNil is asked about what encoding/json made null of.
func isNil(payload any) bool {
	switch v := reflect.ValueOf(payload); v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return v.IsNil()
	}
	return false
}

// holdsReplacement reports the escape that encoding/json writes for a byte that is
// not UTF-8. It writes U+FFFD itself as it is, so what else could bring the escape is
// JSON that a json.Marshaler made.
func holdsReplacement(text []byte) bool {
	const escape = `\ufffd`
	for i := 0; ; {
		at := bytes.Index(text[i:], []byte(escape))
		if at < 0 {
			return false
		}
		i += at
		before := len(bytes.TrimRight(text[:i], `\`))
		if (i-before)%2 == 0 { // else the backslash is itself escaped
			return true
		}
		i += len(escape)
	}
}

// where tells the place of the first mistake, but not what is there: a payload does
// not belong into an error.
func where(text []byte) string {
	var syntax *json.SyntaxError
	if !errors.As(json.Unmarshal(text, new(json.RawMessage)), &syntax) {
		return ""
	}
	return fmt.Sprintf(": it breaks at byte %d of %d", syntax.Offset, len(text))
}

func encodeText(payload any) (any, int, error) {
	var text string
	switch p := payload.(type) {
	case string:
		text = p
	case []byte:
		text = string(p)
	default:
		return nil, 0, fmt.Errorf("the payload is a %T; a text column takes string, []byte or json.RawMessage", payload)
	}
	return text, len(text), named("the payload", storable(text))
}

func encodeBytes(payload any) (any, int, error) {
	switch p := payload.(type) {
	case []byte:
		return p, len(p), nil
	case string:
		return []byte(p), len(p), nil
	}
	return nil, 0, fmt.Errorf("the payload is a %T; a bytea column takes []byte, json.RawMessage or string", payload)
}
