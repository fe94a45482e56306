package compat_test

import (
	"fmt"
	"slices"
	"strings"
)

// matrix lists all configurations. Those marked as full are compared with -full only.
func matrix() []configuration {
	return slices.Concat(chosen(), tables(), routing(), expanding(), connecting(), messages(), crossed(), beating())
}

// everything are the types that can be key and payload.
var everything = slices.Concat(textKinds, jsonKinds, numberKinds, temporalKinds, byteKinds)

// chosen pairs each group of types and each way of reading it with some converter, so that every one of them is met.
func chosen() []configuration {
	nano := typed("time-nano", temporalKinds, asText, headersAsSchemas, options{"time.precision.mode": "nanoseconds"})
	nano.unfit = beyondNanoseconds
	return []configuration{
		typed("text-schemas", slices.Concat(textKinds, jsonKinds), asSchemas),
		typed("text-struct", slices.Concat(textKinds, jsonKinds), asText, headersAsText),
		typed("number-precise", numberKinds, asSchemas),
		typed("number-double", numberKinds, asJSON, headersAsJSON, options{"decimal.handling.mode": "double", "money.fraction.digits": "3"}),
		typed("number-string", numberKinds, asText, options{"decimal.handling.mode": "string", "money.fraction.digits": "0"}),
		typed("number-numeric", numberKinds, asJSON, headersAsSchemas, options{"value.converter.decimal.format": "NUMERIC"}),
		typed("time-adaptive", temporalKinds, asSchemas, headersAsText),
		typed("time-adaptive-micro", temporalKinds, asJSON, options{"time.precision.mode": "adaptive_time_microseconds", "interval.handling.mode": "string"}),
		typed("time-connect", temporalKinds, asSchemas, options{"time.precision.mode": "connect"}),
		typed("time-isostring", temporalKinds, asText, options{"time.precision.mode": "isostring"}),
		typed("time-micro", temporalKinds, asSchemas, headersAsJSON, options{"time.precision.mode": "microseconds"}),
		nano,
		typed("bytes", byteKinds, asSchemas),
		typed("bytes-base64", byteKinds, asJSON, options{"binary.handling.mode": "base64", "hstore.handling.mode": "map"}),
		typed("bytes-base64-url", byteKinds, asSchemas, headersAsSchemas, options{"binary.handling.mode": "base64-url-safe", "hstore.handling.mode": "map"}),
		typed("bytes-hex", byteKinds, asJSON, headersAsJSON, options{"binary.handling.mode": "hex"}),
		typed("range", rangeKinds, asSchemas),
		typed("range-unknown", rangeKinds, asJSON, headersAsJSON, options{"include.unknown.datatypes": "true"}),
		typed("range-unknown-hex", rangeKinds, asSchemas, options{"include.unknown.datatypes": "true", "binary.handling.mode": "hex"}),
		typed("array", arrayKinds, asSchemas),
		typed("array-unknown", arrayKinds, asSchemas, headersAsSchemas, options{"include.unknown.datatypes": "true"}),
		typed("array-unknown-base64", arrayKinds, asJSON, options{"include.unknown.datatypes": "true", "binary.handling.mode": "base64"}),
		typed("array-json", arrayKinds, asJSON, headersAsJSON, options{"decimal.handling.mode": "string", "time.precision.mode": "connect"}),
		keyed("key-schemas", everything, asSchemas),
		keyed("key-json", everything, asJSON, options{"decimal.handling.mode": "double", "binary.handling.mode": "base64"}),
		keyed("key-text", without(everything, asAddress...), asText),
		keyed("key-binary", choose(byteKinds, "by"), asBinary, options{"key.converter": jsonConverter}),
	}
}

// asAddress are the columns of which StringConverter prints the address of a Java object: the relay refuses them.
var asAddress = []string{"n", "bt8", "bt12", "vb", "vb0", "by", "pt"}

// beyondNanoseconds are instants that 64 bits of nanoseconds cannot hold: Debezium sends null for them, the relay stops.
func beyondNanoseconds(k kind, value string) bool {
	if !strings.HasPrefix(k.sql, "timestamp") && k.sql != "dts" || strings.HasPrefix(k.sql, "timestamptz") {
		return false
	}
	return value < "1678" || value > "2262" || strings.Contains(value, "BC") || strings.Contains(value, "infinity") || value[4] != '-'
}

