package dbzconfig

import "strings"

// formatConverters are the converters behind Debezium Server's formats.
var formatConverters = map[string]string{"json": "json", "jsonbytearray": "json", "simplestring": "string", "binary": "binary"}

// serverConverter takes debezium.format.key, .value or .header, whose default is json, and the options of its
// converter. An option class puts another class in the place of json's.
func (im *importer) serverConverter(side string) {
	flag := side + ".converter"
	options := im.connector.under(flag + ".")
	common := im.connector.under("converter.")
	for _, k := range common.keys {
		im.used["converter."+k] = true
		options.setDefault(common.byKey[k])
	}
	for _, k := range options.keys {
		im.used[flag+"."+k] = true
	}
	if s, ok := im.connector.get(flag); ok {
		im.used[flag] = true
		im.ignore(s, "debezium.format."+side, "Debezium Server has formats, not converters")
	}
	if class, ok := options.get("class"); ok {
		delete(options.byKey, "class")
		options.keys = without(options.keys, "class")
		im.converter(side, class, options)
		return
	}
	s, ok := im.formats[side]
	if !ok {
		im.setFlag(flag, "json", Source{Place: serverDefault})
		im.converterOptions(side, "json", options, true)
		return
	}
	format, err := im.resolve(s, nil)
	if err != nil {
		im.unresolved(flag, s, err)
		return
	}
	short, known := formatConverters[strings.TrimSpace(format)]
	if !known || side == "header" && short != "json" {
		im.refuse(s.src, []string{flag}, "the relay has no format %q for the %s; it has json, jsonbytearray, simplestring and binary, and json and jsonbytearray for headers", format, side)
		return
	}
	im.setFlag(flag, short, s.src)
	im.converterOptions(side, short, options, true)
}

func without(list []string, word string) []string {
	var out []string
	for _, w := range list {
		if w != word {
			out = append(out, w)
		}
	}
	return out
}
