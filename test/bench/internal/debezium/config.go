// Package debezium runs Debezium's PostgreSQL connector with the Outbox Event Router in a standalone Kafka Connect
// worker, as the one the relay is measured beside.
package debezium

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Tuning is a set of options that differ from the defaults.
type Tuning int

const (
	// Defaults changes nothing that could matter for speed.
	Defaults Tuning = iota
	// Throughput is for draining a backlog: larger queues and batches.
	Throughput
	// Latency is for the shortest way of a single row: no waiting for more.
	Latency
)

// String is a short description for tables.
func (t Tuning) String() string {
	return [...]string{Defaults: "defaults", Throughput: "tuned", Latency: "tuned"}[t]
}

// Config says what to relay.
type Config struct {
	Host, User, Password, Database string
	Port                           int
	Slot, Publication, Table       string // slot and publication must exist; the table with its schema
	Bootstrap                      string
	Topics                         string // the route's replacement, with ${routedByValue}
	Tuning                         Tuning
}

// connector is what the tunings change in the connector's configuration.
func (t Tuning) connector() map[string]string {
	switch t {
	case Throughput:
		return map[string]string{"max.batch.size": "8192", "max.queue.size": "32768", "poll.interval.ms": "10"}
	case Latency:
		return map[string]string{"poll.interval.ms": "2"}
	}
	return nil
}

// worker is what the tunings change in the worker's configuration.
func (t Tuning) worker() map[string]string {
	switch t {
	case Throughput:
		return map[string]string{"producer.linger.ms": "5", "producer.batch.size": "524288", "producer.buffer.memory": "67108864"}
	case Latency:
		return map[string]string{"producer.linger.ms": "0"}
	}
	return nil
}

// Describe lists all that the tuning changes, as name=value.
func (t Tuning) Describe() string {
	all := t.connector()
	if all == nil {
		return "nothing"
	}
	maps.Copy(all, t.worker())
	var list []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		list = append(list, name+"="+all[name])
	}
	return strings.Join(list, ", ")
}

// connectorJSON is the file that describes the connector.
func (c Config) connectorJSON() ([]byte, error) {
	settings := map[string]string{
		"connector.class":             "io.debezium.connector.postgresql.PostgresConnector",
		"tasks.max":                   "1",
		"plugin.name":                 "pgoutput",
		"database.hostname":           c.Host,
		"database.port":               strconv.Itoa(c.Port),
		"database.user":               c.User,
		"database.password":           c.Password,
		"database.dbname":             c.Database,
		"topic.prefix":                "bench",
		"slot.name":                   c.Slot,
		"publication.name":            c.Publication,
		"publication.autocreate.mode": "disabled",
		"table.include.list":          c.Table,
		"snapshot.mode":               "no_data",
		"tombstones.on.delete":        "false",
		"transforms":                  "outbox",
		"transforms.outbox.type":      "io.debezium.transforms.outbox.EventRouter",
		"transforms.outbox.route.topic.replacement": c.Topics,
	}
	maps.Copy(settings, c.Tuning.connector())
	text, err := json.MarshalIndent(map[string]any{"name": "outbox", "config": settings}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the connector's configuration: %w", err)
	}
	return text, nil
}

// workerProperties is the file that describes the worker. Strings as converters give the record bytes that the relay
// writes; the default, JSON with a schema in each record, would be slower.
func (c Config) workerProperties(port int, offsets, plugins string) string {
	settings := map[string]string{
		"bootstrap.servers":            c.Bootstrap,
		"key.converter":                "org.apache.kafka.connect.storage.StringConverter",
		"value.converter":              "org.apache.kafka.connect.storage.StringConverter",
		"offset.storage.file.filename": offsets,
		"listeners":                    fmt.Sprintf("http://127.0.0.1:%d", port),
		"plugin.discovery":             "service_load",
		"plugin.path":                  plugins,
	}
	maps.Copy(settings, c.Tuning.worker())
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "%s=%s\n", name, strings.ReplaceAll(settings[name], `\`, `\\`))
	}
	return b.String()
}
