package preflight_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/preflight"
	"github.com/outbox-relay/outbox-relay/router/kafka"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
)

// orders is the topic that all of these tests send to.
const orders = "orders"

// brokenCluster is a cluster with a topic, what the check has to say about it.
type brokenCluster struct {
	name     string
	brokers  int
	replicas int16 // 0 for no topic
	settings map[string]string
	options  func(*kafka.Config)
	check    string
	level    preflight.Level
	code     int
	message  string
	repair   string
}

var brokenClusters = []brokenCluster{
	{name: "as it should be", brokers: 3, replicas: 3, settings: map[string]string{"min.insync.replicas": "2"}, check: "kafka.topic orders", level: preflight.OK, message: "2 partitions, 3 replicas, min.insync.replicas 2"},
	{name: "one replica", brokers: 1, replicas: 1, check: "kafka.topic orders", level: preflight.Warning, message: "one replica"},
	{name: "one broker acknowledges", brokers: 3, replicas: 3, settings: map[string]string{"min.insync.replicas": "1"}, check: "kafka.topic orders", level: preflight.Warning, message: "on one broker only", repair: "min.insync.replicas=2"},
	{name: "all must acknowledge", brokers: 3, replicas: 3, settings: map[string]string{"min.insync.replicas": "3"}, check: "kafka.topic orders", level: preflight.Warning, message: "while one broker is down", repair: "min.insync.replicas=2"},
	{name: "more must acknowledge than there are", brokers: 3, replicas: 2, settings: map[string]string{"min.insync.replicas": "3"}, check: "kafka.topic orders", level: preflight.Error, code: 2, message: "no record is accepted", repair: "min.insync.replicas=2"},
	{name: "smaller records", brokers: 3, replicas: 3, settings: map[string]string{"min.insync.replicas": "2", "max.message.bytes": "1000"}, check: "kafka.topic orders", level: preflight.Warning, message: "max.message.bytes 1000", repair: "max.message.bytes=1048576"},
	{name: "no topic", brokers: 1, check: "kafka.topic orders", level: preflight.Error, code: 2, message: "does not exist", repair: "-topic.creation.enable"},
	{name: "topic to be made", brokers: 1, options: func(c *kafka.Config) { c.TopicCreation.Enable = true }, check: "kafka.topic orders", level: preflight.OK, message: "can be created"},
	{name: "topic that cannot be made", brokers: 1, options: func(c *kafka.Config) { c.TopicCreation = kafka.TopicCreation{Enable: true, ReplicationFactor: 3} }, check: "kafka.topic orders", level: preflight.Error, code: 2, message: "INVALID_REPLICATION_FACTOR"},
	{name: "dead letters' topic to be made", brokers: 1, replicas: 1, options: func(c *kafka.Config) { c.DeadLetters.Topic = "dlq" }, check: "kafka.topic dlq", level: preflight.OK, message: "can be created"},
	{name: "dead letters' topic that cannot be made", brokers: 1, replicas: 1, options: func(c *kafka.Config) { c.DeadLetters = kafka.DeadLetters{Topic: "dlq", ReplicationFactor: 3} }, check: "kafka.topic dlq", level: preflight.Error, code: 2, message: "errors.deadletterqueue.topic.replication.factor"},
	{name: "one address of two", brokers: 1, replicas: 1, options: func(c *kafka.Config) { c.BootstrapServers = append(c.BootstrapServers, "127.0.0.1:1") }, check: "kafka.bootstrap.servers", level: preflight.Warning, message: "refused"},
	{name: "no address", brokers: 1, replicas: 1, options: func(c *kafka.Config) { c.BootstrapServers = []string{"127.0.0.1:1"} }, check: "kafka.bootstrap.servers", level: preflight.Error, code: 1, message: "refused"},
}

func TestBrokenClusters(t *testing.T) {
	t.Parallel()
	for _, b := range brokenClusters {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			bootstrap, _ := kfaketest.New(t, 1, nil, kfake.NumBrokers(b.brokers))
			admin := newAdmin(t, bootstrap)
			if b.replicas > 0 {
				makeTopic(t, admin, b.replicas, b.settings)
			}
			r := newRig(t, nil)
			r.router.RouteTopicReplacement = orders
			r.config.Kafka.BootstrapServers = strings.Split(bootstrap, ",")
			if b.options != nil {
				b.options(&r.config.Kafka)
			}
			before := topics(t, admin)
			if dlq := r.config.Kafka.DeadLetters.Topic; dlq != "" {
				r.config.Topics.Fixed = []string{dlq}
			}
			report := r.run(t)
			got := worst(t, report, b.check)
			if got.Level != b.level || got.Code != b.code || !strings.Contains(got.Message, b.message) || !strings.Contains(got.Repair, b.repair) || report.ExitCode() != b.code {
				t.Errorf("got %+v, exit code %d; want %s with code %d about %q, of\n%s", got, report.ExitCode(), b.level, b.code, b.message, text(t, report))
			}
			if after := topics(t, admin); !slices.Equal(before, after) {
				t.Errorf("the topics were %v and are %v", before, after)
			}
		})
	}
}

