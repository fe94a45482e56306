package dbzconfig

import (
	"bytes"
	"regexp"
	"strings"
)

// syntax is how a file is written.
type syntax int

const (
	propertiesSyntax syntax = iota
	jsonSyntax
	yamlSyntax
	variablesSyntax
)

// Detect reports whether the content is a configuration that Import reads, and not outbox-relay's own name=value
// lines. JSON and YAML always are; properties are if they have a key that only Kafka Connect or Debezium has.
func Detect(content []byte) bool {
	content = decoded(content)
	if syntaxOf(content) != propertiesSyntax || isVariables(content) {
		return true
	}
	properties, err := parseProperties(decodeText(content))
	if err != nil {
		return foreignLine.Match(content)
	}
	for _, p := range properties {
		if foreignProperty(p) {
			return true
		}
	}
	return foreignLine.Match(content)
}

// foreignLine finds lines of Debezium Server, also those that a semicolon was to turn into comments.
var foreignLine = regexp.MustCompile(`(?m)^[;\s]*(%[\w{},-]+\.)?(debezium\.(source|sink|format|transforms|predicates)\b|connector\.class\b)`)

// workerKeys begin keys that a Connect worker's file has and outbox-relay's own does not.
var workerKeys = []string{"plugin.path", "plugin.discovery", "offset.storage", "offset.flush", "config.storage", "status.storage",
	"group.id", "listeners", "rest.", "internal.key.converter", "internal.value.converter", "producer.", "config.providers", "quarkus."}

var transformType = regexp.MustCompile(`^transforms\.[^.]+\.type$`)

// foreignProperty reports whether outbox-relay itself would never write this.
func foreignProperty(p property) bool {
	switch p.key {
	case "connector.class", "transforms":
		return true
	case "key.converter", "value.converter", "header.converter":
		return strings.Contains(p.value, ".") // a class; our own names have no dots
	}
	if transformType.MatchString(p.key) {
		return true
	}
	for _, prefix := range workerKeys {
		if strings.HasPrefix(p.key, prefix) {
			return true
		}
	}
	return false
}

// WantsEnviron reports whether the environment holds a Debezium Server configuration.
func WantsEnviron(environ []string) bool { return len(serverVariables(environ)) > 0 }

// syntaxOf tells how the content is written. YAML has key: value lines and lines that open a block; a properties file
// has key=value lines.
func syntaxOf(content []byte) syntax {
	text := bytes.TrimSpace(content)
	if len(text) > 0 && (text[0] == '{' || text[0] == '[') && !bytes.HasPrefix(text, []byte("{{")) {
		return jsonSyntax
	}
	colons, equals := 0, 0
	for _, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' || line[0] == '!' || line[0] == ';' {
			continue
		}
		if opensYAML(line) {
			return yamlSyntax
		}
		switch colon := bytes.Index(line, []byte(": ")); {
		case colon >= 0 && (bytes.IndexByte(line, '=') < 0 || colon < bytes.IndexByte(line, '=')):
			colons++
		case bytes.IndexByte(line, '=') >= 0:
			equals++
		}
	}
	if colons > equals {
		return yamlSyntax
	}
	return propertiesSyntax
}

var yamlBlock = regexp.MustCompile(`^(---|- .*|["']?[\w./-]+["']?:)$`)

// opensYAML reports whether no properties file has such a line: a document's mark, a list's item, a key that opens a
// block.
func opensYAML(line []byte) bool {
	return bytes.HasPrefix(line, []byte("apiVersion:")) || yamlBlock.Match(line)
}
