package dbzconfig

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Status is what becomes of an option.
type Status int

const (
	// Honored: the option becomes a flag, or the import itself acts on it.
	Honored Status = iota
	// Irrelevant: it cannot change a record here; Reason says why.
	Irrelevant
	// Refused: it changes records, or may, and the relay cannot do the same; Reason says what.
	Refused
	// Obsolete: an older release's name for NewName.
	Obsolete
)

// String is the word in the documentation's table.
func (s Status) String() string {
	return [...]string{"honored", "irrelevant", "refused", "obsolete"}[s]
}

// Scope is where an option stands, and the heading of its table in the documentation.
type Scope int

const (
	Connector Scope = iota // Debezium's connector for PostgreSQL
	Connect                // a connector's options that Kafka Connect itself reads
	Router                 // transforms.<alias>.
	Converter              // key.converter. value.converter. header.converter.
	Transform              // transforms.<alias>. of other transforms, predicates.<name>.
	Producer               // producer. producer.override. debezium.sink.kafka.producer.
	Worker                 // the Connect worker's own file
	Server                 // debezium.
	scopes
)

// Option is what the relay does about one option of Debezium, Kafka Connect or the producer. The table of all of them
// is the source of the import and of the documentation both.
type Option struct {
	Name    string // as it is spelled there; a * at the end stands for anything
	Scope   Scope
	Status  Status
	Flag    string // of an honored option, if its name is another than the option's; noFlag if the import itself acts on it
	NewName string // of an obsolete option
	Default string // what Debezium takes if it is not set, where that matters here
	Reason  string // why it is irrelevant or refused; of an honored one a remark
	// Harmless are values of a refused option with which there is nothing to refuse: mostly its default.
	Harmless []string
	// Tell makes the Reason a notice whenever an irrelevant option is set to a value that is not Harmless.
	Tell bool
	// Settles is the flag by which an operator overrules a refusal; "" if there is none.
	Settles string

	value   valueKind
	allowed []string          // the words of an enumeration, if the flag itself would name a wrong one in another spelling
	words   map[string]string // values that have another name here
	read    func(*importer, *Option, setting)
}

// noFlag is the Flag of an option that the import acts on.
const noFlag = "-"

// flag is the name of the flag that an honored option sets.
func (o *Option) flag() string {
	if o.Flag != "" {
		return o.Flag
	}
	return o.Name
}

// harmless reports whether the value is one that changes nothing.
func (o *Option) harmless(value string) bool {
	return slices.ContainsFunc(o.Harmless, func(h string) bool { return strings.EqualFold(h, strings.TrimSpace(value)) })
}

// valueKind is how Debezium reads a value.
type valueKind int

const (
	words    valueKind = iota // as it is
	enum                      // one of a few words, in any case and with blanks around it
	boolean                   // true or false, likewise
	number                    // blanks around it are dropped
	capitals                  // an enumeration that the flag has in capitals
)

var (
	errBoolean = errors.New("is neither true nor false; Kafka Connect and Debezium take nothing else")
	errNumber  = errors.New("is not a whole number")
)

// normal is the value as the flag takes it.
func (o *Option) normal(value string) (string, error) {
	switch o.value {
	case enum:
		value = strings.ToLower(strings.TrimSpace(value))
	case capitals:
		written := value
		if value = strings.ToUpper(strings.TrimSpace(value)); !slices.Contains(o.allowed, value) {
			return written, fmt.Errorf("is none of %s", strings.Join(o.allowed, ", "))
		}
	case boolean:
		value = strings.ToLower(strings.TrimSpace(value))
		if value != "true" && value != "false" {
			return "", errBoolean
		}
	case number:
		value = strings.TrimSpace(value)
		if _, err := strconv.ParseInt(value, 10, 64); err != nil {
			return "", errNumber
		}
	}
	if word, ok := o.words[value]; ok {
		value = word
	}
	return value, nil
}

// matches reports whether the option's name stands for the key.
func (o *Option) matches(key string) bool {
	if prefix, ok := strings.CutSuffix(o.Name, "*"); ok {
		return strings.HasPrefix(key, prefix)
	}
	return key == o.Name
}
