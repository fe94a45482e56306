package dbzconfig

import "strings"

// connectorName is what a connector's configuration calls itself, "" if it does not.
func (d *document) connectorName() string {
	name := d.name
	for _, s := range d.settings {
		if s.key == "name" && name == "" {
			name = s.value
		}
	}
	return strings.TrimSpace(name)
}

// get returns the last setting of a key.
func (d *document) get(key string) string {
	value := ""
	for _, s := range d.settings {
		if s.key == key {
			value = s.value
		}
	}
	return value
}

// sameConnector reports whether two configurations can be one connector's. A part of one, as an overlay is, names
// neither class nor router.
func sameConnector(a, b *document) bool {
	if x, y := a.connectorName(), b.connectorName(); x != "" && y != "" {
		return x == y
	}
	if a.get("connector.class") == "" || b.get("connector.class") == "" || !a.routes() || !b.routes() {
		return true
	}
	for _, key := range []string{"slot.name", "topic.prefix", "database.dbname", "table.include.list"} {
		if a.get(key) != b.get(key) {
			return false
		}
	}
	return true
}

// oneConnector refuses files of several connectors: merged, they would be none of them.
func (im *importer) oneConnector(docs []document) bool {
	var first *document
	for i := range docs {
		d := &docs[i]
		if d.form != connectorForm {
			continue
		}
		if first != nil && !sameConnector(first, d) {
			im.refuse(Source{Place: d.file}, nil, "it is another connector's configuration (%s) than %s (%s); run one relay for each", orUnnamed(d), first.file, orUnnamed(first))
			return false
		}
		if first == nil {
			first = d
		}
	}
	return true
}

func orUnnamed(d *document) string {
	if name := d.connectorName(); name != "" {
		return name
	}
	return "slot.name " + d.get("slot.name")
}

// put stores a setting, and tells if it changes what another file says.
func (im *importer) put(into *layer, s setting) {
	if old, again := into.get(s.key); again && old.src.Place != s.src.Place && old.value != s.value {
		im.notice(s.src, "it takes the place of %s: the later file counts", old.src)
	}
	into.set(s)
}
