package router

import (
	"errors"
	"fmt"
	"strings"
)

// place is where an additional column goes.
type place byte

const (
	inHeader place = iota
	inEnvelope
	asPartition
)

// placement is one element of table.fields.additional.placement.
type placement struct {
	column string
	place  place
	alias  string
}

// parsePlacement reads column:placement[:alias], separated by commas. Like
// Java's split it forgives empty parts at the end. It reports all that Debezium
// rejects, and what it accepts only to fail at the first record: an unknown
// placement, an alias that the envelope has already.
func parsePlacement(list string) ([]placement, error) {
	const option = "table.fields.additional.placement"
	if list == "" {
		return nil, nil
	}
	var errs []error
	var out []placement
	inUse := map[string]bool{"payload": true}
	for _, element := range splitJava(list, ",") {
		p, err := parseElement(element)
		if err == nil && p.place == inEnvelope {
			if inUse[p.alias] {
				err = fmt.Errorf("the envelope has two fields named %q", p.alias)
			}
			inUse[p.alias] = true
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("-%s: %q: %w", option, element, err))
		}
		out = append(out, p)
	}
	return out, errors.Join(errs...)
}

func parseElement(element string) (placement, error) {
	parts := splitJava(element, ":")
	if len(parts) != 2 && len(parts) != 3 {
		return placement{}, errors.New("write column:placement or column:placement:alias")
	}
	for i := range parts {
		parts[i] = trimJava(parts[i])
	}
	p := placement{column: parts[0], alias: parts[0]}
	if p.column == "" {
		return p, errors.New("the column's name is missing")
	}
	if len(parts) == 3 {
		p.alias = parts[2]
	}
	switch strings.ToLower(parts[1]) {
	case "header":
		p.place = inHeader
	case "envelope":
		p.place = inEnvelope
	case "partition":
		p.place = asPartition
	default:
		return p, fmt.Errorf("placement %q is none of header, envelope, partition", parts[1])
	}
	return p, nil
}

// splitJava splits as String.split does: empty parts at the end are dropped.
func splitJava(s, sep string) []string {
	parts := strings.Split(s, sep)
	for len(parts) > 0 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	return parts
}

// trimJava trims as String.trim does: everything up to the blank, and nothing
// of Unicode's other white space.
func trimJava(s string) string {
	return strings.TrimFunc(s, func(c rune) bool { return c <= ' ' })
}
