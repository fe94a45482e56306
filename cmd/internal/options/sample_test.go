package options_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

// config is what the sample program can be told, one option of each kind.
type config struct {
	Slot      string
	URL       string
	Password  string
	Tables    []string
	Servers   []string
	Retries   int
	Offset    int64
	Memory    int64
	Create    bool
	Linger    time.Duration
	Heartbeat time.Duration
	Level     string
	Topic     *regexp.Regexp
	Secret    string
}

// sample declares the options of config.
func sample(c *config) *options.Set {
	s := options.New(options.Program{
		Name:    "outbox-sample",
		Summary: "outbox-sample shows what options look like. It does nothing else, however many options it is given.",
		Examples: []string{
			"outbox-sample -slot.name sample -bootstrap.servers localhost:9092",
			"outbox-sample -config /etc/outbox-sample.conf",
		},
		Footer: "Exit codes: 0 stopped in order, 2 configuration.",
	})
	g := s.Group("Database")
	g.String(&c.Slot, "slot.name", "", "name of the replication `slot`", options.Required())
	g.String(&c.URL, "database.url", "", "`URL` or keyword string", options.Shown(hidePassword))
	g.String(&c.Password, "database.password", "", "a secret", options.Secret())
	g.String(&c.Secret, "database.token", "s3cret", "a secret with a default", options.Secret())
	g.List(&c.Tables, "table.include.list", []string{"public.outbox"}, "tables to read")
	g.Bool(&c.Create, "slot.create", false, "create the slot although it is not the first start, which means that "+
		"events of the time without a slot are lost for good and nobody will ever know about them")
	g = s.Group("Broker")
	g.List(&c.Servers, "bootstrap.servers", nil, "brokers to ask first", options.OneOf("a:1", "b:2", "c:3"))
	g.Int(&c.Retries, "retries", 3, "attempts", options.AtLeast(1), options.AtMost(9))
	g.String(new(string), "security.protocol", "PLAINTEXT", "how to talk to brokers", options.OneOf("PLAINTEXT", "SSL",
		"SASL_PLAINTEXT", "SASL_SSL"))
	g.String(new(string), "security.mode", "", "a long choice", options.OneOf("disable", "allow", "prefer", "require",
		"verify-ca", "verify-full", "anything-else"))
	g.Int64(&c.Offset, "offset", -1, "a large number")
	g.Bytes(&c.Memory, "buffer.memory", 32<<20, "memory for records")
	g.Duration(&c.Linger, "linger.ms", 0, "wait for more records", options.AtLeast(time.Duration(0)))
	g.Duration(&c.Heartbeat, "heartbeat", 90*time.Minute, "pause between heartbeats")
	options.Parsed(g, &c.Topic, "topic.regex", "a+", "regular `expression`", compile)
	s.Group("Logging").String(&c.Level, "log.level", "info", "how much to log",
		options.OneOf("debug", "info", "error"))
	s.Group("Broker").String(new(string), "internal.test", "", "not for people", options.Hidden())
	s.Rule(func() error {
		if c.Heartbeat < c.Linger {
			return fmt.Errorf("-heartbeat %v is shorter than -linger.ms %v", c.Heartbeat, c.Linger)
		}
		return nil
	}, "heartbeat", "linger.ms")
	return s
}

func compile(s string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(s)
	if err != nil {
		return nil, fmt.Errorf("is not a regular expression: %w", err)
	}
	return re, nil
}

func hidePassword(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }

// write puts a configuration file into the test's folder and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
