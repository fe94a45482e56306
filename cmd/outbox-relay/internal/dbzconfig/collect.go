package dbzconfig

import (
	"slices"
	"strings"
)

// collect reads all files and the environment into the layers. It reports false if nothing further can be said.
func (im *importer) collect() bool {
	var docs []document
	ok := true
	for _, f := range im.in.Files {
		found, errs := im.read(f)
		im.refusals = append(im.refusals, errs...)
		ok = ok && len(errs) == 0
		docs = append(docs, im.choose(f.Name, found)...)
	}
	if !im.oneConnector(docs) {
		return false
	}
	serverFile := slices.ContainsFunc(docs, func(d document) bool { return d.form == serverForm })
	connectorFile := slices.ContainsFunc(docs, func(d document) bool { return d.form == connectorForm })
	env := serverVariables(im.in.Environ)
	im.server = serverFile || len(env) > 0 && !connectorFile
	if serverFile && connectorFile {
		im.refuse(Source{}, nil, "a connector's configuration and one of Debezium Server were given; leave out one of them")
		return false
	}
	var server layer
	for _, d := range docs {
		im.merge(&server, d)
	}
	for _, s := range env {
		server.set(s)
	}
	if im.names.server = im.server; im.server {
		im.readServer(&server)
	} else {
		im.overlay(env)
	}
	return ok && !(im.connector.empty() && im.nothing())
}

// nothing refuses files that hold no connector.
func (im *importer) nothing() bool {
	if len(im.refusals) == 0 {
		im.refuse(Source{}, nil, "a worker's file alone has no outbox table to relay; give the connector's configuration too")
	}
	return true
}

// choose leaves one connector of those in a file: if there are several, the one with an Event Router.
func (im *importer) choose(file string, docs []document) []document {
	connectors := 0
	for _, d := range docs {
		if d.form == connectorForm {
			connectors++
		}
	}
	if connectors < 2 {
		return docs
	}
	routers := slices.DeleteFunc(slices.Clone(docs), func(d document) bool { return d.form == connectorForm && !d.routes() })
	var named []string
	for _, d := range routers {
		if d.form == connectorForm {
			named = append(named, d.name)
		}
	}
	switch len(named) {
	case 0:
		im.refuse(Source{Place: file}, nil, "%d connectors, none with an Event Router", connectors)
	case 1:
		im.notice(Source{Place: file}, "%d connectors; the one with an Event Router, %s, is taken", connectors, named[0])
		return routers
	default:
		im.refuse(Source{Place: file}, nil, "%d connectors with an Event Router (%s); run one relay for each, with a file of its own", len(named), strings.Join(named, ", "))
	}
	return slices.DeleteFunc(docs, func(d document) bool { return d.form == connectorForm })
}

// merge puts a document's settings into their layer. A key that one file has twice is told: the later one counts.
func (im *importer) merge(server *layer, d document) {
	into := &im.connector
	switch d.form {
	case serverForm:
		into = server
	case workerForm:
		into, im.hasWorker = &im.worker, true
	}
	settings := d.settings
	if d.form == serverForm {
		settings = im.profiled(settings)
	}
	first := map[string]Source{}
	for _, s := range settings {
		if at, again := first[s.key]; again {
			im.notice(s.src, "the key is in the file twice, first in line %d; this one counts", at.Line)
		}
		first[s.key] = s.src
		im.put(into, s)
	}
	for name, value := range d.variables {
		if _, set := im.names.env[name]; !set {
			im.names.env[name] = value
		}
	}
	for _, s := range d.extras {
		im.ignore(s, "", "it stands beside the connector's options")
	}
}

// overlay puts DEBEZIUM_SOURCE_* variables over a connector's own options.
func (im *importer) overlay(env []setting) {
	for _, s := range env {
		key, ok := strings.CutPrefix(s.key, "debezium.source.")
		if !ok {
			im.refuse(s.src, nil, "it configures Debezium Server, but the file is a connector's; unset it")
			continue
		}
		s.key = key
		im.connector.set(s)
	}
}
