package dbzconfig

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// readProviders learns from the worker how its config providers are called.
func (im *importer) readProviders() {
	for _, key := range im.worker.keys {
		rest, ok := strings.CutPrefix(key, "config.providers.")
		name, class, dotted := strings.Cut(rest, ".")
		if ok && dotted && class == "class" {
			im.names.providers[name] = providerClasses[im.worker.byKey[key].value] // foreign if it is another class
		}
	}
}

// readConnector takes the connector's own options and those that Connect reads for it.
func (im *importer) readConnector() {
	im.usePredicates()
	for _, key := range im.connector.keys {
		s := im.connector.byKey[key]
		if rest, ok := strings.CutPrefix(key, "producer.override."); ok && rest != "" {
			im.used[key] = true
			s.key = rest
			im.producer.set(s)
			continue
		}
		o := im.reg.find(key, Connector, Connect)
		if o == nil || im.used[key] || isConverter(key) {
			continue
		}
		im.used[key] = true
		im.apply(o, s)
	}
}

// isConverter reports whether a key names a converter, which readConverters reads.
func isConverter(key string) bool {
	side, ok := strings.CutSuffix(key, ".converter")
	return ok && isSide(side)
}

// readPlugin refuses a decoding plug-in whose slot the relay cannot read.
func (im *importer) readPlugin(o *Option, s setting) {
	plugin, ok := im.logic(s)
	if plugin = strings.ToLower(strings.TrimSpace(plugin)); ok && plugin != "pgoutput" {
		im.refuse(s.src, []string{"slot.name"}, "the slot is made for %s, and PostgreSQL lets nobody read it as pgoutput, which is all the relay knows. "+
			"Let Debezium drain the slot, and set -slot.name to a new one", plugin)
	}
}

// readDropOnStop warns that a stopped Debezium leaves nothing to take over.
func (im *importer) readDropOnStop(o *Option, s setting) {
	im.emit(o, s)
	if v, ok := im.value(o.flag()); ok && v == "true" {
		im.notice(s.src, "Debezium drops the slot when it stops in order, and so will the relay: events committed while there is none are lost. "+
			"To take over, set it to false first, or there is no slot to take over")
	}
}

func (im *importer) readAutocreate(o *Option, s setting) {
	im.emit(o, s)
	if v, ok := im.value(o.flag()); ok && v == "all_tables" {
		im.notice(s.src, "making a publication FOR ALL TABLES needs a superuser, and through it the server sends the changes of all tables")
	}
}

