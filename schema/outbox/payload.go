package outbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// PayloadKind is what kind of column holds the payload.
type PayloadKind int

const (
	JSON  PayloadKind = iota // json or jsonb
	Text                     // text or varchar
	Bytes                    // bytea
)

// encode returns the payload as the driver takes it, nil for NULL, and its size in
// bytes as it will be sent. Text goes as a string, because a driver may take a
// []byte for bytea.
func (k PayloadKind) encode(payload any) (value any, size int, err error) {
	if payload == nil {
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
	var text []byte
	switch p := payload.(type) {
	case []byte:
		text = p
	case json.RawMessage:
		text = p
	default:
		var err error
		if text, err = json.Marshal(p); err != nil {
			return nil, 0, fmt.Errorf("the payload can not be marshaled: %w", err)
		}
		return string(text), printedSize(text), nil
	}
	if !json.Valid(text) {
		return nil, 0, fmt.Errorf("the payload is not valid JSON%s", where(text))
	}
	if !utf8.Valid(text) {
		return nil, 0, errors.New("the payload is JSON that is not UTF-8")
	}
	return string(text), printedSize(text), nil
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

// printedSize is how long JSON is once jsonb has put a blank behind each comma and
// colon. That a number like 1e300 is printed in full is not seen.
func printedSize(text []byte) int {
	size, quoted := len(text), false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			quoted = !quoted
		case '\\': // only within quotes; what follows may be one
			i++
		case ',', ':':
			if !quoted {
				size++
			}
		}
	}
	return size
}

func encodeText(payload any) (any, int, error) {
	var text string
	switch p := payload.(type) {
	case string:
		text = p
	case []byte:
		text = string(p)
	default:
		return nil, 0, fmt.Errorf("the payload is a %T; a text column takes string or []byte", payload)
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
	return nil, 0, fmt.Errorf("the payload is a %T; a bytea column takes []byte or string", payload)
}
