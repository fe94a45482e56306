package compat_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// kind is a column type with values to try: the ones picked by hand first, then others by chance.
type kind struct {
	column string // a name for a column of this type
	sql    string
	edges  []string                  // PostgreSQL's notation of the values; NULL is always tried too
	random func(r *rand.Rand) string // nil: one of the edges

	notNull bool // it is declared so
	since   int  // the first major version of PostgreSQL that has it; 0 for any
}

// value is edge i, NULL after the last one, and then values by chance. The second result is false for NULL.
func (k kind) value(i int, r *rand.Rand) (string, bool) {
	switch {
	case i < len(k.edges):
		return k.edges[i], true
	case i == len(k.edges):
		return "", false
	case k.random != nil && r.IntN(4) > 0:
		return k.random(r), true
	}
	n := r.IntN(len(k.edges) + 1)
	if n == len(k.edges) {
		return "", false
	}
	return k.edges[n], true
}

// preamble makes the types that the kinds refer to.
const preamble = `
CREATE EXTENSION IF NOT EXISTS citext;
CREATE EXTENSION IF NOT EXISTS hstore;
CREATE EXTENSION IF NOT EXISTS ltree;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'very happy', 'ü,"', '😀');
CREATE TYPE pair AS (a int, b text);
CREATE DOMAIN dtext AS text CHECK (VALUE <> 'no');
CREATE DOMAIN ddomain AS dtext;
CREATE DOMAIN dint AS int;
CREATE DOMAIN dnum AS numeric(10,2);
CREATE DOMAIN dts AS timestamp(3);
CREATE DOMAIN djson AS jsonb;
`

// texts are awkward for one layer or another: JSON's escapes, Java's surrogates, PostgreSQL's array syntax, Unicode's
// line breaks, blanks that trim cuts and those that it leaves.
var texts = []string{
	"", " ", "plain", "é ü ß", "😀", "a😀b\U0010FFFF", "\u2028\u2029\u0085", "\u0001\u001f\u007f\u0080", "\b\f\n\r\t\v",
	`"`, `\`, `a"b\c/d`, "<a href='x'>&amp;</a>", "e\u0301", "\u00a0", "null", "NULL", "{}", "[1,2]", "true", "1.0", "__debezium_unavailable_value",
	"\ufeffbom", "\uffff\ufffd", " both ", "${x} $1 %s", strings.Repeat("long 😀 ", 500),
}

var jsons = []string{
	`{}`, `[]`, `null`, `true`, `"text"`, `""`, `0`, `-0`, `-0.0`, `1e5`, `1E-7`, `1.10`, `123456789012345678901234567890`, `9223372036854775807`,
	`{"a": 1, "b": [1, 2.50, "x", null, true, {}], "c": {"d": {"e": []}}}`, `{"bb": 1, "a": 2, "ccc": 3, "Z": 4, "ä": 5}`,
	`{"u": "é ü 😀", "e": "\"\\\/\b\f\n\r\t", "s": "\ud83d\ude00", "c": "\u0001\u001f\u007f\u2028"}`,
	`{"html": "<a href='x'>&amp;</a>", "": "empty name", "x.y": 1, "sp ace": 2, "1st": 3}`,
	`[[1], [], [[2]]]`, `[{"a": 1}, {"a": 2, "b": 3}]`, `{"frac": 0.1, "big": 12345678.9, "exp": 1.5e300, "int": 3000000000}`,
}

var numbers = []string{"0", "1", "-1", "1.10", "100.50", "-0.000001", "123456789.123456789", "1e10", "99999999.99", "0.000"}

