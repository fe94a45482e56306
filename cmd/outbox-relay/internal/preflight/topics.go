package preflight

import "strings"

// completeTopics adds the topics that rows go to.
func (c *Config) completeTopics() {
	t := &c.Targets
	c.Topics.Most = mostTopics
	switch {
	case t.Fixed != "":
		c.Topics.Fixed = append([]string{t.Fixed}, c.Topics.Fixed...)
	case t.Affixed:
		c.Topics.Also = func(name string) bool {
			return len(name) > len(t.Before)+len(t.After) && strings.HasPrefix(name, t.Before) && strings.HasSuffix(name, t.After)
		}
		c.Topics.Probe = t.Before + "outbox-relay-check" + t.After
	}
}