// tables compares what a table can be like: defaults, constraints, names, keys, several of them.
func tables() []configuration {
	defaults := func(name string, columns []kind, more ...options) configuration {
		c := typed(name, columns, more...)
		c.tables[0].defaults = true
		return c
	}
	notNull := func(name string, columns []kind, more ...options) configuration {
		c := typed(name, columns, more...)
		c.tables[0].notNull = true
		return c
	}
	return []configuration{
		defaults("default-text", slices.Concat(textKinds, jsonKinds), asSchemas),
		defaults("default-number", numberKinds, asSchemas, headersAsJSON),
		defaults("default-time", temporalKinds, asSchemas),
		defaults("default-bytes", byteKinds, asSchemas),
		defaults("default-array", arrayKinds, asSchemas),
		notNull("notnull-text", slices.Concat(textKinds, jsonKinds), asSchemas, headersAsSchemas),
		notNull("notnull-number", without(numberKinds, "n"), asSchemas),
		notNull("notnull-time", temporalKinds, asJSON),
		functions(),
		named(),
		several(),
		changed(),
	}
}

// functions has defaults that are no constants.
func functions() configuration {
	return typed("default-functions", []kind{
		{column: "du", sql: "uuid DEFAULT gen_random_uuid()"}, {column: "dn", sql: "timestamptz DEFAULT now()"},
		{column: "dl", sql: "timestamp DEFAULT localtimestamp"}, {column: "dd", sql: "date DEFAULT current_date"},
		{column: "dt", sql: "text DEFAULT upper('x' || 'y')"}, {column: "di", sql: "int DEFAULT 1 + 1"}, {column: "dr", sql: "float8 DEFAULT random()"},
		{column: "ds", sql: "bigserial", edges: []string{"7"}, notNull: true}, {column: "dm", sql: "mood DEFAULT 'ok'"}, {column: "dj", sql: `jsonb DEFAULT '{"a": 1}'::jsonb`},
		{column: "dc", sql: "text DEFAULT current_user"}, {column: "dx", sql: "text DEFAULT NULL"}, {column: "da", sql: "text[] DEFAULT '{a,b}'::text[]"},
		{column: "dv", sql: "varchar(10) DEFAULT 'it''s'"}, {column: "dy", sql: "numeric(10,2) DEFAULT -1.5"}, {column: "db", sql: "bool DEFAULT true NOT NULL", edges: []string{"true"}, notNull: true},
		{column: "de", sql: `text DEFAULT E'a\nb'`}, {column: "dz", sql: "interval DEFAULT '1 day'::interval"}, {column: "dk", sql: "bytea DEFAULT '\\x00ff'::bytea"},
	}, asSchemas, headersAsSchemas)
}

// named has names that need quotes.
func named() configuration {
	column := func(name string) kind { return kind{column: name} }
	extra := []kind{{column: "Tenant Id", sql: "text", edges: []string{"acme"}}, {column: "größe", sql: "int", edges: []string{"5"}}}
	c := configuration{name: "names", tables: []table{{
		schema: "My Schema", name: "Outbox-Events", id: column("eventId"), route: column("aggregateType"), key: column("Aggregate Id"),
		event: column("eventType"), payload: column("Payload"), columns: extra,
	}}}
	c.options = join(asSchemas, placed(extra, "header", "envelope"), options{
		"table.include.list": `My Schema\.Outbox-Events`, "table.field.event.id": "eventId", "table.field.event.key": "Aggregate Id",
		"table.field.event.type": "eventType", "table.field.event.payload": "Payload", "route.by.field": "aggregateType",
	})
	return c
}

// several has tables of several schemas.
func several() configuration {
	c := configuration{name: "several", options: join(asSchemas, options{"table.include.list": `public\.outbox, tenant_.*\.outbox_\d+`})}
	c.tables = []table{{}, {schema: "tenant_a", name: "outbox_1", noKey: true}, {schema: "tenant_b", name: "outbox_22", payload: kind{sql: "text", edges: texts}}}
	c.before = []string{`CREATE SCHEMA tenant_c`, `CREATE TABLE tenant_c.outbox_x (id uuid, aggregatetype text, aggregateid text, type text, payload text)`}
	c.later = []string{`INSERT INTO tenant_c.outbox_x VALUES (gen_random_uuid(), 'all', 'k', 'T', 'x')`}
	return c
}

