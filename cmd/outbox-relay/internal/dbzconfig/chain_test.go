package dbzconfig_test

import (
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

// chained is base with a chain: alias, class and then options of the transform, by what follows transforms.ALIAS.
func chained(list string, options ...string) string {
	out := []string{"transforms", list}
	for i := 0; i < len(options); i += 2 {
		out = append(out, "transforms."+options[i], options[i+1])
	}
	return with(out...)
}

const transforms = "org.apache.kafka.connect.transforms."

func TestChain(t *testing.T) {
	t.Parallel()
	regex := []string{"r.type", transforms + "RegexRouter", "r.regex", `(.*)\.v1`, "r.replacement", "$1"}
	tests := []struct{ name, config, want string }{ // the flag, or ! and a refusal's text, or ~ and a notice's
		{"none", with(), "(unset)"},
		{"rename", chained("outbox,r", regex...), `RegexRouter(regex="(.*)\.v1",replacement=$1)`},
		{"drop", chained("outbox, d", "d.type", transforms+"DropHeaders", "d.headers", "a, b"), `DropHeaders(headers="a, b")`},
		{"insert", chained("outbox,i", "i.type", "InsertHeader", "i.header", "h", "i.value.literal", `say "x"`), `InsertHeader(header=h,value.literal="say ""x""")`},
		{"three in order", chained("outbox,d,r,i", append(regex, "d.type", "DropHeaders", "d.headers", "a", "i.type", "InsertHeader", "i.header", "h", "i.value.literal", "1")...),
			`DropHeaders(headers=a);RegexRouter(regex="(.*)\.v1",replacement=$1);InsertHeader(header=h,value.literal=1)`},
		{"Confluent Cloud", chained("outbox,r", "r.type", "io.confluent.connect.cloud.transforms.TopicRegexRouter", "r.regex", ".*", "r.replacement", "x"), "RegexRouter(regex=.*,replacement=x)"},
		{"group of the transform", chained("outbox,r", "r.type", "RegexRouter", "r.regex", "(?<a>.*)", "r.replacement", "${a}-x"), `RegexRouter(regex="(?<a>.*)",replacement=${a}-x)`},
		{"with a predicate", chained("outbox,r", append(regex, "r.predicate", "p")...) + "", "!the predicate p, which has no predicates.p.type"},
		{"unwrap", chained("outbox,u", "u.type", "io.debezium.transforms.ExtractNewRecordState", "u.drop.tombstones", "false"), "~the transform u is left aside"},

		{"regex before the router", chained("r,outbox", regex...), "~renames topics before the router"},
		{"other before the router", chained("d,outbox", "d.type", "DropHeaders", "d.headers", "a"), "!stands before the router"},
		{"unwrap before the router", chained("u,outbox", "u.type", "io.debezium.transforms.ExtractNewRecordState"), "!stands before the router"},
		{"unknown class", chained("outbox,x", "x.type", "com.example.X"), "!the transform x (com.example.X) changes records"},
		{"no type", chained("outbox,x"), "!the transform x has no transforms.x.type"},
		{"no option", chained("outbox,r", "r.type", "RegexRouter", "r.regex", "x"), "!the transform r has no transforms.r.replacement"},
		{"bad group", chained("outbox,r", "r.type", "RegexRouter", "r.regex", "(x)", "r.replacement", "$2"), "!no group 2"},
		{"bad literal", chained("outbox,i", "i.type", "InsertHeader", "i.header", "h", "i.value.literal", "[1]"), "!value.literal is a list"},
		{"twice", chained("outbox,outbox"), "!outbox is named twice"},
		{"two routers", chained("outbox,o", "o.type", "EventRouter"), "!2 transforms are Event Routers"},
		{"MongoDB's router", chained("o", "o.type", "io.debezium.connector.mongodb.transforms.outbox.MongoEventRouter"), "!no transform is io.debezium.transforms.outbox.EventRouter"},
		{"unresolved list", chained("${NONE}"), "!the environment variable NONE is not set; write the value"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(files(test.config))
			switch reason := test.want[1:]; test.want[0] {
			case '!':
				checkRefusals(t, res, reason)
			case '~':
				checkRefusals(t, res)
				checkNotice(t, res, reason)
				checkFlags(t, res, "transforms.after", "(unset)")
			default:
				checkRefusals(t, res)
				checkFlags(t, res, "transforms.after", test.want)
			}
		})
	}
}

