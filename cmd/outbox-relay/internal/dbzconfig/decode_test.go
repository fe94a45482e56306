package dbzconfig_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/dbzconfig"
)

const decode = "io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent"

func TestDecode(t *testing.T) {
	t.Parallel()
	asking := []string{"d.type", decode, "d.predicate", "p", "d.negate", "false"}
	ask := func(config, pattern string) string {
		return config[:len(config)-1] + `,"predicates":"p","predicates.p.type":"org.apache.kafka.connect.transforms.predicates.TopicNameMatches","predicates.p.pattern":` + quote(pattern) + "}"
	}
	tests := []struct {
		name, config            string
		include, exclude, nulls string
		refusal                 string
	}{
		{"no lists", chained("d,outbox", "d.type", decode), ".*", "(unset)", "(unset)", ""},
		{"short name, nulls", chained("d,outbox", "d.type", "DecodeLogicalDecodingMessageContent", "d.fields.null.include", " True "), ".*", "(unset)", "true", ""},
		{"nulls that are no boolean", chained("d,outbox", "d.type", decode, "d.fields.null.include", "yes"), ".*", "(unset)", "(unset)", "neither true nor false"},
		{"predicate that lets messages in", ask(chained("d,outbox", asking...), `app\.message`), ".*", "(unset)", "(unset)", ""},
		{"predicate that keeps messages out", ask(chained("d,outbox", asking...), `app\.public.*`), "(unset)", "(unset)", "(unset)", "keeps the messages of pg_logical_emit_message from the transform d"},
		{"predicate on the router that keeps messages out", ask(chained("d,outbox", "d.type", decode, "outbox.predicate", "p"), `app\.public\.outbox`), "(unset)", "(unset)", "(unset)", "from the transform outbox"},
		{"behind the router", chained("outbox,d", "d.type", decode), "(unset)", "(unset)", "(unset)", "changes records in a way that the relay does not know"},
		{"not in the chain", with("message.prefix.include.list", "outbox"), "(unset)", "(unset)", "(unset)", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			res := dbzconfig.Import(files(tt.config))
			if tt.refusal == "" {
				checkRefusals(t, res)
			} else {
				checkRefusals(t, res, tt.refusal)
			}
			checkFlags(t, res, "message.prefix.include.list", tt.include, "message.prefix.exclude.list", tt.exclude, "message.fields.null.include", tt.nulls)
		})
	}
}

func TestDecodeLists(t *testing.T) {
	t.Parallel()
	base := []string{"transforms", "d,outbox", "transforms.d.type", decode}
	res := dbzconfig.Import(files(with(append(base, "message.prefix.include.list", "a, b.*", "message.prefix.exclude.list", "")...)))
	checkRefusals(t, res)
	checkFlags(t, res, "message.prefix.include.list", "a, b.*", "message.prefix.exclude.list", "")
	res = dbzconfig.Import(files(with(append(base, "message.prefix.exclude.list", "x")...)))
	checkRefusals(t, res)
	checkFlags(t, res, "message.prefix.include.list", "(unset)", "message.prefix.exclude.list", "x")
	res = dbzconfig.Import(files(with("message.prefix.include.list", "a")))
	checkNotice(t, res, "the relay does not send them, unless DecodeLogicalDecodingMessageContent stands before the router")
	res = dbzconfig.Import(files(with(append(base, "transforms.d.fields.null.inculde", "true")...)))
	if len(res.Ignored) != 1 || res.Ignored[0].Nearest != "transforms.d.fields.null.include" {
		t.Errorf("ignored: %v", res.Ignored)
	}
}
