package compat_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/outbox-relay/outbox-relay/test/debezium"
)

// configuration is one connector, as a user would configure Debezium, with its tables.
type configuration struct {
	name    string // also the first part of its topics
	options map[string]string
	tables  []table
	before  []string // statements before Debezium and the relay start
	early   bool     // there are rows before Debezium and the relay start, too
	later   []string // statements after the rows
	full    bool     // only compared with -full

	// unfit chooses values that are not compared, because Debezium fails at them or loses them; they become NULL.
	unfit func(k kind, value string) bool
}

// Classes of Connect's converters.
const (
	stringConverter = "org.apache.kafka.connect.storage.StringConverter"
	jsonConverter   = "org.apache.kafka.connect.json.JsonConverter"
	binaryConverter = "io.debezium.converters.BinaryDataConverter"
)

// Converters, as groups of options.
var (
	asText    = options{"key.converter": stringConverter, "value.converter": stringConverter}
	asSchemas = options{"key.converter": jsonConverter, "value.converter": jsonConverter}
	asJSON    = options{
		"key.converter": jsonConverter, "key.converter.schemas.enable": "false",
		"value.converter": jsonConverter, "value.converter.schemas.enable": "false",
	}
	headersAsSchemas = options{"header.converter": jsonConverter}
	headersAsJSON    = options{"header.converter": jsonConverter, "header.converter.schemas.enable": "false"}
	headersAsText    = options{"header.converter": stringConverter}
)

// options are a connector's options. Those of the router stand without "transforms.outbox.".
type options map[string]string

// join adds groups of options; later ones win.
func join(groups ...options) options {
	all := options{}
	for _, g := range groups {
		maps.Copy(all, g)
	}
	return all
}

// connector is the configuration as Connect takes it, for a database of a server.
func (c configuration) connector(port int, database, slot string) debezium.Connector {
	all := map[string]string{
		"connector.class":             "io.debezium.connector.postgresql.PostgresConnector",
		"plugin.name":                 "pgoutput",
		"database.hostname":           "127.0.0.1",
		"database.port":               strconv.Itoa(port),
		"database.user":               "postgres",
		"database.password":           "postgres",
		"database.dbname":             database,
		"topic.prefix":                c.name,
		"slot.name":                   slot,
		"publication.name":            slot,
		"publication.autocreate.mode": "filtered",
		"table.include.list":          `public\.outbox.*`,
		"snapshot.mode":               "no_data",
		"extended.headers.enabled":    "false",
		"poll.interval.ms":            "100",
		"transforms":                  "outbox",
		"transforms.outbox.type":      "io.debezium.transforms.outbox.EventRouter",
		"transforms.outbox.route.topic.replacement": c.name + ".${routedByValue}",
	}
	for name, value := range c.options {
		if ofRouter(name) && !strings.HasPrefix(name, "transforms.") {
			name = "transforms.outbox." + name
		}
		all[name] = value
	}
	return debezium.Connector{Name: c.name, Config: all}
}

func ofRouter(option string) bool {
	return strings.HasPrefix(option, "table.") && !strings.HasSuffix(option, "clude.list") || strings.HasPrefix(option, "route.")
}

// json is the text of a connector's configuration, as a file.
func text(c debezium.Connector) ([]byte, error) { return json.MarshalIndent(c, "", "  ") }

// placed is the option that sends columns both as headers and in the envelope.
func placed(columns []kind, places ...string) options {
	var list []string
	for _, c := range columns {
		for _, place := range places {
			list = append(list, c.column+":"+place)
		}
	}
	return options{"table.fields.additional.placement": strings.Join(list, ","), "table.field.additional.missing": "ignore"}
}

// typed compares columns of some types as headers and in the envelope.
func typed(name string, columns []kind, more ...options) configuration {
	return configuration{
		name: name, tables: []table{{columns: columns}},
		options: join(append([]options{placed(columns, "header", "envelope")}, more...)...),
	}
}

// headed compares columns of some types as headers alone.
func headed(name string, columns []kind, more ...options) configuration {
	return configuration{
		name: name, tables: []table{{columns: columns}},
		options: join(append([]options{placed(columns, "header")}, more...)...),
	}
}

// keyed compares some types as key and as payload, each in a table of its own.
func keyed(name string, columns []kind, more ...options) configuration {
	c := configuration{name: name, options: join(more...), tables: []table{{}}}
	for _, k := range columns {
		payload := k
		payload.column = ""
		c.tables = append(c.tables, table{name: "outbox_" + k.column, key: payload, payload: payload})
	}
	return c
}

// without leaves some columns out.
func without(columns []kind, names ...string) []kind {
	return slices.DeleteFunc(slices.Clone(columns), func(k kind) bool { return slices.Contains(names, k.column) })
}

// choose takes some columns.
func choose(columns []kind, names ...string) []kind {
	return slices.DeleteFunc(slices.Clone(columns), func(k kind) bool { return !slices.Contains(names, k.column) })
}
