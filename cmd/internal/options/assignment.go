package options

// assignment is one value for one option, before it is parsed.
type assignment struct {
	name   string
	text   string
	source Source
}

// last reports whether the last assignment to a bool option turned it on.
func last(as []assignment, name string) bool {
	on := false
	for _, a := range as {
		if a.name == name {
			on, _ = parseBool(a.text)
		}
	}
	return on
}

// configPaths returns the files to read: those of the command line, or else those of the environment.
func configPaths(sources ...[]assignment) []string {
	for _, as := range sources {
		var paths []string
		for _, a := range as {
			if a.name == configName {
				paths = append(paths, splitList(a.text)...)
			}
		}
		if len(paths) > 0 {
			return paths
		}
	}
	return nil
}
