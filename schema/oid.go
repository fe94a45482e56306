package schema

import "fmt"

// OIDs of PostgreSQL's built-in types, from its pg_type.dat. They never change.
const (
	oidBool        = 16
	oidBytea       = 17
	oidChar        = 18 // "char", one byte
	oidName        = 19
	oidInt8        = 20
	oidInt2        = 21
	oidInt4        = 23
	oidText        = 25
	oidOID         = 26
	oidJSON        = 114
	oidXML         = 142
	oidPoint       = 600
	oidBox         = 603
	oidCIDR        = 650
	oidFloat4      = 700
	oidFloat8      = 701
	oidMacaddr8    = 774
	oidMoney       = 790
	oidMacaddr     = 829
	oidInet        = 869
	oidBpchar      = 1042
	oidVarchar     = 1043
	oidDate        = 1082
	oidTime        = 1083
	oidTimestamp   = 1114
	oidTimestamptz = 1184
	oidInterval    = 1186
	oidTimetz      = 1266
	oidBit         = 1560
	oidVarbit      = 1562
	oidNumeric     = 1700
	oidUUID        = 2950
	oidTsvector    = 3614
	oidJSONB       = 3802

	// firstUserOID is the lowest OID of a type that an extension or a user made.
	firstUserOID = 16384
)

// builtinNames are the built-in types by the names that SQL uses.
var builtinNames = map[uint32]string{
	oidBool: "boolean", oidBytea: "bytea", oidChar: `"char"`, oidName: "name", oidInt8: "bigint",
	oidInt2: "smallint", oidInt4: "integer", oidText: "text", oidOID: "oid", oidJSON: "json",
	oidXML: "xml", oidPoint: "point", oidCIDR: "cidr", oidFloat4: "real", oidFloat8: "double precision",
	oidMacaddr8: "macaddr8", oidMoney: "money", oidMacaddr: "macaddr", oidInet: "inet",
	oidBpchar: "character", oidVarchar: "character varying", oidDate: "date", oidTime: "time",
	oidTimestamp: "timestamp", oidTimestamptz: "timestamptz", oidInterval: "interval",
	oidTimetz: "timetz", oidBit: "bit", oidVarbit: "bit varying", oidNumeric: "numeric",
	oidUUID: "uuid", oidTsvector: "tsvector", oidJSONB: "jsonb",
	24: "regproc", 27: "tid", 28: "xid", 29: "cid", 601: "lseg", 602: "path", oidBox: "box", 604: "polygon",
	628: "line", 718: "circle", 3220: "pg_lsn", 3615: "tsquery", 4072: "jsonpath", 2970: "txid_snapshot",
	5038: "pg_snapshot", 5069: "xid8",
	3904: "int4range", 3906: "numrange", 3908: "tsrange", 3910: "tstzrange", 3912: "daterange", 3926: "int8range",
	4451: "int4multirange", 4532: "nummultirange", 4533: "tsmultirange", 4534: "tstzmultirange",
	4535: "datemultirange", 4536: "int8multirange",
}

// arrayElements maps the built-in array types to their elements.
var arrayElements = map[uint32]uint32{
	1000: oidBool, 1001: oidBytea, 1002: oidChar, 1003: oidName, 1005: oidInt2, 1007: oidInt4,
	1009: oidText, 1014: oidBpchar, 1015: oidVarchar, 1016: oidInt8, 1017: oidPoint, 1021: oidFloat4,
	1022: oidFloat8, 1028: oidOID, 1040: oidMacaddr, 775: oidMacaddr8, 1041: oidInet, 651: oidCIDR,
	1115: oidTimestamp, 1182: oidDate, 1183: oidTime, 1185: oidTimestamptz, 1187: oidInterval,
	1231: oidNumeric, 1270: oidTimetz, 1561: oidBit, 1563: oidVarbit, 2951: oidUUID, 199: oidJSON,
	3807: oidJSONB, 143: oidXML, 791: oidMoney, 3643: oidTsvector,
	3905: 3904, 3907: 3906, 3909: 3908, 3911: 3910, 3913: 3912, 3927: 3926,
	629: 628, 1018: 601, 1019: 602, 1020: oidBox, 1027: 604, 719: 718, 3221: 3220, 3645: 3615, 4073: 4072,
	6150: 4451, 6151: 4532, 6152: 4533, 6153: 4534, 6155: 4535, 6157: 4536,
}

// TypeText names the column's type for messages to operators.
func (c *Column) TypeText() string {
	if c.TypeName != "" {
		return c.TypeName
	}
	if name, ok := builtinNames[c.TypeOID]; ok {
		return name
	}
	if elem, ok := arrayElements[c.TypeOID]; ok {
		return builtinNames[elem] + "[]"
	}
	if c.Type != nil && c.Type.Name != "" {
		return c.Type.Name
	}
	return fmt.Sprintf("with OID %d", c.TypeOID)
}
