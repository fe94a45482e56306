package kafkaserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Config says which cluster to start. The zero value is one broker that is good for tests.
type Config struct {
	// Brokers is 1 or 3. Each is broker and controller; of three, one may be down. Defaults to 1.
	Brokers int

	// Settings are lines of server.properties for all brokers and override the defaults of this package, among them
	// auto.create.topics.enable=false.
	Settings map[string]string

	// Advertised, if set, are addresses (host:port), one for each broker, of proxies in front of them. Each broker gets one
	// more listener, at Cluster.Behind, whose clients are told these addresses. Clients of Addrs and the brokers among
	// themselves go past the proxies.
	Advertised []string

	// Listeners are more ways in for clients: a name in capitals for each, with its security protocol, for instance
	// SECURE: SASL_SSL. Settings of listener.name.secure.* say the rest; Cluster.ListenerAddrs tells the addresses.
	Listeners map[string]string

	// FormatArgs are more arguments for the formatting of the storage, for instance --add-scram with a user.
	FormatArgs []string

	// HeapMB is the largest heap of each JVM in megabytes. Defaults to 512.
	HeapMB int

	// JVMFlags are put after the default ones, for instance -XX:TieredStopAtLevel=1 for a start that is faster and a
	// broker that is slower under load.
	JVMFlags []string
}

func (c Config) withDefaults() (Config, error) {
	if c.Brokers == 0 {
		c.Brokers = 1
	}
	if c.HeapMB == 0 {
		c.HeapMB = 512
	}
	if c.Brokers != 1 && c.Brokers != 3 {
		return c, fmt.Errorf("a Kafka cluster of %d brokers: only 1 and 3 are supported", c.Brokers)
	}
	if n := len(c.Advertised); n != 0 && n != c.Brokers {
		return c, fmt.Errorf("%d addresses to advertise for %d brokers", n, c.Brokers)
	}
	return c, nil
}

// node is where one broker listens.
type node struct {
	client, controller, behind int   // ports; behind is used only with proxies
	more                       []int // of Config.Listeners, in the order of their names
}

const nodePorts = 3

func (n node) addr() string       { return fmt.Sprintf("127.0.0.1:%d", n.client) }
func (n node) behindAddr() string { return fmt.Sprintf("127.0.0.1:%d", n.behind) }

// properties is the server.properties of broker i.
func (c Config) properties(nodes []node, i int, dataDir string) string {
	voters := make([]string, len(nodes))
	for j, n := range nodes {
		voters[j] = fmt.Sprintf("%d@127.0.0.1:%d", j+1, n.controller)
	}
	settings := map[string]string{
		"process.roles":             "broker,controller",
		"node.id":                   fmt.Sprint(i + 1),
		"controller.quorum.voters":  strings.Join(voters, ","),
		"controller.listener.names": "CONTROLLER",
		"listeners":                 fmt.Sprintf("PLAINTEXT://%s,CONTROLLER://127.0.0.1:%d", nodes[i].addr(), nodes[i].controller),
		"advertised.listeners":      "PLAINTEXT://" + nodes[i].addr(),
		"log.dirs":                  dataDir,

		"auto.create.topics.enable":                        "false",
		"offsets.topic.replication.factor":                 fmt.Sprint(len(nodes)),
		"offsets.topic.num.partitions":                     "4", // the default 50 slow down start and stop
		"transaction.state.log.replication.factor":         fmt.Sprint(len(nodes)),
		"transaction.state.log.num.partitions":             "4",
		"transaction.state.log.min.isr":                    "1",
		"share.coordinator.state.topic.replication.factor": fmt.Sprint(len(nodes)),
		"share.coordinator.state.topic.min.isr":            "1",
		"group.initial.rebalance.delay.ms":                 "0",
	}
	if len(c.Advertised) > 0 {
		settings["listeners"] += ",PROXIED://" + nodes[i].behindAddr()
		settings["advertised.listeners"] += ",PROXIED://" + c.Advertised[i]
		settings["listener.security.protocol.map"] = "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT"
		settings["inter.broker.listener.name"] = "PLAINTEXT"
	}
	c.addListeners(settings, nodes[i])
	maps.Copy(settings, c.Settings)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "%s=%s\n", name, strings.ReplaceAll(settings[name], `\`, `\\`))
	}
	return b.String()
}
