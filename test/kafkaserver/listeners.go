package kafkaserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// addListeners completes the settings with Config.Listeners. The brokers and this package go on using the plain one.
func (c Config) addListeners(settings map[string]string, n node) {
	if len(c.Listeners) == 0 {
		return
	}
	protocols := settings["listener.security.protocol.map"]
	if protocols == "" {
		protocols = "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"
	}
	for i, name := range slices.Sorted(maps.Keys(c.Listeners)) {
		at := fmt.Sprintf(",%s://127.0.0.1:%d", name, n.more[i])
		settings["listeners"] += at
		settings["advertised.listeners"] += at
		protocols += "," + name + ":" + c.Listeners[name]
	}
	settings["listener.security.protocol.map"] = protocols
	settings["inter.broker.listener.name"] = "PLAINTEXT"
}

// ListenerAddrs are the brokers' addresses at one of Config.Listeners.
func (c *Cluster) ListenerAddrs(name string) []string {
	i := slices.Index(slices.Sorted(maps.Keys(c.config.Listeners)), name)
	if i < 0 {
		return nil
	}
	addrs := make([]string, len(c.nodes))
	for n := range c.nodes {
		addrs[n] = fmt.Sprintf("127.0.0.1:%d", c.nodes[n].more[i])
	}
	return addrs
}

// ListenerBootstrap is ListenerAddrs, separated by commas.
func (c *Cluster) ListenerBootstrap(name string) string {
	return strings.Join(c.ListenerAddrs(name), ",")
}
