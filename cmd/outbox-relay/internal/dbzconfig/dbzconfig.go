// Package dbzconfig reads configurations that were written for Debezium's Outbox Event Router and turns them into
// flags of outbox-relay: connector JSON, Strimzi and other YAML, Java properties of Kafka Connect and of Debezium
// Server, and DEBEZIUM_* variables.
//
// It promises three things. Nothing that changes a record is dropped in silence: an option is honored, or it cannot
// matter here (the table in registry_*.go has the reason), or it is refused by name. Nothing is guessed: where the
// bytes depend on something that is not in the files, the refusal says which flag decides. And all that is wrong is
// reported at once.
//
// The package does no I/O of its own. Placeholders that stand for files are read through a function of the caller.
package dbzconfig

// File is one configuration file.
type File struct {
	Name    string // how messages call it; a path as the operator gave it
	Content []byte
}

// Input is all that a configuration may come from.
type Input struct {
	// Files in the order of -config. They merge: of the same key the later one counts, and a worker's file answers
	// what the connector leaves to its worker.
	Files []File
	// Environ is the environment, as os.Environ gives it. DEBEZIUM_* names are Debezium Server's configuration and
	// beat the files; any name may be what a placeholder stands for.
	Environ []string
	// ReadFile reads the file that a placeholder names. Nil resolves no such placeholder.
	ReadFile func(path string) ([]byte, error)
	// Strict turns keys that Debezium would ignore into refusals.
	Strict bool
}

// Result is what a configuration comes to.
type Result struct {
	Flags    []Flag    // in the order of the registry; each name once
	Notices  []string  // what the operator should know; the relay can run
	Ignored  []Unknown // keys that Debezium would ignore too
	Refusals []error   // each a *Refusal; the relay must not run unless Settle drops it
}

// Unknown is a key that no option answers to.
type Unknown struct {
	Source  Source
	Nearest string // the option that may be meant, or ""
	Why     string // if there is more to say than that it is unknown
}

// Key returns the key as it is spelled in its file.
func (u Unknown) Key() string { return u.Source.Key }

// String is one line for the warning that lists them.
func (u Unknown) String() string {
	out := u.Source.String()
	if u.Why != "" {
		out += ": " + u.Why
	}
	if u.Nearest != "" {
		out += "; did you mean " + u.Nearest + "?"
	}
	return out
}

// Import reads the files and the environment. Everything wrong with them is in the result's Refusals.
func Import(in Input) Result {
	im := newImporter(in)
	im.run()
	return im.result()
}
