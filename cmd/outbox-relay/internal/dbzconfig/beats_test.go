package dbzconfig_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// TestHeartbeatsInTheChain checks what transforms before the router come to for heartbeats, which Debezium sends
// through them.
func TestHeartbeatsInTheChain(t *testing.T) {
	t.Parallel()
	chain := func(options ...string) []string {
		return append([]string{"heartbeat.interval.ms", "1000", "transforms", "x,outbox", "transforms.x.type", transforms + "RegexRouter",
			"transforms.x.regex", `__debezium-heartbeat\.(.*)`, "transforms.x.replacement", "beats.$1"}, options...)
	}
	predicate := []string{"transforms.x.predicate", "p", "predicates", "p", "predicates.p.type", "TopicNameMatches", "predicates.p.pattern", "__debezium-heartbeat.*"}
	tests := []struct {
		name    string
		options []string
		topic   string
		refusal string
	}{
		{"renamed", chain(), "beats.app", ""},
		{"prefix of its own", chain("topic.heartbeat.prefix", "hb"), "(unset)", ""},
		{"all renamed", chain("transforms.x.regex", ".*", "transforms.x.replacement", "two"), "two", ""},
		{"no heartbeats", chain("heartbeat.interval.ms", "0"), "(unset)", ""},
		{"no topic.prefix", chain("topic.prefix", "${NONE}"), "(unset)", "sees heartbeats too"},
		{"renamed twice", chain("transforms", "x,y,outbox", "transforms.y.type", "RegexRouter", "transforms.y.regex", "beats(.*)", "transforms.y.replacement", "b$1"), "b.app", ""},
		{"with a predicate for them", chain(predicate...), "beats.app", ""},
		{"with a predicate for others", append(chain(predicate...), "predicates.p.pattern", "other"), "(unset)", ""},
		{"dropped", append(chain(predicate...), "transforms.x.type", transforms+"Filter"), "(unset)", "changes heartbeats, or drops them"},
		{"dropped, but there are none", append(chain(predicate...), "transforms.x.type", transforms+"Filter", "heartbeat.interval.ms", "0"), "(unset)", ""},
		{"no replacement", append(chain(), "transforms.x.replacement", "$7"), "(unset)", "no group 7"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(files(with(test.options...)))
			checkRefusal(t, res, test.refusal)
			checkFlags(t, res, "heartbeat.topic", test.topic)
		})
	}
}