// readStatusInterval keeps the interval within what the relay allows; it changes no record.
func (im *importer) readStatusInterval(o *Option, s setting) {
	im.emit(o, s)
	v, ok := im.value(o.flag())
	if !ok {
		return
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if kept := min(max(n, 100), 30_000); err == nil && kept != n {
		im.setFlag(o.flag(), strconv.FormatInt(kept, 10), s.src)
		im.notice(s.src, "the relay reports every 100 to 30000 ms; %d is taken", kept)
	}
}

var wholeFile = regexp.MustCompile(`^\$\{([\w-]+):([^:{}$]+)(?::([^:{}$]+))?\}$`)

// readPassword turns a placeholder for a whole file into database.password.file, which is read at each connect, so
// that a rotated password is found.
func (im *importer) readPassword(o *Option, s setting) {
	m := wholeFile.FindStringSubmatch(strings.TrimSpace(s.value))
	if m == nil || s.missing != "" {
		im.emit(o, s)
		return
	}
	kind, _ := im.names.provider(m[1])
	switch {
	case kind == fromDir && m[3] != "":
		im.setFlag("database.password.file", m[2]+"/"+m[3], s.src)
	case kind == fromFile && m[3] == "":
		im.notice(s.src, "Kafka's FileConfigProvider leaves ${file:path} without a key as it is; taken for the whole file")
		im.setFlag("database.password.file", m[2], s.src)
	default:
		im.emit(o, s)
	}
}

func (im *importer) readSSLKey(o *Option, s setting) {
	im.emit(o, s)
	if v, ok := im.value(o.flag()); ok && !strings.HasSuffix(v, ".pem") && !strings.HasSuffix(v, ".key") {
		im.notice(s.src, "the relay reads keys in PEM; for one in Java's PKCS-8 form: openssl pkcs8 -inform DER -nocrypt")
	}
}

// readServerName takes the name that topic.prefix had in 1.x.
func (im *importer) readServerName(o *Option, s setting) {
	if im.connector.has(o.NewName) {
		im.rename(o, s)
		return
	}
	im.notice(s.src, "the old name of topic.prefix (until 1.9); taken for it. Debezium 2.0 and later refuse a connector without topic.prefix: "+
		"if this one still runs on 1.9, whose records have no __debezium.context headers, add -debezium.compatibility=3.1")
	im.apply(im.reg.find(o.NewName, Connector), s)
}

// readTopicCreation turns Connect's creation of topics on, unless the worker has it off.
func (im *importer) readTopicCreation(o *Option, s setting) {
	if w, ok := im.worker.get("topic.creation.enable"); ok && strings.EqualFold(strings.TrimSpace(w.value), "false") {
		im.notice(s.src, "the worker has topic.creation.enable=false (%s); left aside", w.src)
		return
	}
	im.emit(o, s)
	im.setFlag("topic.creation.enable", "true", s.src)
}

// readWorkerOption lists an option that only a worker's file may have.
func (im *importer) readWorkerOption(_ *Option, s setting) {
	im.ignore(s, "", "an option of the worker; Connect ignores it in a connector")
}

// ownDefaults are options whose default in Debezium is not the relay's.
var ownDefaults = []string{"slot.name", "publication.name", "publication.autocreate.mode", "snapshot.mode", "table.include.list", "extended.headers.enabled"}

// setDefaults makes flags of Debezium's defaults where the relay's are others.
func (im *importer) setDefaults() {
	for _, name := range ownDefaults {
		if _, set := im.flags[name]; !set && !im.decided[name] {
			im.setFlag(name, im.reg.find(name, Connector).Default, Source{Place: debeziumDefault})
		}
	}
	im.setFlag("publication.publish.updates", "true", Source{Place: debeziumDefault})
	if !im.connector.has("table.include.list") && !im.connector.has("table.whitelist") {
		im.notice(Source{}, "there is no table.include.list: Debezium captures every table that the other lists leave, and so does the relay; each must be an outbox table")
	}
	if !im.connector.has("plugin.name") {
		im.notice(Source{}, "there is no plugin.name, and Debezium's default is decoderbufs: a slot made for it cannot be taken over, because the relay reads pgoutput. "+
			"The relay says so at start; then let Debezium drain the slot, and set -slot.name to a new one")
	}
	if !im.connector.has("connector.class") {
		im.notice(Source{}, "there is no connector.class; taken for the connector for PostgreSQL")
	}
}

// checkConnection tells which parts of the connection the configuration leaves open.
func (im *importer) checkConnection() {
	var missing []string
	for _, name := range []string{"database.hostname", "database.user", "database.password", "database.dbname"} {
		_, set := im.flags[name]
		_, file := im.flags[name+".file"]
		if !set && !file {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		im.notice(Source{}, "%s: not in the configuration; taken from flags, or else from libpq's PG* variables, service and password files", strings.Join(missing, ", "))
	}
}

// checkTopicCreation tells what becomes of topics that do not exist.
func (im *importer) checkTopicCreation() {
	if _, set := im.flags["topic.creation.enable"]; !set {
		im.notice(Source{}, "topics that do not exist: Debezium leaves them to the brokers (auto.create.topics.enable); the relay stops at a row for one, unless -topic.creation.enable is set")
	}
}

// listLeftovers lists the keys that nobody has read, with what may be meant by them.
func (im *importer) listLeftovers() {
	known := append(im.reg.names(Connector, ""), im.reg.names(Connect, "")...)
	for _, side := range sides {
		known = append(known, im.reg.names(Converter, side+".converter.")...)
	}
	known = append(known, im.reg.names(Router, im.router.prefix())...)
	for _, key := range im.connector.keys {
		s := im.connector.byKey[key]
		if im.used[key] {
			continue
		}
		rest, aliased := strings.CutPrefix(key, "transforms.")
		alias, option, _ := strings.Cut(rest, ".")
		switch {
		case aliased && im.reg.find(option, Router) != nil:
			im.ignore(s, im.router.prefix()+option, fmt.Sprintf("transforms does not name %s", alias))
		case im.reg.find(key, Router) != nil && key != "type":
			im.ignore(s, im.router.prefix()+key, "an option of the router")
		case strings.HasPrefix(key, "predicates."):
			im.ignore(s, "", "predicates does not name it")
		case im.reg.find(key, Worker) != nil:
			im.readWorkerOption(nil, s)
		default:
			im.ignore(s, nearest(key, known), "")
		}
	}
}
