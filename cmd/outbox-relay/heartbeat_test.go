package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

func TestHeartbeatQueryMayNotWriteTheOutbox(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tables, sql string
		want        bool
	}{
		{"public.outbox", "UPDATE outbox SET type = ''", true},
		{"public.outbox", "UPDATE public.outbox SET type = ''", true},
		{"public.outbox", "UPDATE other.outbox SET type = ''", false},
		{"public.outbox", "INSERT INTO hb VALUES (1)", false},
		{`billing\.outbox,shop.outbox`, "INSERT INTO outbox VALUES (1)", true},
		{"public.outbox", `INSERT INTO "shop"."public"."outbox" VALUES (1)`, true},
		{"public.outbox", "DO $$ BEGIN DELETE FROM outbox; END $$", true},
		{`tenant_\d+\.outbox`, "INSERT INTO tenant_7.outbox VALUES (1)", true},
	}
	for _, tt := range tests {
		s := parsed(t, "-table.include.list", tt.tables)
		got := false
		for _, table := range dbzconfig.Written(tt.sql) {
			got = got || outbox(&s.replication.Tables, table)
		}
		if got != tt.want {
			t.Errorf("%s with %s writes the outbox: %t, want %t", tt.sql, tt.tables, got, tt.want)
		}
	}
}

// Heartbeats go through the transforms, so the check before a start looks for the
// topic that they end in.
func TestHeartbeatTopic(t *testing.T) {
	t.Parallel()
	after := []string{"-transforms.after", `RegexRouter(regex="(__debezium-heartbeat|hb)\.(.*)",replacement=one.$2)`}
	tests := []struct {
		args []string
		want []string
	}{
		{nil, []string{"__debezium-heartbeat.srv"}},
		{after, []string{"one.srv"}},
		{append([]string{"-topic.heartbeat.prefix", "hb"}, after...), []string{"one.srv"}},
		{append([]string{"-heartbeat.topic", "hb.x"}, after...), []string{"one.x"}},
		{append([]string{"-heartbeat.interval.ms", "0"}, after...), nil},
	}
	for _, tt := range tests {
		s := parsed(t, append([]string{"-topic.prefix", "srv", "-heartbeat.interval.ms", "1000"}, tt.args...)...)
		config, err := s.checked()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(config.Topics.Fixed, tt.want) {
			t.Errorf("%q: looks for %q, want %q", tt.args, config.Topics.Fixed, tt.want)
		}
	}
}

func TestRuleOfTopicsThatCannotBe(t *testing.T) {
	t.Parallel()
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"-route.topic.replacement", "größe.${routedByValue}"}, `"ö"`},
		{[]string{"-route.topic.replacement", "${routedByValue} x"}, `" "`},
		{[]string{"-route.topic.regex", ".*", "-route.topic.replacement", "ä"}, `"ä"`},
		{[]string{"-route.topic.regex", "a(.*)", "-route.topic.replacement", "ä"}, ""},
		{[]string{"-route.topic.replacement", "ä${routedByValue}", "-transforms.after", "RegexRouter(regex=.*,replacement=x)"}, ""},
	}
	for _, tt := range tests {
		set, _ := declare()
		err := set.Parse(append([]string{"-bootstrap.servers", "kafka:9092"}, tt.args...), nil)
		if got := err != nil && strings.Contains(err.Error(), "every topic would have "+tt.want); got != (tt.want != "") || err != nil && tt.want == "" {
			t.Errorf("%q: got %v, want %q", tt.args, err, tt.want)
		}
	}
}
