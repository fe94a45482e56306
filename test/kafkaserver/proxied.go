package kafkaserver

// Behind are the addresses that proxies in front of the brokers forward to, one for each of Config.Advertised.
func (c *Cluster) Behind() []string {
	addrs := make([]string, len(c.config.Advertised))
	for i := range addrs {
		addrs[i] = c.nodes[i].behindAddr()
	}
	return addrs
}
