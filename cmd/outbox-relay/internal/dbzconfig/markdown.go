package dbzconfig

import (
	"fmt"
	"strings"
)

// headings are the titles of the tables in the documentation.
var headings = [scopes]string{
	Connector: "Connector for PostgreSQL",
	Connect:   "Kafka Connect, for the connector",
	Router:    "Event Router (`transforms.<alias>.`)",
	Converter: "Converters (`key.converter.`, `value.converter.`, `header.converter.`)",
	Transform: "Other transforms and predicates",
	Producer:  "Producer (`producer.`, `producer.override.`, `debezium.sink.kafka.producer.`)",
	Worker:    "Kafka Connect worker",
	Server:    "Debezium Server",
}

// Markdown is the table of all options for the documentation.
func Markdown() string {
	var b strings.Builder
	options := Options()
	for scope := range scopes {
		fmt.Fprintf(&b, "### %s\n\n| option | here | flag, or why |\n|---|---|---|\n", headings[scope])
		for _, o := range options {
			if o.Scope == scope {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", o.Name, o.Status, strings.ReplaceAll(o.explanation(), "|", `\|`))
			}
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// explanation is the last column of the table.
func (o *Option) explanation() string {
	var parts []string
	switch {
	case o.Status == Honored && o.Scope == Converter && o.Flag != noFlag:
		parts = append(parts, "`-key.converter."+o.flag()+"` and so on")
	case o.Status == Honored && o.Flag != noFlag:
		parts = append(parts, "`-"+o.flag()+"`")
	case o.Status == Obsolete:
		parts = append(parts, "now `"+o.NewName+"`")
	}
	if o.Reason != "" {
		parts = append(parts, strings.ReplaceAll(o.Reason, "<", "&lt;"))
	}
	if o.Default != "" {
		parts = append(parts, "default `"+o.Default+"`")
	}
	var harmless []string
	for _, h := range o.Harmless {
		if h != "" {
			harmless = append(harmless, "`"+h+"`")
		}
	}
	if len(harmless) > 0 {
		parts = append(parts, "harmless: "+strings.Join(harmless, ", "))
	}
	return strings.Join(parts, "; ")
}
