package dbzconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// placeholders resolves ${...} in values: those of Connect's config providers, of the environment, and Debezium
// Server's ${NAME:default}.
type placeholders struct {
	env       map[string]string
	readFile  func(string) ([]byte, error)
	providers map[string]provider  // by the name that the worker gives them
	server    bool                 // ${name} may be another key of the configuration
	property  func(string) *string // a key of the configuration as it is written, or nil
}

// provider is a kind of config provider.
type provider int

const (
	foreign provider = iota // one that only the worker can ask
	fromEnv
	fromFile
	fromDir
)

// usualProviders are the names that workers give to providers by custom.
var usualProviders = map[string]provider{"env": fromEnv, "file": fromFile, "dir": fromDir, "directory": fromDir}

// providerClasses are the providers that come with Kafka.
var providerClasses = map[string]provider{
	"org.apache.kafka.common.config.provider.EnvVarConfigProvider":    fromEnv,
	"org.apache.kafka.common.config.provider.FileConfigProvider":      fromFile,
	"org.apache.kafka.common.config.provider.DirectoryConfigProvider": fromDir,
}

// expand replaces the placeholders of a value. keep says which names are not placeholders but groups of a regular
// expression, so that ${routedByValue} stays. $${ stands for a ${ that is no placeholder; only where groups are kept,
// or in Debezium Server's files, is it that escape.
func (p *placeholders) expand(text string, keep func(string) bool) (string, error) {
	var out strings.Builder
	var errs []error
	for text != "" {
		start := strings.Index(text, "${")
		if start < 0 {
			break
		}
		end := placeholderEnd(text[start:])
		if end < 0 {
			break
		}
		before, ref := text[:start], text[start:start+end]
		text = text[start+end:]
		if (keep != nil || p.server) && (strings.HasSuffix(before, "$") || p.server && strings.HasSuffix(before, `\`)) {
			out.WriteString(before[:len(before)-1] + ref)
			continue
		}
		out.WriteString(before)
		value, err := p.reference(ref, keep)
		if err != nil {
			errs = append(errs, err)
		}
		out.WriteString(value)
	}
	out.WriteString(text)
	return out.String(), errors.Join(errs...)
}

// placeholderEnd returns the length of the placeholder with which text begins, placeholders inside it included; -1 if
// it does not end.
func placeholderEnd(text string) int {
	if strings.HasPrefix(text, "${{") {
		if end := strings.Index(text, "}}"); end >= 0 {
			return end + 2
		}
	}
	open := 0
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], "${"):
			open++
			i++
		case text[i] == '}':
			if open--; open == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// reference resolves one placeholder, braces and all.
func (p *placeholders) reference(ref string, keep func(string) bool) (string, error) {
	name := strings.TrimSuffix(strings.TrimPrefix(ref, "${"), "}")
	if keep != nil && keep(name) {
		return ref, nil
	}
	if strings.HasPrefix(name, "{") { // ${{NAME}} of a template
		name = strings.Trim(name, "{}")
	}
	if before, _, colon := strings.Cut(name, ":"); colon && p.foreign(before) {
		return p.lookup(name) // nobody here can ask it, whatever stands inside
	}
	if strings.Contains(name, "${") {
		inner, err := p.expand(name, nil)
		if err != nil {
			return "", err
		}
		name = inner
	}
	return p.lookup(name)
}

// provider returns the kind of a config provider. known is false if nothing names it.
func (p *placeholders) provider(name string) (kind provider, known bool) {
	if kind, known = p.providers[name]; !known {
		kind, known = usualProviders[name]
	}
	return kind, known
}

// foreign reports whether what stands before a colon is a config provider that only the worker can ask, and not the
// name of a variable with a default behind it.
func (p *placeholders) foreign(name string) bool {
	kind, known := p.provider(name)
	return known && kind == foreign || !known && !p.server && !variableName.MatchString(name) && !strings.Contains(name, "$")
}

// lookup finds the value of a placeholder.
func (p *placeholders) lookup(ref string) (string, error) {
	name, rest, colon := strings.Cut(ref, ":")
	if !colon {
		return p.variable(name, nil)
	}
	kind, known := p.provider(name)
	if !known && (p.server || variableName.MatchString(name)) {
		rest = strings.TrimPrefix(rest, "-") // ${NAME:-default}, as a shell has it
		return p.variable(name, &rest)
	}
	shown := "${" + ref + "}"
	switch kind {
	case fromEnv:
		value, err := p.variable(rest, nil)
		return value, err
	case fromFile:
		return p.file(shown, rest)
	case fromDir:
		path, key, _ := strings.Cut(rest, ":")
		return p.content(shown, path+"/"+key)
	}
	return "", fmt.Errorf("%s: only the Kafka Connect worker can ask its config provider %q", shown, name)
}

// variableName is how variables are spelled, as against the names of config providers.
var variableName = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)

// variable finds ${NAME}: a variable, for Debezium Server also another key of the configuration, or the default.
func (p *placeholders) variable(name string, def *string) (string, error) {
	if value, ok := p.env[name]; ok {
		return value, nil
	}
	if p.server {
		if value, ok := p.env[mangled(name)]; ok {
			return value, nil
		}
		if value := p.property(name); value != nil && !strings.Contains(*value, "${") {
			return *value, nil
		}
	}
	if def != nil {
		return *def, nil
	}
	return "", fmt.Errorf("the environment variable %s is not set", name)
}

var notInVariable = regexp.MustCompile(`[^A-Za-z0-9]`)

// mangled is the variable that may set a key, by the rule of MicroProfile Config.
func mangled(key string) string {
	return strings.ToUpper(notInVariable.ReplaceAllString(key, "_"))
}

// file finds ${file:path:key}, a key of a properties file. ${file:path} is the whole file: Kafka's own provider has no
// such thing and leaves the placeholder as it is, but it cannot have been meant otherwise.
func (p *placeholders) file(shown, ref string) (string, error) {
	path, key, ok := strings.Cut(ref, ":")
	if !ok {
		return p.content(shown, path)
	}
	content, err := p.read(shown, path)
	if err != nil {
		return "", err
	}
	properties, err := parseProperties(decodeText(content))
	if err != nil {
		return "", fmt.Errorf("%s: %w", shown, err)
	}
	value, found := "", false
	for _, q := range properties {
		if q.key == key {
			value, found = q.value, true
		}
	}
	if !found {
		return "", fmt.Errorf("%s: the file has no such key", shown)
	}
	return value, nil
}

// content is a whole file, without the newline at its end.
func (p *placeholders) content(shown, path string) (string, error) {
	content, err := p.read(shown, path)
	return strings.TrimRight(string(content), "\r\n"), err
}

func (p *placeholders) read(shown, path string) ([]byte, error) {
	if p.readFile == nil {
		return nil, fmt.Errorf("%s: files are not read here", shown)
	}
	content, err := p.readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file here", shown)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	return content, nil
}

// mark finds what templates leave for a later step to replace: @NAME@, __NAME__, {{ .Name }}.
var mark = regexp.MustCompile(`@[A-Z][A-Z0-9_]*@|__[A-Z]([A-Z0-9_]*[A-Z0-9])?__|\{\{.*?\}\}`)

// unfilled returns the template mark in a value, or "". In a secret only one that is the whole value counts: other
// passwords may look so by chance.
func unfilled(value string, secret bool) string {
	found := mark.FindString(value)
	if secret && found != value {
		return ""
	}
	return found
}
