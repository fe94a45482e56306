package schema

// Type is a Kafka Connect schema type. The zero Type is that of a null value.
type Type byte

// The types of Connect's data API, and Decimal: a BYTES schema whose value is a
// decimal number until a converter writes it.
const (
	TypeNull Type = iota
	TypeBoolean
	TypeInt8
	TypeInt16
	TypeInt32
	TypeInt64
	TypeFloat32
	TypeFloat64
	TypeString
	TypeBytes
	TypeArray
	TypeMap
	TypeStruct
	TypeDecimal
)

// String returns the name that Connect's JSON form of a schema uses.
func (t Type) String() string {
	return [...]string{"null", "boolean", "int8", "int16", "int32", "int64", "float", "double",
		"string", "bytes", "array", "map", "struct", "bytes"}[t]
}

// Schema is a Kafka Connect schema. It is shared between the values it
// describes and must not be changed once it is in use.
type Schema struct {
	Type       Type
	Optional   bool
	Name       string // the semantic type, such as io.debezium.data.Uuid; "" for none
	Version    int32
	HasVersion bool
	Doc        string
	Params     []Param
	Default    *Value // nil for none

	Keys   *Schema // of a map
	Items  *Schema // an array's elements or a map's values
	Fields []Field // of a struct
}

// Param is a schema parameter, kept in the order in which it is written.
type Param struct{ Key, Value string }

// Field is a member of a struct schema.
type Field struct {
	Name   string
	Schema *Schema
}

// Value is a value of a Schema. What it holds depends on Type:
//
//	Boolean, Int*      Int (0 or 1 for a boolean)
//	Float32, Float64   Float
//	String, Bytes      Bytes
//	Decimal            Bytes, the digits with an optional "-", and Int, the scale
//	Array, Struct      Items: the elements, or one for each field of the schema
//	Map                Items: key, value, key, value ...
//
// Bytes may alias the row it was read from.
type Value struct {
	Type  Type
	Int   int64
	Float float64
	Bytes []byte
	Items []Value
}

// IsNull reports whether v is null.
func (v *Value) IsNull() bool { return v.Type == TypeNull }

// Names of the semantic types that Debezium and Connect give to columns.
const (
	nameUUID            = "io.debezium.data.Uuid"
	nameJSON            = "io.debezium.data.Json"
	nameEnum            = "io.debezium.data.Enum"
	nameXML             = "io.debezium.data.Xml"
	nameLtree           = "io.debezium.data.Ltree"
	nameTsvector        = "io.debezium.data.Tsvector"
	nameBits            = "io.debezium.data.Bits"
	nameVariableDecimal = "io.debezium.data.VariableScaleDecimal"
	namePoint           = "io.debezium.data.geometry.Point"
	nameDecimal         = "org.apache.kafka.connect.data.Decimal"
	nameConnectDate     = "org.apache.kafka.connect.data.Date"
	nameConnectTime     = "org.apache.kafka.connect.data.Time"
	nameConnectStamp    = "org.apache.kafka.connect.data.Timestamp"
	nameDate            = "io.debezium.time.Date"
	nameTime            = "io.debezium.time.Time"
	nameMicroTime       = "io.debezium.time.MicroTime"
	nameNanoTime        = "io.debezium.time.NanoTime"
	nameZonedTime       = "io.debezium.time.ZonedTime"
	nameZonedTimestamp  = "io.debezium.time.ZonedTimestamp"

	// The three that the event timestamp may have.
	NameTimestamp      = "io.debezium.time.Timestamp"
	NameMicroTimestamp = "io.debezium.time.MicroTimestamp"
	NameNanoTimestamp  = "io.debezium.time.NanoTimestamp"
)
