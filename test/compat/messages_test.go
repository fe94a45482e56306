package compat_test

import "fmt"

// payloads are JSON values that DecodeLogicalDecodingMessageContent takes. Debezium fails at others: an empty name, arrays
// of mixed types, an array at the top, integers beyond 64 bits.
var payloads = []string{
	`{"a": 1, "b": 2.5, "c": "x", "d": true, "e": null, "f": {}, "g": {"h": [1, 2], "i": []}}`, `{}`, `"text"`, `""`, `" "`, `"é \"😀\" \u0001\n\u2028"`, `1`, `-0`, `2147483647`, `2147483648`,
	`9223372036854775807`, `1.5`, `-0.0`, `1e5`, `1E-7`, `1.7976931348623157e308`, `4.9e-324`, `0.1`, `100.0`, `123456789.123`, `true`, `false`, `[1, 2]`, `["a", null, "b"]`, `[[1], [2, 3]]`,
	`[{"a": 1}, {"a": 2}]`, `[1.5, 2.5]`, `[true]`, `[3000000000, 4000000000]`, `"{\"in\": {\"side\": [1, \"x\"]}}"`, `"{\"in\": {\"side\": [1, 2], \"n\": null}}"`, `"[]"`, `"{"`, `{"x.y": 1, "sp ace": 2, "1st": 3, "ü": 4}`,
	`{"dup": 1, "dup": 2}`, `{"deep": {"er": {"est": [{"a": 1}, {"a": 2}]}}}`,
}

// messages compares events that were written by pg_logical_emit_message, between rows of a table.
func messages() []configuration {
	decoded := func(name string, more ...options) configuration {
		decode := options{"transforms": "decode,outbox", "transforms.decode.type": "io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent"}
		c := configuration{name: name, tables: []table{{}}, options: join(append([]options{decode}, more...)...)}
		for i, payload := range payloads {
			c.later = append(c.later, emit(i%3 > 0, "outbox", document(i, "", payload)))
		}
		c.later = append(c.later, interleaved()...)
		return c
	}
	aside := options{"table.fields.additional.placement": "type:header,more:header:m,part:partition", "table.field.additional.missing": "ignore"}
	nulls := options{"transforms.decode.fields.null.include": "true"}
	list := []configuration{
		decoded("messages-schemas", asSchemas, headersAsSchemas, aside),
		decoded("messages-json", asJSON, headersAsJSON, aside),
		decoded("messages-text", asText, aside),
		decoded("messages-nulls", asSchemas, headersAsSchemas, aside, nulls),
		decoded("messages-envelope", asSchemas, options{"table.fields.additional.placement": "type:envelope,no:header", "table.field.additional.missing": "ignore"}, nulls),
		decoded("messages-expand", asJSON, options{"table.expand.json.payload": "true"}),
		decoded("messages-tombstone", asText, options{"route.tombstone.on.empty.payload": "true"}),
		decoded("messages-context", asText, options{"extended.headers.enabled": "true", "message.prefix.exclude.list": "other.*"}),
		decoded("messages-prefix", asText, options{"message.prefix.include.list": `out.*, two\,parts`}),
	}
	list[5].tables = []table{{payload: kind{sql: "jsonb", edges: expandable}}} // Debezium fails at others, as the rows by chance would be
	for i := range list[:4] {
		list[i].later = append(list[i].later, typedFields()...)
	}
	for i := range list[7:] {
		list[7+i].later = append(list[7+i].later, emit(true, "other", "no JSON"), emit(false, "otherwise", ""), emit(false, "OUTBOX", document(900, "", `"upper case"`)))
	}
	list[8].later = append(list[8].later, emit(true, "two,parts", document(901, "", `"comma"`)), emit(true, "my outbox", document(902, "", `"not from the start"`)))
	return list
}

// typedFields have a JSON value of each type as additional field, and as id and key.
func typedFields() []string {
	var list []string
	for i, v := range payloads {
		list = append(list, emit(true, "outbox", document(100+i, `"more": `+v+`, "part": `+fmt.Sprint(i%partitions)+", ", `"p"`)))
	}
	for i, v := range []string{`7`, `3000000000`, `1.5`, `true`, `{"a": 1}`, `["k"]`} {
		list = append(list, emit(true, "outbox", fmt.Sprintf(`{"aggregatetype": "all", "payload": %d, "type": "T", "part": 1, "aggregateid": %s, "id": %s}`, i, v, v)))
	}
	return list
}

// interleaved are messages in transactions with rows, rolled back ones among them.
func interleaved() []string {
	row := func(n int) string {
		return fmt.Sprintf(`INSERT INTO outbox VALUES ('c0000000-0000-4000-8000-%012d', 'all', 'k', 'T', '{"row": %d}')`, n, n)
	}
	message := func(n int, transactional bool) string { return emit(transactional, "outbox", document(n, "", `"m"`)) }
	return []string{
		"BEGIN; " + row(1) + "; " + message(201, true) + "; " + row(2) + "; " + message(202, false) + "; " + message(203, true) + "; COMMIT",
		"BEGIN; " + row(3) + "; " + message(204, true) + "; " + message(205, false) + "; ROLLBACK",
		"BEGIN; SAVEPOINT a; " + message(206, true) + "; ROLLBACK TO a; " + message(207, true) + "; COMMIT",
	}
}

// document is the JSON of an event.
func document(n int, more, payload string) string {
	return fmt.Sprintf(`{"id": "d0000000-0000-4000-8000-%012d", "aggregatetype": "%s", "aggregateid": "k%d", "type": "T", "no": null, %s"payload": %s}`,
		n, []string{"all", "Order"}[n%2], n%5, more, payload)
}

// emit writes a message.
func emit(transactional bool, prefix, content string) string {
	return fmt.Sprintf("SELECT pg_logical_emit_message(%t, %s, convert_to(%s, 'UTF8'))", transactional, literal(prefix, true), literal(content, true))
}
