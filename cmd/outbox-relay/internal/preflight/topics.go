package preflight

// completeTopics adds the topics that rows go to.
func (c *Config) completeTopics() {
	t := &c.Targets
	c.Topics.Most = mostTopics
	switch {
	case t.Fixed != "":
		c.Topics.Fixed = append([]string{t.Fixed}, c.Topics.Fixed...)
	case t.Affixed:
		c.Topics.Also = t.Fits
		c.Topics.Probe = t.Before + "outbox-relay-check" + t.After
	}
}