// changed has statements that are no inserts, and changes of the table between inserts. No default is changed: both sides
// look defaults up in the catalog when they meet the row, so that they may see one of before, or of later.
func changed() configuration {
	c := configuration{name: "changes", options: join(asJSON, options{"table.fields.additional.placement": "tenant:header", "table.field.additional.missing": "ignore"})}
	c.tables = []table{{}}
	insert := func(n int, more ...string) string {
		names, values := "", ""
		if len(more) > 0 {
			names, values = ", "+more[0], ", "+more[1]
		}
		return fmt.Sprintf(`INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload%s) VALUES ('b0000000-0000-4000-8000-%012d', 'all', 'k%d', 'T', '{"n": %d}'%s)`,
			names, n, n, n, values)
	}
	c.later = []string{
		insert(1), `UPDATE outbox SET payload = '{}' WHERE aggregateid = 'k1'`, `DELETE FROM outbox WHERE aggregateid = 'k1'`,
		insert(2), `UPDATE outbox SET id = 'b0000000-0000-4000-8000-000000000099' WHERE aggregateid = 'k2'`,
		`ALTER TABLE outbox ADD tenant text`, insert(3, "tenant", "'acme'"), insert(4, "tenant", "NULL"),
		insert(5), insert(6, "tenant", "''"),
		`ALTER TABLE outbox RENAME tenant TO customer`, insert(7, "customer", "'x'"),
		`ALTER TABLE outbox ADD tenant int`, insert(8, "tenant", "8"), `ALTER TABLE outbox DROP customer`, insert(9, "tenant", "9"),
		`ALTER TABLE outbox ALTER payload TYPE text`, insert(10), `BEGIN; TRUNCATE outbox; COMMIT`, insert(11),
		"BEGIN; " + insert(12) + "; SAVEPOINT a; " + insert(13) + "; ROLLBACK TO a; " + insert(14) + "; COMMIT",
		"BEGIN; " + insert(15) + "; ROLLBACK",
		`ALTER TABLE outbox REPLICA IDENTITY FULL`, insert(16), `UPDATE outbox SET id = 'b0000000-0000-4000-8000-000000000098' WHERE aggregateid = 'k16'`,
		`ALTER TABLE outbox REPLICA IDENTITY DEFAULT`,
	}
	return c
}

// routing compares options of the router.
func routing() []configuration {
	kinds := []string{"order", "Order.v1", "customer_x", "a-b", "User", "all", "2024-01", "aab", "x.y.z"}
	routed := func(name, regex, replacement string) configuration {
		o := options{"route.topic.replacement": name + "." + replacement}
		if regex != "" {
			o["route.topic.regex"] = regex
		}
		return configuration{name: name, options: join(asText, o), tables: []table{{kinds: kinds}}}
	}
	stamped := func(name string, column kind) configuration {
		c := configuration{name: name, tables: []table{{columns: []kind{column}}}}
		c.options = join(asText, options{"table.field.event.timestamp": column.column})
		c.unfit = func(_ kind, value string) bool { // Kafka refuses what is before 1970 or in the future
			return value < "1970" || value > "2025" || value[4] != '-' || strings.Contains(value, "BC") || strings.Contains(value, "infinity")
		}
		return c
	}
	tombstone := func(name string, payload kind, more ...options) configuration {
		more = append(more, options{"route.tombstone.on.empty.payload": "true"})
		return configuration{name: name, tables: []table{{payload: payload}}, options: join(more...)}
	}
	bytea := choose(byteKinds, "by")[0]
	bytea.column = ""
	blank := kind{sql: "text", edges: append([]string{"\t\n ", "\u2003", "x"}, texts...)}
	partition := kind{column: "part", sql: "int", edges: []string{"0", "1", "2", "3"}}
	version := kind{column: "version", sql: "int", edges: []string{"1", "2", "7", "-1"}}
	return []configuration{
		routed("route-default", "", "${routedByValue}"),
		routed("route-groups", `(?<first>[a-z])(.*?)([\w.-]*)`, "${first}.$2_$3$1"),
		routed("route-java", `(?=.*)(?:(.)\1|[a-zA-Z&&[^xyz]])++.*+`, "java.$1.$0"),
		routed("route-part", `[a-z]+|order`, "part"),
		stamped("stamp-micro", choose(temporalKinds, "ts")[0]),
		stamped("stamp-milli", choose(temporalKinds, "ts3")[0]),
		tombstone("tombstone-text", blank, asText),
		tombstone("tombstone-json", blank, asSchemas, options{"table.fields.additional.placement": "type:envelope"}),
		tombstone("tombstone-bytes", bytea, asBinary),
		{name: "partition", tables: []table{{columns: []kind{partition}}}, options: join(asText, options{"table.fields.additional.placement": "part:partition"})},
		{name: "version", tables: []table{{columns: []kind{version}, kinds: kinds}}, options: join(asSchemas, options{
			"table.field.event.schema.version": "version", "table.fields.additional.placement": "type:envelope:eventType,version:envelope:v"})},
		{name: "placement", tables: []table{{kinds: kinds}}, options: join(asJSON, options{
			"table.fields.additional.placement": "type:header:eventType , aggregateid:HEADER:id,type:envelope:t,\naggregatetype:envelope:kind,payload:header,payload:envelope:again,id:header:"})},
		{name: "headers", tables: []table{{}}, options: join(asText, options{"extended.headers.enabled": "true", "table.fields.additional.placement": "type:header"})},
		{name: "headers-schemas", tables: []table{{}}, options: join(asSchemas, headersAsSchemas, options{"extended.headers.enabled": "true"})},
	}
}

