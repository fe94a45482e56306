package schema

import (
	"errors"
	"fmt"
)

// TypeOptions are the connector's options that change what a column's value
// becomes. The zero value stands for Debezium's defaults, except
// MoneyFractionDigits, which is used as it is.
type TypeOptions struct {
	DecimalHandling     string // decimal.handling.mode: precise (default), double, string
	TimePrecision       string // time.precision.mode: adaptive (default), adaptive_time_microseconds, connect, isostring, microseconds, nanoseconds
	BinaryHandling      string // binary.handling.mode: bytes (default), base64, base64-url-safe, hex
	HStoreHandling      string // hstore.handling.mode: json (default), map
	IntervalHandling    string // interval.handling.mode: numeric (default), string
	MoneyFractionDigits int    // money.fraction.digits: 2 in Debezium
	IncludeUnknown      bool   // include.unknown.datatypes
}

// DefaultTypeOptions returns Debezium's defaults.
func DefaultTypeOptions() TypeOptions { return TypeOptions{MoneyFractionDigits: 2} }

// Validate reports every value that its option does not have, by the option's
// name.
func (o TypeOptions) Validate() error {
	_, decimals := o.numericKind(-1)
	_, times := o.temporalKind(oidDate, -1)
	_, binary := o.bytesKind()
	_, interval := o.intervalKind()
	_, hstore := o.hstoreKind()
	var money error
	if o.MoneyFractionDigits < 0 {
		money = fmt.Errorf("-money.fraction.digits: %d is negative", o.MoneyFractionDigits)
	}
	return errors.Join(decimals, times, binary, interval, hstore, money)
}

// UnsupportedError says that a column cannot be sent as Debezium would send it.
type UnsupportedError struct {
	Column string
	Type   string
	// Omitted: Debezium, as it is configured, leaves such a column out of the row.
	Omitted bool
}

func (e *UnsupportedError) Error() string {
	if e.Omitted {
		return fmt.Sprintf("column %q has the type %s, which Debezium leaves out (include.unknown.datatypes=false)", e.Column, e.Type)
	}
	return fmt.Sprintf("column %q has the type %s, which cannot be sent as Debezium would send it", e.Column, e.Type)
}

// simpleKinds are the types on which no option and no modifier has an influence.
var simpleKinds = map[uint32]kind{
	oidBool:     {schema: Schema{Type: TypeBoolean}, decode: decodeBool},
	oidInt2:     {schema: Schema{Type: TypeInt16}, decode: decodeInt(TypeInt16), verbatim: true},
	oidInt4:     {schema: Schema{Type: TypeInt32}, decode: decodeInt(TypeInt32), verbatim: true},
	oidInt8:     {schema: Schema{Type: TypeInt64}, decode: decodeInt(TypeInt64), verbatim: true},
	oidOID:      {schema: Schema{Type: TypeInt64}, decode: decodeInt(TypeInt64), verbatim: true},
	oidFloat4:   {schema: Schema{Type: TypeFloat32}, decode: decodeFloat32},
	oidFloat8:   {schema: Schema{Type: TypeFloat64}, decode: decodeFloat64},
	oidUUID:     stringKind(nameUUID),
	oidJSON:     stringKind(nameJSON),
	oidJSONB:    stringKind(nameJSON),
	oidXML:      stringKind(nameXML),
	oidTsvector: stringKind(nameTsvector),
	oidPoint:    {schema: pointSchema, decode: decodePoint, noDefault: true},
}

// textTypes are the built-in types whose text is a plain string: text itself,
// names, network addresses and ranges.
var textTypes = map[uint32]bool{
	oidText: true, oidVarchar: true, oidBpchar: true, oidChar: true, oidName: true,
	oidInet: true, oidCIDR: true, oidMacaddr: true, oidMacaddr8: true,
	3904: true, 3906: true, 3908: true, 3910: true, 3912: true, 3926: true,
}

// omittedArrays are element types whose arrays Debezium leaves out, also with
// include.unknown.datatypes.
var omittedArrays = map[uint32]bool{
	oidMoney: true, oidName: true, oidInterval: true, oidVarbit: true, oidXML: true, oidPoint: true,
}

// kindOf decides what a column's values are.
func (o TypeOptions) kindOf(col *Column) (kind, error) {
	if k, ok := simpleKinds[col.TypeOID]; ok {
		return k, nil
	}
	if textTypes[col.TypeOID] {
		return stringKind(""), nil
	}
	switch col.TypeOID {
	case oidBytea:
		return o.bytesKind()
	case oidNumeric:
		return o.numericKind(col.TypeMod)
	case oidMoney:
		return o.moneyKind()
	case oidInterval:
		return o.intervalKind()
	case oidBit, oidVarbit:
		return bitsKind(col.TypeMod), nil
	case oidDate, oidTime, oidTimetz, oidTimestamp, oidTimestamptz:
		return o.temporalKind(col.TypeOID, col.TypeMod)
	}
	if elem, ok := arrayElements[col.TypeOID]; ok {
		return o.arrayKind(col, &Column{Name: col.Name, TypeOID: elem, TypeMod: col.TypeMod})
	}
	if col.TypeOID >= firstUserOID {
		return o.userKind(col)
	}
	return o.unknownKind(col)
}

// userKind is a type that an extension or a user made, as far as the catalog
// told about it.
func (o TypeOptions) userKind(col *Column) (kind, error) {
	t := col.Type
	switch {
	case t == nil:
		return stringKind(""), nil
	case t.Base != nil:
		base := *t.Base
		base.Name = col.Name
		if base.TypeMod < 0 {
			base.TypeMod = col.TypeMod
		}
		return o.kindOf(&base)
	case t.Elem != nil:
		elem := *t.Elem
		elem.Name, elem.TypeMod = col.Name, col.TypeMod
		return o.arrayKind(col, &elem)
	case t.Kind == 'e':
		return enumKind(t.Labels), nil
	case t.Kind != 'b':
		return o.unknownKind(col)
	}
	switch t.Name {
	case "citext", "isbn":
		return stringKind(""), nil
	case "ltree":
		return stringKind(nameLtree), nil
	case "hstore":
		return o.hstoreKind()
	case "geometry", "geography", "vector", "halfvec", "sparsevec":
		return kind{}, &UnsupportedError{Column: col.Name, Type: col.TypeText()}
	}
	return o.unknownKind(col)
}

// enumKind lists what is allowed, separated by commas, whatever the labels hold.
func enumKind(labels []string) kind {
	k := stringKind(nameEnum)
	allowed := ""
	for i, l := range labels {
		if i > 0 {
			allowed += ","
		}
		allowed += l
	}
	k.schema.Params = []Param{{"allowed", allowed}}
	return k
}

// unknownKind is a type that Debezium has no schema for: left out, or its text
// as bytes.
func (o TypeOptions) unknownKind(col *Column) (kind, error) {
	if !o.IncludeUnknown {
		return kind{}, &UnsupportedError{Column: col.Name, Type: col.TypeText(), Omitted: true}
	}
	decode := decodeUnknown
	if geometric[col.TypeOID] {
		decode = decodeGeometric
	}
	k, err := o.binaryKind(decode)
	k.unknown = true
	return k, err
}