func newAdmin(t *testing.T, bootstrap string) *kadm.Client {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(bootstrap, ",")...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return kadm.NewClient(client)
}

func makeTopic(t *testing.T, admin *kadm.Client, replicas int16, settings map[string]string) {
	t.Helper()
	values := make(map[string]*string)
	for name, value := range settings {
		values[name] = &value
	}
	if _, err := admin.CreateTopic(t.Context(), 2, replicas, values, orders); err != nil {
		t.Fatal(err)
	}
}

func topics(t *testing.T, admin *kadm.Client) []string {
	t.Helper()
	all, err := admin.ListTopics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all.Names()
}

// A pattern of names has no topic that must exist, but the first row would need one.
func TestPatterns(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, replacement string
		create            bool
		check             string
		level             preflight.Level
		code              int
		message           string
	}{
		{"some", "outbox.event.$1", false, "kafka.topics", preflight.OK, 0, "1 topics are named outbox.event.*"},
		{"none", "other.$1", false, "kafka.topics", preflight.Warning, 0, "no topic is named other.*"},
		{"none, but they are made", "other.$1", true, "kafka.topics", preflight.OK, 0, "0 topics are named other.*; missing ones are created"},
		{"no topic's name", "other topic.$1", true, "kafka.topic other topic.outbox-relay-check", preflight.Error, 2, "holds ' '"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			r.router.RouteTopicRegex, r.router.RouteTopicReplacement = "(.*)", test.replacement
			r.config.Kafka.TopicCreation.Enable = test.create
			report := r.run(t)
			got := worst(t, report, test.check)
			if got.Level != test.level || got.Code != test.code || !strings.Contains(got.Message, test.message) {
				t.Errorf("got %+v of\n%s", got, text(t, report))
			}
		})
	}
}

// forbidden are rights that a user lacks, one at a time.
func TestRights(t *testing.T) {
	t.Parallel()
	topic := func(op kmsg.ACLOperation) kfake.ACL {
		return kfake.ACL{Resource: kmsg.ACLResourceTypeTopic, Name: orders, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: op, Allow: true}
	}
	tests := []struct {
		name   string
		acls   []kfake.ACL
		check  string
		level  preflight.Level
		code   int
		repair string
	}{
		{"all that is needed", []kfake.ACL{topic(kmsg.ACLOperationWrite), topic(kmsg.ACLOperationDescribeConfigs)}, "kafka.topic orders", preflight.Warning, 0, ""}, // of one replica
		{"settings not to be seen", []kfake.ACL{topic(kmsg.ACLOperationWrite)}, "kafka.topic orders", preflight.Warning, 0, "--operation DescribeConfigs"},
		{"no writing", []kfake.ACL{topic(kmsg.ACLOperationDescribe), topic(kmsg.ACLOperationDescribeConfigs)}, "kafka.topic orders", preflight.Error, 2, "--operation Write"},
		{"nothing", nil, "kafka.topic orders", preflight.Error, 2, "--operation Describe --operation Write"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			bootstrap, _ := kfaketest.New(t, 1, []string{orders}, kfake.EnableSASL(), kfake.EnableACLs(), kfake.User("PLAIN", "relay", "geheim", test.acls...))
			r := newRig(t, nil)
			r.router.RouteTopicReplacement = orders
			r.config.Kafka.BootstrapServers = []string{bootstrap}
			r.config.Kafka.Security = kafka.Security{Protocol: "SASL_PLAINTEXT", SASLMechanism: "PLAIN", SASLUsername: "relay", SASLPassword: func() (string, error) { return "geheim", nil }}
			report := r.run(t)
			got := worst(t, report, test.check)
			if got.Level != test.level || got.Code != test.code || !strings.Contains(got.Repair, test.repair) {
				t.Errorf("got %+v of\n%s", got, text(t, report))
			}
		})
	}
}

// The JSON says the same as the lines.
func TestJSON(t *testing.T) {
	t.Parallel()
	report := preflight.Report{
		{Check: "a", Level: preflight.OK, Message: "fine"},
		{Check: "b", Level: preflight.Error, Message: "<lost>", Repair: "SELECT 1", Then: "restart", Code: 3},
		{Check: "c", Level: preflight.Error, Message: "wrong", Code: 2},
	}
	var out strings.Builder
	if err := report.JSON(&out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		ExitCode int                 `json:"exit_code"`
		Checks   []preflight.Finding `json:"checks"`
	}
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	if got.ExitCode != 3 || !slices.Equal(got.Checks, report) || !strings.Contains(out.String(), "<lost>") {
		t.Errorf("got %s", out.String())
	}
	want := "error    b                       <lost>; repair: SELECT 1; then restart\n"
	if lines := text(t, report); !strings.Contains(lines, want) {
		t.Errorf("got\n%s", lines)
	}
}
