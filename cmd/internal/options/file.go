package options

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Entry is one option as a configuration file has it.
type Entry struct {
	Name string
	Text string
	Line int // from 1; 0 if unknown
}

// Format reads one kind of configuration file. Which one a file has is told by its content, not by its name.
type Format interface {
	// Detect reports whether the content looks like this format.
	Detect(content []byte) bool
	// Entries returns the options in the file. Errors come as a list, to be reported together; each may be a
	// *LineError and must not quote the content, which may be secret.
	Entries(content []byte) ([]Entry, []error)
}

// LineError is a mistake in a line of a configuration file; the path is put in front of it.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the mistake without its line.
func (e *LineError) Unwrap() error { return e.Err }

// maxFile bounds a configuration file in bytes; a larger one was not meant to be one.
const maxFile = 1 << 20

// fileResult is what came of all -config files.
type fileResult struct {
	out      []assignment // a later file's behind those of an earlier one
	foreign  []ConfigFile // for the importer
	unread   bool         // one of them could not be read
	mistakes []error
}

func (s *Set) readFiles(paths []string) (r fileResult) {
	for _, path := range paths {
		content, err := readFile(path)
		if err != nil {
			r.unread, r.mistakes = true, append(r.mistakes, fmt.Errorf("-%s: %w", configName, err))
			continue
		}
		if s.importer != nil && s.importer.Claims(content) {
			r.foreign = append(r.foreign, ConfigFile{Name: path, Content: content})
			continue
		}
		as, errs := s.readContent(path, content)
		r.out, r.mistakes = append(r.out, as...), append(r.mistakes, errs...)
	}
	return r
}

// readFile reads a regular file or a pipe (/dev/stdin, <(...)) up to the bound.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxFile {
		return nil, fmt.Errorf("read %s: larger than %d bytes", path, maxFile)
	}
	return bytes.TrimPrefix(content, []byte("\ufeff")), nil
}

// readContent finds the format of a file and checks the names in it.
func (s *Set) readContent(path string, content []byte) ([]assignment, []error) {
	var out []assignment
	var mistakes []error
	entries, errs := s.format(content).Entries(content)
	for _, err := range errs {
		mistakes = append(mistakes, inFile(path, err))
	}
	if len(entries) == 0 && len(errs) == 0 {
		mistakes = append(mistakes, fmt.Errorf("%s: the file is empty: no option is in it", path))
	}
	seen := map[string]Source{}
	for _, e := range entries {
		at := Source{Kind: File, Where: path, Line: e.Line}
		if err := s.fileName(e.Name, seen); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s: %w", at.position(), err))
			continue
		}
		seen[e.Name] = at
		out = append(out, assignment{e.Name, e.Text, at})
	}
	return out, mistakes
}

// fileName says what is wrong with an option's name in a file.
func (s *Set) fileName(name string, seen map[string]Source) error {
	o := s.byName[name]
	if o == nil {
		return s.unknown("option ", name, s.names())
	}
	if o.onlyLine || name == configName {
		return fmt.Errorf("%s can be given on the command line only", name)
	}
	if first, again := seen[name]; again {
		return fmt.Errorf("%s is set twice, first at %s", name, first.position())
	}
	return nil
}

func (s *Set) format(content []byte) Format {
	for _, f := range s.formats {
		if f.Detect(content) {
			return f
		}
	}
	return Lines{}
}

func inFile(path string, err error) error {
	if at := (*LineError)(nil); errors.As(err, &at) {
		return fmt.Errorf("%s: %w", Source{Kind: File, Where: path, Line: at.Line}.position(), at.Err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Lines is the format of name=value lines. Blank lines and lines that start with # are skipped; blanks around
// name and value are dropped; everything else behind the first = is the value, a # too. A - before the name is
// allowed, so that flags can be pasted.
type Lines struct{}

// Detect accepts anything: Lines is the last format to be asked.
func (Lines) Detect([]byte) bool { return true }

// Entries returns one entry for each line that holds an option.
func (Lines) Entries(content []byte) ([]Entry, []error) {
	var out []Entry
	var mistakes []error
	n := 0
	for line := range strings.Lines(string(content)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, text, ok := strings.Cut(line, "=")
		name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "-"), "-")
		if !ok || name == "" {
			mistakes = append(mistakes, &LineError{n, errors.New("not of the form name=value")})
			continue
		}
		out = append(out, Entry{name, strings.TrimSpace(text), n})
	}
	return out, mistakes
}
