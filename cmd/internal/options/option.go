package options

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Option is one declared option and, after Parse, its value's text and source.
type Option struct {
	name     string
	def      string // the default as text
	text     string // the effective value as text
	help     string
	word     string // what Usage calls the value
	bool     bool
	list     bool
	allowed  []string
	required bool
	hidden   bool
	onlyLine bool // makes no sense in the environment or a file
	show     func(string) string
	source   Source
	wrong    bool
	value    setter
}

// setter parses a text, checks it and stores it.
type setter interface{ set(text string) error }

// kind is what all options of one kind have in common.
type kind[T any] struct {
	word  string
	parse func(string) (T, error)
	bool  bool
	list  bool
}

// typed is a setter for a destination of type T.
type typed[T any] struct {
	dst    *T
	parse  func(string) (T, error)
	checks []func(T) error
}

func (t *typed[T]) set(text string) error {
	v, err := t.parse(text)
	if err != nil {
		return err
	}
	for _, check := range t.checks {
		if err := check(v); err != nil {
			return err
		}
	}
	*t.dst = v
	return nil
}

// assign stores one value. The error shows the value unless it is secret.
func (o *Option) assign(a assignment) error {
	text := a.text
	err := o.allow(text)
	if err == nil {
		err = o.value.set(text)
	}
	if err != nil {
		o.wrong = true
		return o.refusal(text, err)
	}
	o.text, o.source = text, a.source
	return nil
}

// allow checks the text against the allowed values; each member counts for a list.
func (o *Option) allow(text string) error {
	if len(o.allowed) == 0 {
		return nil
	}
	words := []string{text}
	if o.list {
		words = splitList(text)
	}
	for _, w := range words {
		if !slices.Contains(o.allowed, w) {
			return fmt.Errorf("is not one of %s", strings.Join(o.allowed, ", "))
		}
	}
	return nil
}

// refusal puts the value in front of the reason, as far as it may be shown. The reason itself may quote the value
// (that of a parser from elsewhere often does), so it is dropped for a secret one.
func (o *Option) refusal(text string, reason error) error {
	shown := o.show(text)
	if shown == text {
		return fmt.Errorf("%q %w", text, reason)
	}
	return fmt.Errorf("the value %s is not valid", shown)
}

// Attr is a property of an option beyond its kind and default.
type Attr func(*Option)

// Required refuses a configuration in which the option has no value or an empty one.
func Required() Attr { return func(o *Option) { o.required = true } }

// Hidden leaves the option out of Usage.
func Hidden() Attr { return func(o *Option) { o.hidden = true } }

// commandLineOnly keeps an option out of the environment and files.
func commandLineOnly(o *Option) { o.onlyLine = true }

// Hide is what stands in the place of a secret.
const Hide = "***"

// Secret shows the value nowhere: not in Usage, not in Effective, not in an error.
func Secret() Attr {
	return Shown(func(s string) string {
		if s == "" {
			return ""
		}
		return Hide
	})
}

// Shown gives the function that makes a value fit to be shown, for values that hold a secret among other things,
// as connection strings do.
func Shown(show func(string) string) Attr { return func(o *Option) { o.show = show } }

// OneOf allows these values only; for a list, these members only.
func OneOf(values ...string) Attr { return func(o *Option) { o.allowed = values } }

// Check adds a condition on values that were given (the default is trusted). T must be the type of the
// destination. The error is read behind the quoted value: "is not a valid slot name".
func Check[T any](check func(T) error) Attr {
	return func(o *Option) {
		t, ok := o.value.(*typed[T])
		if !ok {
			panic(fmt.Sprintf("options: check of %s is for another type", o.name))
		}
		t.checks = append(t.checks, check)
	}
}

// AtLeast refuses values below low, whose text goes into the error.
func AtLeast[T cmp.Ordered](low T) Attr {
	return Check(func(v T) error {
		if v < low {
			return fmt.Errorf("is less than %v", low)
		}
		return nil
	})
}

// AtMost refuses values above high.
func AtMost[T cmp.Ordered](high T) Attr {
	return Check(func(v T) error {
		if v > high {
			return fmt.Errorf("is more than %v", high)
		}
		return nil
	})
}

// NotEmpty refuses an empty text, for options whose empty value would be taken for something else.
func NotEmpty() Attr {
	return Check(func(s string) error {
		if strings.TrimSpace(s) == "" {
			return errors.New("is empty")
		}
		return nil
	})
}
