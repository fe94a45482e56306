package dbzconfig_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// TestDebeziumDoesNotStart has what Kafka Connect or Debezium refuses, and how often each mistake is told.
func TestDebeziumDoesNotStart(t *testing.T) {
	t.Parallel()
	const r = "transforms.outbox."
	list := []string{"transforms", "outbox,d", "transforms.d.type", "DropHeaders", "transforms.d.headers", "id", "predicates.p.type", "TopicNameMatches", "predicates.p.pattern", "a"}
	tests := []struct {
		name    string
		options []string
		want    []string
	}{
		{"no such operation", []string{"skipped.operations", "foo"}, []string{`"foo": Debezium does not start`}},
		{"a capital operation", []string{"skipped.operations", "C"}, []string{"Debezium does not start"}},
		{"none and another", []string{"skipped.operations", "none,c"}, []string{"Debezium does not start"}},
		{"none", []string{"skipped.operations", "none"}, nil},
		{"blanks between", []string{"skipped.operations", "u, d,t"}, nil},
		{"rows of snapshots", []string{"skipped.operations", "r"}, []string{"skips the rows of snapshots"}},
		{"rows of no snapshot", []string{"skipped.operations", "r", "snapshot.mode", "no_data"}, nil},
		{"negates nothing", append(list, "transforms.d.negate", "false"), []string{"there is no transforms.d.predicate to negate"}},
		{"a predicate that the list lacks", append(list, "transforms.d.predicate", "p"), []string{"which predicates does not name"}},
		{"a word that updates have not, but there are none", []string{"skipped.operations", "u", r + "table.op.invalid.behavior", "foo"}, []string{`"foo" is none of warn, error, fatal`}},
		{"decimals", []string{"value.converter", "JsonConverter", "value.converter.decimal.format", "foo"}, []string{`"foo" is none of BASE64, NUMERIC`}},
		{"not a boolean", []string{r + "table.fields.additional.error.on.missing", "ignore"}, []string{`"ignore" is neither true nor false`}},
		{"another class hides nothing", []string{"connector.class", "MySqlConnector", "converters", "isbn", "skipped.operations", "c"},
			[]string{"is not Debezium's connector for PostgreSQL", "custom converters", "skips inserts"}},
		{"predicate without topic.prefix", []string{"topic.prefix", "${NONE}", "heartbeat.interval.ms", "5", "predicates", "p", "predicates.p.type", "TopicNameMatches", "predicates.p.pattern", "a", r + "predicate", "p"},
			[]string{"begin with topic.prefix, and that is not known (the environment variable NONE is not set"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkRefusals(t, dbzconfig.Import(files(with(test.options...))), test.want...)
		})
	}
}

// TestOneFaultOnce checks that what depends on an unresolved value is not asked for as well.
func TestOneFaultOnce(t *testing.T) {
	t.Parallel()
	given := func(names ...string) func(string) bool {
		return func(flag string) bool {
			for _, n := range names {
				if n == flag {
					return true
				}
			}
			return false
		}
	}
	rule := dbzconfig.Import(files(with("transforms.outbox.route.topic.regex", "(.*)", "transforms.outbox.route.topic.replacement", "${env:NONE}.$1")))
	flags, errs := rule.Settle(given())
	if len(errs) != 1 || has(flags, "route.topic.regex") {
		t.Errorf("errors %v, flags %v", errs, flags)
	}
	if flags, errs = rule.Settle(given("route.topic.replacement")); len(errs) != 0 || !has(flags, "route.topic.regex") {
		t.Errorf("errors %v, flags %v", errs, flags)
	}

	tolerance := dbzconfig.Import(files(with("errors.tolerance", "all")))
	flags, errs = tolerance.Settle(given())
	if len(errs) != 1 || errs[0].(*dbzconfig.Refusal).Source.Line != 5 || has(flags, "errors.tolerance") {
		t.Errorf("errors %v, flags %v", errs, flags)
	}
	for _, flag := range []string{"errors.tolerance", "errors.deadletterqueue.topic.name"} {
		if _, errs = tolerance.Settle(given(flag)); len(errs) != 0 {
			t.Errorf("with -%s: %v", flag, errs)
		}
	}
}

func has(flags []dbzconfig.Flag, name string) bool {
	for _, f := range flags {
		if f.Name == name {
			return true
		}
	}
	return false
}

// TestNoOption checks that a key that is almost a converter's is no worker's.
func TestNoOption(t *testing.T) {
	t.Parallel()
	res := dbzconfig.Import(files(with("value.converter", "JsonConverter", "value.converters.schemas.enable", "false")))
	checkRefusals(t, res)
	if len(res.Ignored) != 1 || res.Ignored[0].Nearest != "value.converter.schemas.enable" || res.Ignored[0].Why != "" {
		t.Errorf("ignored: %v", res.Ignored)
	}
}
