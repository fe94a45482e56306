package options

// ConfigFile is a -config file as it was read.
type ConfigFile struct {
	Name    string
	Content []byte
}

// Imported is one option that an Importer made from foreign configuration.
type Imported struct {
	Name   string
	Text   string
	Source Source // of kind File
}

// Importer turns another program's configuration into options of this one. It is
// given all of it at once, because one file may complete another.
type Importer interface {
	// Claims reports whether the file is in the other program's form.
	Claims(content []byte) bool
	// Wants reports whether the environment alone is such a configuration.
	Wants(env []string) bool
	// Import returns the options, and everything that cannot be taken over. What an
	// option is given for on the command line or in the environment settles a doubt
	// about it.
	Import(files []ConfigFile, env []string, given func(option string) bool) ([]Imported, []error)
}

// SetImporter makes Parse offer -config files and the environment to i before it
// reads them itself. Imported options are weaker than name=value files.
func (s *Set) SetImporter(i Importer) { s.importer = i }

// importAll asks the importer about the files it claimed, if there is one.
func (s *Set) importAll(files []ConfigFile, env []string, stronger ...[]assignment) ([]assignment, []error) {
	if s.importer == nil || len(files) == 0 && !s.importer.Wants(env) {
		return nil, nil
	}
	given := func(name string) bool {
		for _, as := range stronger {
			for _, a := range as {
				if a.name == name {
					return true
				}
			}
		}
		return false
	}
	imported, mistakes := s.importer.Import(files, env, given)
	var out []assignment
	for _, e := range imported {
		if s.byName[e.Name] == nil {
			mistakes = append(mistakes, s.unknown("option ", e.Name, s.names()))
			continue
		}
		out = append(out, assignment{e.Name, e.Text, e.Source})
	}
	return out, mistakes
}
