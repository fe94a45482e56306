package main

import (
	"errors"
	"strings"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
)

// parseNames reads tables separated by commas.
func parseNames(text string) ([]catalog.Name, error) {
	var names []catalog.Name
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, err := catalog.ParseName(part)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// parseTime reads a moment; an empty text is none.
func parseTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, errors.New("is not a time like 2026-11-30T12:00:00Z")
	}
	if at.After(time.Now()) {
		return at, errors.New("is in the future, of which nobody can know that it is relayed")
	}
	return at, nil
}

func parseZone(text string) (*time.Location, error) {
	zone, err := time.LoadLocation(text)
	if err != nil || text == "Local" {
		return nil, errors.New("is not the name of a time zone like Europe/Berlin")
	}
	return zone, nil
}