var asBinary = options{"key.converter": stringConverter, "value.converter": binaryConverter,
	"value.converter.delegate.converter.type": jsonConverter, "value.converter.delegate.converter.type.schemas.enable": "false"}

// connecting compares what the connector and the transforms behind the router do.
func connecting() []configuration {
	snapshot := func(name, mode string, columns []kind, more ...options) configuration {
		c := typed(name, columns, append(more, options{"snapshot.mode": mode})...)
		c.early = true
		c.unfit = func(k kind, value string) bool { // Debezium's snapshot takes them for other days than its stream
			return k.sql == "date" && (strings.HasSuffix(value, "BC") || strings.Contains(value, "infinity"))
		}
		return c
	}
	tenant := kind{column: "tenant", sql: "text", edges: []string{"acme", "", "x"}}
	secret := kind{column: "secret", sql: "text", edges: []string{"s"}}
	return []configuration{
		snapshot("snapshot-text", "initial", slices.Concat(textKinds, jsonKinds), asSchemas),
		snapshot("snapshot-number", "always", numberKinds, asJSON),
		snapshot("snapshot-time", "initial", temporalKinds, asSchemas),
		snapshot("snapshot-bytes", "when_needed", byteKinds, asJSON),
		snapshot("snapshot-array", "initial", arrayKinds, asJSON, options{"extended.headers.enabled": "true"}),
		toasted(),
		{name: "null-kept", tables: []table{{defaults: true, columns: textKinds}}, options: join(asSchemas, placed(textKinds, "header", "envelope"), options{
			"key.converter.replace.null.with.default": "false", "value.converter.replace.null.with.default": "false"})},
		{name: "columns", tables: []table{{columns: []kind{tenant, secret}}}, options: join(asSchemas,
			placed([]kind{tenant}, "header", "envelope"), options{"column.exclude.list": `public\.outbox\.sec.*`})},
		{name: "chain", tables: []table{{kinds: []string{"order", "User"}, columns: []kind{tenant}}}, options: join(asJSON, placed([]kind{tenant}, "header"), options{
			"transforms": "outbox,rename,drop,insert", "transforms.rename.type": "org.apache.kafka.connect.transforms.RegexRouter",
			"transforms.rename.regex": `(chain)\.(.)(.*)`, "transforms.rename.replacement": "$1.$3.$2",
			"transforms.drop.type": "org.apache.kafka.connect.transforms.DropHeaders", "transforms.drop.headers": "tenant,nothing",
			"transforms.insert.type":   "org.apache.kafka.connect.transforms.InsertHeader",
			"transforms.insert.header": "source", "transforms.insert.value.literal": "12",
			"extended.headers.enabled": "true"})},
	}
}

// toasted has payloads that PostgreSQL stores elsewhere, and does not repeat in the WAL when an update leaves them alone.
func toasted() configuration {
	c := configuration{name: "toast", options: join(asJSON, options{"unavailable.value.placeholder": "(not there)"})}
	c.tables = []table{{}, {name: "outbox_b", payload: choose(byteKinds, "by")[0]}, {name: "outbox_t", payload: kind{sql: "text", edges: texts}}}
	c.tables[1].payload.column = ""
	for n, name := range []string{"outbox", "outbox_b", "outbox_t"} {
		const digests = `string_agg(md5(i::text), '' ORDER BY i)`
		payload := []string{`jsonb_build_object('x', ` + digests + `)`, `decode(` + digests + `, 'hex')`, digests}[n]
		c.later = append(c.later,
			fmt.Sprintf(`INSERT INTO %s SELECT 'b0000000-0000-4000-8000-00000000000%d', 'all', 'large', 'T', %s FROM generate_series(1, 2000) i`, name, n, payload),
			fmt.Sprintf(`UPDATE %s SET id = 'b0000000-0000-4000-8000-00000000001%d' WHERE aggregateid = 'large'`, name, n))
	}
	return c
}
