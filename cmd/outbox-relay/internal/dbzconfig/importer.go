package dbzconfig

import (
	"fmt"
	"slices"
	"strings"
)

// importer turns documents into flags. It works on three layers, whatever the files look like: the connector's
// options, the worker's, and the producer's.
type importer struct {
	in  Input
	reg *registry

	connector layer
	worker    layer
	producer  layer
	used      map[string]bool // keys of the connector that somebody has read
	names     placeholders

	server    bool               // the configuration is Debezium Server's
	sinkSeen  bool               // it names its sink
	formats   map[string]setting // debezium.format.key, .value, .header by their last word
	hasWorker bool               // a worker's file was given: what it leaves out has Connect's default
	router    link               // the Event Router
	decoding  bool               // messages of pg_logical_emit_message are events
	later     []func()           // what must wait until all options are read

	prefixAsked bool // a predicate was refused for want of topic.prefix

	flags    map[string]Flag
	decided  map[string]bool // flags that settle a refusal: they get no default
	notices  []string
	ignored  []Unknown
	refusals []error
}

func newImporter(in Input) *importer {
	im := &importer{in: in, reg: newRegistry(), used: map[string]bool{}, formats: map[string]setting{},
		flags: map[string]Flag{}, decided: map[string]bool{}}
	im.names = placeholders{env: variables(in.Environ), readFile: in.ReadFile, providers: map[string]provider{}, property: im.property}
	return im
}

// run does the whole work in the order in which one step needs another.
func (im *importer) run() {
	if !im.collect() {
		return
	}
	im.checkClass()
	chain, ok := im.readChain()
	if !ok {
		return
	}
	im.readProviders()
	im.readConnector()
	im.readRouter()
	im.readTopics()
	im.setDefaults()
	im.readConverters()
	im.readWorker()
	im.readProducer()
	for _, f := range im.later {
		f()
	}
	im.judgeChain(chain)
	im.checkServer()
	im.checkPrefix()
	im.checkConnection()
	im.checkTopicCreation()
	im.listLeftovers()
}

// result puts the flags in order.
func (im *importer) result() Result {
	res := Result{Notices: im.notices, Refusals: im.refusals, Ignored: im.ignored}
	if im.in.Strict {
		for _, u := range im.ignored {
			res.Refusals = append(res.Refusals, &Refusal{Reason: u.String() + " (config.strict)"})
		}
		res.Ignored = nil
	}
	rank := im.reg.rank()
	for _, f := range im.flags {
		res.Flags = append(res.Flags, f)
	}
	slices.SortFunc(res.Flags, func(a, b Flag) int {
		if ra, rb := rankOf(rank, a.Name), rankOf(rank, b.Name); ra != rb {
			return ra - rb
		}
		return strings.Compare(a.Name, b.Name)
	})
	return res
}

// rankOf is the place of a flag: that of the option it comes from, or of the option whose name it begins with.
func rankOf(rank map[string]int, flag string) int {
	for name := flag; name != ""; {
		if n, ok := rank[name]; ok {
			return n
		}
		dot := strings.LastIndexByte(name, '.')
		if dot < 0 {
			break
		}
		name = name[:dot]
	}
	return len(rank)
}

func (im *importer) notice(src Source, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if where := src.String(); where != "" {
		text = where + ": " + text
	}
	im.notices = append(im.notices, text)
}

// refuse notes a refusal. flags settle it if one of them is given.
func (im *importer) refuse(src Source, flags []string, format string, args ...any) {
	im.refusals = append(im.refusals, &Refusal{Source: src, Flags: flags, Reason: fmt.Sprintf(format, args...)})
	for _, flag := range flags {
		im.decided[flag] = true
	}
}

func (im *importer) ignore(s setting, nearest, why string) {
	im.ignored = append(im.ignored, Unknown{Source: s.src, Nearest: nearest, Why: why})
}

// property is a key of Debezium Server's configuration, for placeholders that name one.
func (im *importer) property(name string) *string {
	for _, prefix := range []string{"debezium.source.", "debezium."} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			if s, ok := im.connector.get(rest); ok {
				return &s.value
			}
		}
	}
	return nil
}

// resolve is the value of a setting with its placeholders replaced. The error says what could not be had.
func (im *importer) resolve(s setting, keep func(string) bool) (string, error) {
	if s.missing != "" {
		return "", fmt.Errorf("%s", s.missing)
	}
	value, err := im.names.expand(s.value, keep)
	if err != nil {
		return "", err
	}
	if m := unfilled(value, isSecretKey(s.key)); m != "" {
		return "", fmt.Errorf("%s is a template's mark that nobody has filled in", m)
	}
	return value, nil
}

// isSecretKey reports whether the value of a key may not be shown.
func isSecretKey(key string) bool {
	for _, end := range []string{"password", "sasl.jaas.config", "client.secret", "ssl.keystore.key"} {
		if strings.HasSuffix(key, end) {
			return true
		}
	}
	return false
}

// logic resolves a value that the import itself needs. A value that cannot be had is refused.
func (im *importer) logic(s setting, flags ...string) (string, bool) {
	value, err := im.resolve(s, nil)
	if err != nil {
		im.refuse(s.src, flags, "%v; write the value", err)
		return "", false
	}
	return value, true
}

// setFlag stores a flag.
func (im *importer) setFlag(name, value string, src Source) {
	im.flags[name] = Flag{Name: name, Value: value, Source: src}
}

// value is what the configuration comes to for a flag; ok is false if it is not set or not known.
func (im *importer) value(flag string) (value string, ok bool) {
	f, ok := im.flags[flag]
	return f.Value, ok && f.Unresolved == nil
}
