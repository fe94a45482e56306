package debezium

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/outbox-relay/outbox-relay/test/internal/freeport"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

// heap is what Apache Kafka's connect-standalone.sh gives the worker.
var heap = []string{"-Xms256M", "-Xmx2G"}

// Start starts a worker that keeps its files in dir: started again with the same dir, it goes on where it was. jars is
// the folder that Fetch has returned. The caller must close the process.
func Start(jars, dir string, config Config) (*procs.Proc, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return nil, kafkaserver.ErrNoJava
	}
	ports, err := freeport.Pick(1)
	if err != nil {
		return nil, err
	}
	worker, connector, err := write(dir, config, ports[0])
	if err != nil {
		return nil, err
	}
	args := append(slices.Clone(heap), "-XX:-UsePerfData", "-Djava.awt.headless=true", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
		"-cp", filepath.Join(jars, "*"), "org.apache.kafka.connect.cli.ConnectStandalone", worker, connector)
	return procs.Start(procs.Config{Path: java, Dir: dir, Args: args})
}

// write writes the two files of the configuration.
func write(dir string, config Config, port int) (worker, connector string, err error) {
	worker, connector = filepath.Join(dir, "connect.properties"), filepath.Join(dir, "connector.json")
	plugins := filepath.Join(dir, "plugins") // empty: all is on the class path
	if err := os.MkdirAll(plugins, 0o755); err != nil {
		return "", "", fmt.Errorf("make a folder for Debezium: %w", err)
	}
	text, err := config.connectorJSON()
	if err != nil {
		return "", "", err
	}
	if err := os.WriteFile(connector, text, 0o600); err != nil {
		return "", "", fmt.Errorf("write the connector's configuration: %w", err)
	}
	properties := config.workerProperties(port, filepath.Join(dir, "offsets"), plugins)
	if err := os.WriteFile(worker, []byte(properties), 0o600); err != nil {
		return "", "", fmt.Errorf("write the worker's configuration: %w", err)
	}
	return worker, connector, nil
}
