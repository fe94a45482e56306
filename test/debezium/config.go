package debezium

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Config says which worker to run.
type Config struct {
	// Bootstrap is the list of Kafka brokers, host:port separated by commas.
	Bootstrap string

	// Dir is the folder of the worker: its offsets, configuration and nothing else. A worker that is started again with
	// the same folder goes on where the last one has committed its offsets.
	Dir string

	// Settings are lines of the worker's properties. They override the defaults of this package, which are the
	// converters that most outbox tables are read with (StringConverter) and otherwise Connect's own.
	Settings map[string]string

	// Connectors are started with the worker. More can be created later.
	Connectors []Connector

	// HeapMB is the largest heap in megabytes. Defaults to 2048, Connect's own default.
	HeapMB int

	// LogLevel is that of slf4j-simple: trace, debug, info, warn or error. Defaults to warn.
	LogLevel string
}

// Connector is one connector as Connect's REST interface takes it.
type Connector struct {
	Name   string            `json:"name"`
	Config map[string]string `json:"config"`
}

// PropertiesFile is where Start writes the worker's properties, for programs that read them too.
func (c Config) PropertiesFile() string { return filepath.Join(c.Dir, "connect.properties") }

// OffsetsFile is where the worker keeps the offsets of its connectors. Removing it while no worker runs makes them
// start anew.
func (c Config) OffsetsFile() string { return filepath.Join(c.Dir, "offsets") }

// ConnectorFile is where Start writes the configuration of a connector it starts with.
func (c Config) ConnectorFile(name string) string { return filepath.Join(c.Dir, name+".json") }

// pluginDir is empty: all classes are on the class path, and Connect demands a folder to look for others.
func (c Config) pluginDir() string { return filepath.Join(c.Dir, "plugins") }

func (c Config) withDefaults() Config {
	if c.HeapMB == 0 {
		c.HeapMB = 2048
	}
	if c.LogLevel == "" {
		c.LogLevel = "warn"
	}
	return c
}

// properties is the text of the worker's properties.
func (c Config) properties(port int) string {
	settings := map[string]string{
		"bootstrap.servers":            c.Bootstrap,
		"key.converter":                "org.apache.kafka.connect.storage.StringConverter",
		"value.converter":              "org.apache.kafka.connect.storage.StringConverter",
		"offset.storage.file.filename": c.OffsetsFile(),
		"listeners":                    fmt.Sprintf("http://127.0.0.1:%d", port),
		"plugin.discovery":             "service_load", // looks at manifests only, which saves a second
		"plugin.path":                  c.pluginDir(),
	}
	maps.Copy(settings, c.Settings)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "%s=%s\n", name, strings.ReplaceAll(settings[name], `\`, `\\`))
	}
	return b.String()
}

// write writes all files of the configuration.
func (c Config) write(port int) error {
	if err := os.MkdirAll(c.pluginDir(), 0o755); err != nil {
		return fmt.Errorf("make a folder for Connect: %w", err)
	}
	if err := os.WriteFile(c.PropertiesFile(), []byte(c.properties(port)), 0o600); err != nil {
		return fmt.Errorf("write the properties of the Connect worker: %w", err)
	}
	for _, connector := range c.Connectors {
		text, err := json.MarshalIndent(connector, "", "  ")
		if err != nil {
			return fmt.Errorf("write the configuration of connector %q: %w", connector.Name, err)
		}
		if err := os.WriteFile(c.ConnectorFile(connector.Name), text, 0o600); err != nil {
			return fmt.Errorf("write the configuration of connector %q: %w", connector.Name, err)
		}
	}
	return nil
}

// arguments are those of java.
func (c Config) arguments(jars string) []string {
	const logger = "-Dorg.slf4j.simpleLogger."
	args := []string{
		fmt.Sprintf("-Xmx%dm", c.HeapMB),
		"-XX:-UsePerfData", // else a file stays in the temporary folder when the JVM is killed
		"-Djava.awt.headless=true",
		logger + "defaultLogLevel=" + c.LogLevel, logger + "showDateTime=true", logger + "dateTimeFormat=HH:mm:ss.SSS",
		"-cp", filepath.Join(jars, "*"), "org.apache.kafka.connect.cli.ConnectStandalone", c.PropertiesFile(),
	}
	for _, connector := range c.Connectors {
		args = append(args, c.ConnectorFile(connector.Name))
	}
	return args
}
