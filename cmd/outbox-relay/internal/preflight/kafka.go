package preflight

import (
	"context"
	"fmt"
	"strings"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// brokers checks Kafka's side.
func brokers(ctx context.Context, c *Config) Report {
	n := &notes{prefix: "kafka."}
	s, err := kafka.Inspect(ctx, c.Kafka, c.Topics)
	if s == nil || err != nil && len(s.Bootstrap) == 0 {
		n.fail("bootstrap.servers", err)
		return n.report
	}
	n.endpoints("bootstrap.servers", s.Bootstrap, err == nil, "one that answers is enough for a start")
	if err != nil && len(s.Brokers) == 0 {
		return n.report
	}
	n.endpoints("brokers", s.Brokers, false, "the partitions that it leads get no records")
	n.judge("idempotent write", s.Identity, "this user may send idempotently")
	n.targets(c, s)
	for i := range s.Topics {
		n.topic(c, &s.Topics[i])
	}
	if err != nil {
		n.fail("topics", err)
	}
	return n.report
}

// endpoints judges addresses. mild says that one that fails is not yet an error.
func (n *notes) endpoints(check string, all []kafka.Endpoint, mild bool, why string) {
	var good []string
	for _, e := range all {
		if e.Err == nil {
			good = append(good, e.Addr)
		}
	}
	if len(good) > 0 {
		n.ok(check, "%s", strings.Join(good, ", "))
	}
	for _, e := range all {
		switch {
		case e.Err == nil:
		case mild && len(good) > 0 && code(e.Err) == daemon.Restart:
			n.warn(check, "", "%s: %v; %s", e.Addr, e.Err, why)
		default:
			n.fail(check, fmt.Errorf("%s: %w", e.Addr, e.Err))
		}
	}
}

// targets says which topics rows go to.
func (n *notes) targets(c *Config, s *kafka.Survey) {
	creation := "created as needed"
	if !c.Kafka.TopicCreation.Enable {
		creation = "not created (topic.creation.enable)"
	}
	switch {
	case c.Targets.Fixed != "":
		n.ok("topics", "every row goes to %s; missing topics are %s", c.Targets.Fixed, creation)
	case !c.Targets.Affixed:
		n.ok("topics", "they depend on the rows; missing ones are %s", creation)
	default:
		pattern := c.Targets.Before + "*" + c.Targets.After
		count := 0
		for _, name := range s.Names {
			if c.Topics.Also(name) {
				count++
			}
		}
		if count == 0 && !c.Kafka.TopicCreation.Enable {
			n.warn("topics", "-topic.creation.enable, or kafka-topics.sh --create --topic "+c.Targets.Before+"…", "no topic is named %s, and missing ones are %s: the first row would stop the relay", pattern, creation)
			return
		}
		looked := ""
		if count > mostTopics {
			looked = fmt.Sprintf(", of which %d were looked at", mostTopics)
		}
		n.ok("topics", "%d topics are named %s%s; missing ones are %s", count, pattern, looked, creation)
	}
}

// topic judges one topic: whether records get in, and whether they stay.
func (n *notes) topic(c *Config, t *kafka.TopicSurvey) {
	check := "topic " + t.Name
	switch {
	case t.Err != nil:
		n.fail(check, t.Err)
		n.creationRepair(c, t)
		return
	case t.Missing:
		n.ok(check, "does not exist and can be created")
		return
	}
	n.judge(check, t.Write, "%d partitions, %d replicas, min.insync.replicas %d", t.Partitions, t.Replicas, t.MinInSync)
	if t.Write != nil {
		n.report[len(n.report)-1].Repair = allow(t.Name, "Describe", "Write")
	}
	if t.Leaderless > 0 {
		n.fail(check, fmt.Errorf("%d partitions have no leader: brokers are down", t.Leaderless))
	}
	if t.ConfigErr != nil {
		n.warn(check, allow(t.Name, "DescribeConfigs"), "its settings were not checked: %v", t.ConfigErr)
		return
	}
	n.durability(check, t)
	if t.MaxBytes > 0 && t.MaxBytes < c.Kafka.MaxRequestSize {
		n.warn(check, alter(t.Name, "max.message.bytes", c.Kafka.MaxRequestSize), "its max.message.bytes %d is less than -max.request.size %d: a record in between is refused by the broker, and stops the relay", t.MaxBytes, c.Kafka.MaxRequestSize)
	}
}

// creationRepair adds the commands that make the topic by hand.
func (n *notes) creationRepair(c *Config, t *kafka.TopicSurvey) {
	last := &n.report[len(n.report)-1]
	switch {
	case t.Missing && !c.Kafka.TopicCreation.Enable:
		last.Repair = "kafka-topics.sh --create --topic " + t.Name + ", or -topic.creation.enable"
	case t.Missing && strings.Contains(t.Err.Error(), "AUTHORIZATION_FAILED"):
		last.Repair = allow(t.Name, "Create")
	case strings.Contains(t.Err.Error(), "AUTHORIZATION_FAILED"): // it may be missing, too
		last.Repair = allow(t.Name, "Describe", "Write")
		if c.Kafka.TopicCreation.Enable {
			last.Repair = allow(t.Name, "Describe", "Write", "Create")
		}
	}
}

// durability compares min.insync.replicas with the replicas.
func (n *notes) durability(check string, t *kafka.TopicSurvey) {
	switch least := t.MinInSync; {
	case least > t.Replicas:
		n.add(Finding{Check: check, Level: Error, Code: daemon.Config, Repair: alter(t.Name, "min.insync.replicas", t.Replicas),
			Message: fmt.Sprintf("min.insync.replicas %d is more than the topic's %d replicas: no record is accepted", least, t.Replicas)})
	case least > t.InSync:
		n.fail(check, fmt.Errorf("only %d replicas are in sync, and min.insync.replicas is %d: no record is accepted until brokers are back", t.InSync, least))
	case t.Replicas == 1:
		n.warn(check, "", "it has one replica: records go with its broker's disk")
	case least == t.Replicas:
		n.warn(check, alter(t.Name, "min.insync.replicas", least-1), "min.insync.replicas is the number of replicas: no record is accepted while one broker is down")
	case least == 1:
		n.warn(check, alter(t.Name, "min.insync.replicas", 2), "min.insync.replicas is 1: an acknowledged record may be on one broker only, and go with it")
	}
}

func allow(topic string, operations ...string) string {
	return "kafka-acls.sh --add --allow-principal User:NAME --operation " + strings.Join(operations, " --operation ") + " --topic " + topic
}

func alter(topic, setting string, value int) string {
	return fmt.Sprintf("kafka-configs.sh --alter --entity-type topics --entity-name %s --add-config %s=%d", topic, setting, value)
}