func TestPredicates(t *testing.T) {
	t.Parallel()
	predicate := func(pattern string, more ...string) string {
		return with(append([]string{"predicates", "p", "predicates.p.type", transforms + "predicates.TopicNameMatches", "predicates.p.pattern", pattern, "transforms.outbox.predicate", "p"}, more...)...)
	}
	tests := []struct{ name, config, want string }{
		{"selects the table", predicate(`app\.public\.outbox`), ""},
		{"anchors", predicate(`^app\.public\.outbox$`), ""},
		{"a part is not enough", predicate(`app\.public`), "keeps every table of table.include.list from the router"},
		{"keeps the table away", predicate("other"), "keeps every table"},
		{"negated", predicate("heartbeat", "transforms.outbox.negate", "true"), ""},
		{"negated, and selects the table", predicate(".*outbox", "transforms.outbox.negate", "true"), "keeps every table"},
		{"one of two", predicate(`app\.public\.outbox`, "table.include.list", `public\.outbox,public.other`), "keeps public.other from the router"},
		{"both of two", predicate(`app\.public\.(outbox|other)`, "table.include.list", "public.outbox,public.other"), ""},
		{"characters that topics have not", predicate("app.my_schema.outbox_a_1", "table.include.list", "my schema.outbox_ä1"), "keeps every table"},
		{"replaced characters", predicate("app.my_schema.outbox", "table.include.list", "my schema.outbox"), ""},
		{"tables by pattern", predicate("x", "table.include.list", `.*\.outbox`), "does not name single tables"},
		{"no prefix", predicate("x", "topic.prefix", "${NONE}"), "begin with topic.prefix"},
		{"bad pattern", predicate("("), "regular expression"},
		{"bad negate", predicate("x", "transforms.outbox.negate", "maybe"), `"maybe" is neither true nor false`},
		{"another predicate", predicate("x", "predicates.p.type", transforms+"predicates.RecordIsTombstone"), "looks at records in a way"},
		{"not defined", with("transforms.outbox.predicate", "p"), "which has no predicates.p.type"},
		{"no pattern", with("predicates", "p", "predicates.p.type", "TopicNameMatches", "transforms.outbox.predicate", "p"), "has no predicates.p.pattern"},
		{"before the router, other topics", predicate(`app\.public\.outbox`, "predicates", "p,q", "predicates.q.type", "TopicNameMatches", "predicates.q.pattern", "heartbeat",
			"transforms", "x,outbox", "transforms.x.type", "com.example.X", "transforms.x.predicate", "q"), ""},
		{"before the router, outbox topics", predicate(`app\.public\.outbox`, "transforms", "x,outbox", "transforms.x.type", "com.example.X", "transforms.x.predicate", "p"), "stands before the router"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(files(test.config))
			checkRefusal(t, res, test.want)
			if len(res.Ignored) > 0 {
				t.Errorf("ignored: %v", res.Ignored)
			}
		})
	}
}

func TestConditionBehindTheRouter(t *testing.T) {
	t.Parallel()
	options := []string{"transforms", "outbox,d", "transforms.d.type", "DropHeaders", "transforms.d.headers", "id", "transforms.d.predicate", "p",
		"predicates", "p", "predicates.p.type", "TopicNameMatches", "predicates.p.pattern", "a|b"}
	checkFlags(t, dbzconfig.Import(files(with(options...))), "transforms.after", "DropHeaders(headers=id,if.topic=a|b)")
	options = append(options, "transforms.d.negate", "TRUE")
	checkFlags(t, dbzconfig.Import(files(with(options...))), "transforms.after", "DropHeaders(headers=id,unless.topic=a|b)")
}

func TestUnknownOptions(t *testing.T) {
	t.Parallel()
	res := dbzconfig.Import(files(chained("outbox,d", "d.type", "DropHeaders", "d.headers", "a", "d.header", "b", "other.table.field.event.key", "x", "outbox.table.field.event.idd", "y")))
	checkRefusals(t, res)
	var got []string
	for _, u := range res.Ignored {
		got = append(got, u.Key()+" > "+u.Nearest)
	}
	want := "transforms.outbox.table.field.event.idd > transforms.outbox.table.field.event.id|transforms.d.header > transforms.d.headers|transforms.other.table.field.event.key > transforms.outbox.table.field.event.key"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q", got)
	}
}
