package dbzconfig

// form is whose configuration a document is.
type form int

const (
	connectorForm form = iota // of a connector: what PUT /connectors/NAME/config takes
	workerForm                // of a Kafka Connect worker
	serverForm                // of Debezium Server: keys that begin with debezium.
)

// document is one configuration found in a file. A file may hold several.
type document struct {
	form     form
	file     string // that it was found in
	name     string // the connector's, if it has one
	settings []setting
	extras   []setting // keys that stand beside the configuration and mean nothing to Debezium

	variables map[string]string // other lines of a file of variables: placeholders may stand for them
}

func (d *document) add(s setting) { d.settings = append(d.settings, s) }

// routes reports whether the document sets up an Event Router.
func (d *document) routes() bool {
	for _, s := range d.settings {
		if isRouterClass(s.value) {
			return true
		}
	}
	return false
}
