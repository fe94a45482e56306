package catalog

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Name is that of a table, with its schema.
type Name struct{ Schema, Table string }

// ParseName reads schema.table, or table alone for the schema public. The parts are taken as they are; one with a dot in it is put into
// double quotes.
func ParseName(text string) (Name, error) {
	parts, err := splitName(strings.TrimSpace(text))
	switch {
	case err != nil:
		return Name{}, err
	case len(parts) == 1 && parts[0] != "":
		return Name{"public", parts[0]}, nil
	case len(parts) == 2 && parts[0] != "" && parts[1] != "":
		return Name{parts[0], parts[1]}, nil
	}
	return Name{}, errors.New("is not a table's name like schema.table")
}

func splitName(text string) ([]string, error) {
	var parts []string
	for {
		var part string
		if strings.HasPrefix(text, `"`) {
			end := strings.Index(text[1:], `"`)
			if end < 0 {
				return nil, errors.New("has a double quote without its twin")
			}
			part, text = text[1:end+1], text[end+2:]
			if text != "" && text[0] != '.' {
				return nil, errors.New("goes on behind a double quote")
			}
		} else {
			end := strings.IndexByte(text+".", '.')
			part, text = text[:end], text[end:]
		}
		parts = append(parts, part)
		if text == "" {
			return parts, nil
		}
		text = text[1:]
	}
}

// String is schema.table, for messages.
func (n Name) String() string { return n.Schema + "." + n.Table }

// SQL is the name as an identifier.
func (n Name) SQL() string { return pgx.Identifier{n.Schema, n.Table}.Sanitize() }

// Quote is a single identifier.
func Quote(name string) string { return pgx.Identifier{name}.Sanitize() }
