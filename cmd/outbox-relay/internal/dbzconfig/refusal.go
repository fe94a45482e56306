package dbzconfig

import "slices"

// Refusal is a reason why a configuration cannot be taken as it is.
type Refusal struct {
	Source Source // zero if it is about the whole
	// Flags settle the matter: if a stronger source sets one of them, what the configuration says does not count.
	Flags  []string
	Reason string
}

// Error is the source and the reason.
func (r *Refusal) Error() string {
	if where := r.Source.String(); where != "" {
		return where + ": " + r.Reason
	}
	return r.Reason
}

// unresolved reports whether a flag's value is not known.
func (r Result) unresolved(flag string) bool {
	return slices.ContainsFunc(r.Flags, func(f Flag) bool { return f.Name == flag && f.Unresolved != nil })
}

// Settle decides what is left for the caller. given reports whether a stronger source (the command line, or the
// program's own environment variables) sets a flag. The first result is the flags to use; a flag that is given is
// left out if the two could not stand together. The second is what still keeps the relay from running: refusals that
// no given flag settles, and values that could not be resolved.
func (r Result) Settle(given func(flag string) bool) ([]Flag, []error) {
	var flags []Flag
	var errs []error
	for _, err := range r.Refusals {
		if refusal, ok := err.(*Refusal); !ok || !slices.ContainsFunc(refusal.Flags, given) {
			errs = append(errs, err)
		}
	}
	for _, f := range r.Flags {
		settled := given(f.Name) || slices.ContainsFunc(alternatives[f.Name], given)
		switch {
		case f.With != "" && !given(f.With) && r.unresolved(f.With):
		case f.Unresolved != nil && !settled:
			errs = append(errs, &Refusal{Source: f.Source, Flags: []string{f.Name}, Reason: f.Unresolved.Error()})
		case f.Unresolved != nil:
		case exclusive[f.Name] != "" && given(exclusive[f.Name]):
		default:
			flags = append(flags, f)
		}
	}
	return flags, errs
}