// A column of type name is missing: Debezium sends null for it.
var textKinds = []kind{
	{column: "t", sql: "text", edges: texts, random: randomText},
	{column: "vc", sql: "varchar(20)", edges: []string{"", "v", "x😀x", "12345678901234567890", "  "}, random: func(r *rand.Rand) string { return cut(randomText(r), 20) }},
	{column: "c8", sql: "char(8)", edges: []string{"", "ab", "12345678", "é", " x"}, random: func(r *rand.Rand) string { return cut(randomText(r), 8) }},
	{column: "ch", sql: `"char"`, edges: []string{"a", "", "~"}},
	{column: "ci", sql: "citext", edges: []string{"CiTeXt", "", `"`}, random: randomText},
	{column: "u", sql: "uuid", edges: []string{"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "00000000-0000-0000-0000-000000000000", "ffffffff-eeee-ffff-ffff-ffffffffffff"}, random: randomUUID},
	{column: "en", sql: "mood", edges: []string{"sad", "very happy", `ü,"`, "😀"}},
	{column: "dt", sql: "dtext", edges: []string{"d", "", "😀"}, random: randomText},
	{column: "dd", sql: "ddomain", edges: []string{"d", ""}, random: randomText},
	{column: "x", sql: "xml", edges: []string{"<a/>", `<a b="c">t &amp; ü</a>`, "x", ""}},
	{column: "inet", sql: "inet", edges: []string{"192.168.0.1/24", "::1", "10.0.0.1", "2001:db8::ff00:42:8329/64", "0.0.0.0/0"}},
	{column: "cidr", sql: "cidr", edges: []string{"192.168.0.0/24", "2001:db8::/32", "0.0.0.0/0"}},
	{column: "mac", sql: "macaddr", edges: []string{"08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff"}},
	{column: "mac8", sql: "macaddr8", edges: []string{"08:00:2b:01:02:03:04:05", "08:00:2b:01:02:03"}},
	{column: "lt", sql: "ltree", edges: []string{"Top.Science.Astronomy", "a", ""}},
	{column: "tsv", sql: "tsvector", edges: []string{"a fat cat", "'quo''ted':3A x:1,2B", ""}},
}

var jsonKinds = []kind{
	{column: "j", sql: "json", edges: append([]string{
		`{"b" : 1,` + "\n" + ` "a":[1.10, 1e5], "b": 2}`, `1e400`, `{"g": 1e400}`, `"\ud83d"`, `"\u0000"`, "\t[ 1 ]\n", `{"dup": 1, "dup": 2}`,
	}, jsons...), random: randomJSON},
	{column: "jb", sql: "jsonb", edges: append([]string{`{"b" : 1, "a":[1.10, 1e5], "b": 2}`, `1e40`}, jsons...), random: randomJSON},
	{column: "dj", sql: "djson", edges: jsons, random: randomJSON},
}

var numberKinds = []kind{
	{column: "i2", sql: "int2", edges: []string{"7", "-32768", "32767", "0"}},
	{column: "i4", sql: "int4", edges: []string{"7", "-2147483648", "2147483647", "0"}, random: func(r *rand.Rand) string { return fmt.Sprint(int32(r.Uint32())) }},
	{column: "i8", sql: "int8", edges: []string{"7", "-9223372036854775808", "9223372036854775807", "9007199254740993"}, random: func(r *rand.Rand) string { return fmt.Sprint(int64(r.Uint64())) }},
	{column: "o", sql: "oid", edges: []string{"0", "4294967295", "16384"}},
	{column: "b", sql: "bool", edges: []string{"true", "false"}},
	{column: "f4", sql: "float4", edges: []string{"1.1", "3.4028235e38", "1e-45", "0", "-0", "NaN", "Infinity", "-Infinity", "100", "1e7", "9999999", "0.001", "0.00099", "16777216"}, random: randomFloat4},
	{column: "f8", sql: "float8", edges: []string{"1.1", "1e10", "0.001", "1e23", "2e-3", "5e-324", "4.9e-324", "1.7976931348623157e308", "0", "-0", "NaN", "Infinity", "-Infinity", "100", "1e7", "9999999.999999998", "1e-5", "123456789012345680", "2.2250738585072014e-308"}, random: randomFloat8},
	{column: "n", sql: "numeric", edges: append([]string{"123456789012345678901234567890.123456789", "1e100", "1e-40", "NaN"}, numbers...), random: randomNumeric},
	{column: "n102", sql: "numeric(10,2)", edges: []string{"100.50", "-0.01", "99999999.99", "0", "0.005"}, random: func(r *rand.Rand) string { return fmt.Sprintf("%d.%02d", r.IntN(1e8)-5e7, r.IntN(100)) }},
	{column: "n38", sql: "numeric(38,0)", edges: []string{"1", "-12345678901234567890123456789012345678", "0", "128", "-128", "255", "-129"}},
	{column: "n35", sql: "numeric(3,5)", since: 15, edges: []string{"0.00123", "-0.00999", "0"}},
	{column: "n5m2", sql: "numeric(5,-2)", since: 15, edges: []string{"12300", "-9999900", "0", "49"}},
	{column: "n1000", sql: "numeric(100,50)", edges: []string{"1.5", "-1e49", "1e-50"}},
	{column: "m", sql: "money", edges: []string{"12.34", "-0.01", "92233720368547758.07", "-92233720368547758.08", "0"}},
	{column: "di", sql: "dint", edges: []string{"5", "-5"}},
	{column: "dn", sql: "dnum", edges: []string{"1.50", "-2", "0"}},
}

var temporalKinds = []kind{
	{column: "d", sql: "date", edges: []string{"2024-02-29", "1970-01-01", "1969-12-31", "0001-01-01", "0001-12-31 BC", "4713-01-01 BC", "1582-10-04", "1582-10-15", "1900-02-28", "9999-12-31", "10000-01-01", "5874897-12-31", "infinity", "-infinity"}, random: randomDate},
	{column: "ti", sql: "time", edges: times, random: randomTime(6)},
	{column: "ti0", sql: "time(0)", edges: []string{"11:51:02.5", "00:00:00", "24:00:00", "23:59:59.9"}, random: randomTime(0)},
	{column: "ti3", sql: "time(3)", edges: []string{"11:51:02.123", "00:00:00.001", "24:00:00", "23:59:59.999"}, random: randomTime(3)},
	{column: "tz", sql: "timetz", edges: []string{"11:51:02.12+02", "00:00:00+00", "23:59:59.999999-15:59", "24:00:00+00", "00:00:00+15:59", "12:00:00+05:30", "11:51:02.1234-08"}},
	{column: "tz0", sql: "timetz(0)", edges: []string{"11:51:02+02", "23:00:00-05:30", "00:00:00+00"}},
	{column: "ts", sql: "timestamp", edges: timestamps, random: randomTimestamp(6)},
	{column: "ts0", sql: "timestamp(0)", edges: []string{"2019-03-24 20:52:59", "1969-12-31 23:59:59", "2024-01-01 00:00:00", "0044-03-15 12:00:00 BC", "2016-12-31 23:59:60"}, random: randomTimestamp(0)},
	{column: "ts3", sql: "timestamp(3)", edges: []string{"2019-03-24 20:52:59.123", "1969-12-31 23:59:59.999", "1900-01-01 00:00:00.001", "0001-01-01 00:00:00 BC"}, random: randomTimestamp(3)},
	{column: "ts4", sql: "timestamp(4)", edges: []string{"2019-03-24 20:52:59.1234", "1969-12-31 23:59:59.9999", "2024-01-01 00:00:00"}, random: randomTimestamp(4)},
	{column: "tstz", sql: "timestamptz", edges: append(zoned(timestamps), "294276-12-31 23:59:59.999999+00"), random: randomTimestamp(6)},
	{column: "tstz0", sql: "timestamptz(0)", edges: []string{"2019-03-24 20:52:59+02", "1969-12-31 23:59:59+00", "2024-07-01 00:00:00+05:45"}, random: randomTimestamp(0)},
	{column: "tstz3", sql: "timestamptz(3)", edges: []string{"2019-03-24 20:52:59.120+02", "1969-12-31 23:59:59.999+00", "2024-01-01 00:00:00+00"}, random: randomTimestamp(3)},
	{column: "iv", sql: "interval", edges: []string{"1 day", "1 year 2 months 3 days 04:05:06.789", "-1 day -00:00:00.000001", "0", "100 years", "-1 mon +1 day", "00:00:00.5", "178000000 years", "25:00:00", "-00:30:00"}},
	{column: "dts", sql: "dts", edges: []string{"2019-03-24 20:52:59.123", "1969-12-31 23:59:59.999"}},
}

var times = []string{"11:51:02.123456", "00:00:00", "24:00:00", "23:59:59.999999", "00:00:00.000001", "12:00:00.1"}

var timestamps = []string{
	"2019-03-24 20:52:59.123456", "1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", "0001-01-01 00:00:00", "0001-12-31 23:59:59.5 BC",
	"4713-01-01 00:00:00 BC", "1582-10-04 12:00:00", "9999-12-31 23:59:59.999999", "10000-01-01 00:00:00", "294246-12-31 23:59:59.999999",
	"infinity", "-infinity", "2016-12-31 23:59:60", "2024-02-29 24:00:00", "1900-01-01 00:00:00.1",
}

// zoned puts time zones behind timestamps. The first one has no room for an offset.
func zoned(list []string) []string {
	zones := []string{"+00", "+02", "-08", "+05:45", "-00:30"}
	all := make([]string, len(list))
	for i, ts := range list {
		zone := zones[i%len(zones)]
		switch {
		case strings.HasPrefix(ts, "4713"):
			zone = "+00"
		case strings.Contains(ts, "infinity"):
			zone = ""
		}
		date, isBC := strings.CutSuffix(ts, " BC")
		if all[i] = date + zone; isBC {
			all[i] += " BC"
		}
	}
	return all
}

var byteKinds = []kind{
	{column: "by", sql: "bytea", edges: []string{`\x`, `\x00ff10`, `\x7b7d`, `\xfbff`, `\x` + strings.Repeat("00017f80ff", 100)}, random: randomBytea},
	{column: "bt1", sql: "bit(1)", edges: []string{"0", "1"}},
	{column: "bt8", sql: "bit(8)", edges: []string{"10000001", "00000000", "11111111", "00000001"}},
	{column: "bt12", sql: "bit(12)", edges: []string{"100000000001", "000000000000", "111100001010", "000000010000"}},
	{column: "vb", sql: "varbit(10)", edges: []string{"1", "", "1111111111", "0000000000"}},
	{column: "vb0", sql: "varbit", edges: []string{"101", "", "11111111111111111", "1"}},
	{column: "hs", sql: "hstore", edges: []string{`"a"=>"1", "b"=>NULL`, ``, `"k\"q"=>"v,\\"`, `"é"=>"😀", " "=>""`, `"b"=>"2", "aa"=>"3", "a"=>"1"`}},
}

var rangeKinds = []kind{
	{column: "i4r", sql: "int4range", edges: []string{"[1,10)", "empty", "(,5]", "[3,3]"}},
	{column: "i8r", sql: "int8range", edges: []string{"[1,10)", "[5,)"}},
	{column: "nr", sql: "numrange", edges: []string{"[1.5,10]", "(,)", "empty"}},
	{column: "tsr", sql: "tsrange", edges: []string{"[2024-01-01 00:00:00,2024-02-01 00:00:00.5)", "empty", "(,)"}},
	{column: "tzr", sql: "tstzrange", edges: []string{"[2024-01-01 00:00:00+02,2024-02-01 00:00:00+00)", "(,)", "[infinity,infinity]"}},
	{column: "dr", sql: "daterange", edges: []string{"[2024-01-01,2024-02-01]", "empty", "(,)"}},
	{column: "mr", sql: "int4multirange", edges: []string{"{[1,3),[5,8)}", "{}"}},
	{column: "pt", sql: "point", edges: []string{"(1.5,-2)", "(0,0)", "(1e300,1e-5)", "(NaN,Infinity)"}},
	{column: "ln", sql: "line", edges: []string{"{1,2,3}", "{1,-1,0}"}},
	{column: "lg", sql: "lseg", edges: []string{"[(0,0),(1,1)]", "[(1.5,2),(3,4)]"}},
	{column: "bx", sql: "box", edges: []string{"(1,1),(0,0)", "(2.25,3),(1,2)"}},
	{column: "pa", sql: "path", edges: []string{"[(0,0),(1,1)]", "((0,0),(1,1),(2,0))"}},
	{column: "pg", sql: "polygon", edges: []string{"((0,0),(1,1),(2,0))", "((0,0))"}},
	{column: "cr", sql: "circle", edges: []string{"<(1,2),3>", "<(0,0),0>"}},
	{column: "lsn", sql: "pg_lsn", edges: []string{"16/B374D848", "0/0"}},
	{column: "pr", sql: "pair", edges: []string{"(1,x)", "(,)", `(2,"a b")`}},
	{column: "tq", sql: "tsquery", edges: []string{"'fat' & 'rat'", "!'x'"}},
	{column: "jp", sql: "jsonpath", edges: []string{`$."a"`, "strict $"}},
}

// An array of bit(n) is missing: Debezium sends null for it, and the relay refuses the column. So are texts in two
// dimensions, for which Debezium sends addresses of Java objects.
var arrayKinds = []kind{
	{column: "at", sql: "text[]", edges: []string{`{a,"b\"c\\d",NULL,"NULL","",😀}`, "{}", `{" x y ","é\n"}`, "{NULL}", "[2:3]={a,b}"}},
	{column: "avc", sql: "varchar(5)[]", edges: []string{"{a,b}", "{}", "{NULL}"}},
	{column: "ac", sql: "char(3)[]", edges: []string{"{a,bcd}", "{}"}},
	{column: "ai2", sql: "int2[]", edges: []string{"{1,-2}", "{}", "{NULL}"}},
	{column: "ai4", sql: "int4[]", edges: []string{"{1,NULL,3}", "{}", "{{1,2},{3,4}}"}},
	{column: "ai8", sql: "int8[]", edges: []string{"{1,9007199254740993}", "{}"}},
	{column: "af4", sql: "float4[]", edges: []string{"{1.1,NaN,-0}", "{}"}},
	{column: "af8", sql: "float8[]", edges: []string{"{1.1,Infinity,1e-7,1e23}", "{}"}},
	{column: "ab", sql: "bool[]", edges: []string{"{t,f,NULL}", "{}"}},
	{column: "an", sql: "numeric[]", edges: []string{"{1.50,2,1e3}", "{}", "{NULL}"}},
	{column: "an2", sql: "numeric(10,2)[]", edges: []string{"{1.50,2}", "{}"}},
	{column: "au", sql: "uuid[]", edges: []string{"{a0000000-0000-4000-8000-000000000001}", "{}"}},
	{column: "ad", sql: "date[]", edges: []string{"{2024-02-29,1969-12-31}", "{}"}},
	{column: "ati", sql: "time[]", edges: []string{"{11:51:02.123456,00:00:00}", "{}"}},
	{column: "atz", sql: "timetz[]", edges: []string{"{11:51:02+02}", "{}"}},
	{column: "ats", sql: "timestamp[]", edges: []string{`{"2024-02-29 01:02:03.456789"}`, "{}"}},
	{column: "atstz", sql: "timestamptz[]", edges: []string{`{"2024-02-29 01:02:03.456+02"}`, "{}"}},
	{column: "ajb", sql: "jsonb[]", edges: []string{`{"{\"a\": [1, 2]}","null"}`, "{}"}},
	{column: "aj", sql: "json[]", edges: []string{`{"{\"a\":1}"}`, "{}"}},
	{column: "ain", sql: "inet[]", edges: []string{"{10.0.0.1,::1}", "{}"}},
	{column: "acd", sql: "cidr[]", edges: []string{"{10.0.0.0/8}", "{}"}},
	{column: "aci", sql: "citext[]", edges: []string{"{Aa}", "{}"}},
	{column: "am", sql: "macaddr[]", edges: []string{"{08:00:2b:01:02:03}", "{}"}},
	{column: "aby", sql: "bytea[]", edges: []string{`{"\\x00ff"}`, "{}"}},
	{column: "aen", sql: "mood[]", edges: []string{`{sad,"very happy"}`, "{}"}},
	{column: "adt", sql: "dtext[]", edges: []string{"{d}", "{}"}},
	{column: "adi", sql: "dint[]", edges: []string{"{5}", "{}"}},
	{column: "ar", sql: "int4range[]", edges: []string{`{"[1,3)"}`, "{}"}},
	{column: "anr", sql: "numrange[]", edges: []string{`{"[1.5,3)"}`, "{}"}},
	{column: "amo", sql: "money[]", edges: []string{"{1.5}", "{}"}},
	{column: "aiv", sql: "interval[]", edges: []string{"{1 day}", "{}"}},
	{column: "ao", sql: "oid[]", edges: []string{"{1}", "{}"}},
	{column: "ahs", sql: "hstore[]", edges: []string{`{"\"a\"=>\"1\""}`, "{}"}},
	{column: "alt", sql: "ltree[]", edges: []string{"{a.b}", "{}"}},
	{column: "avb", sql: "varbit[]", edges: []string{"{10}", "{}"}},
	{column: "ax", sql: "xml[]", edges: []string{"{<a/>}", "{}"}},
	{column: "anm", sql: "name[]", edges: []string{"{n}", "{}"}},
	{column: "apt", sql: "point[]", edges: []string{`{"(1,2)"}`, "{}"}},
}
