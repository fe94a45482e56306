package dbzconfig

import "errors"

// readTolerance takes over errors.tolerance, which loses nothing here.
func (im *importer) readTolerance(o *Option, s setting) {
	im.emit(o, s)
	if v, ok := im.value(o.flag()); ok && v == "all" {
		im.later = append(im.later, func() { im.needDeadLetters(s.src) })
		im.notice(s.src, "Connect drops what cannot be routed, converted or sent; the relay drops nothing, and needs errors.deadletterqueue.topic.name to send it to")
	}
}

// deadLetters is the flag without which errors.tolerance=all would lose rows.
const deadLetters = "errors.deadletterqueue.topic.name"

// needDeadLetters asks for the topic that errors.tolerance=all needs.
func (im *importer) needDeadLetters(src Source) {
	if im.connector.has(deadLetters) {
		return
	}
	tolerance := im.flags["errors.tolerance"]
	tolerance.With = deadLetters
	im.flags["errors.tolerance"] = tolerance
	im.flags[deadLetters] = Flag{Name: deadLetters, Source: src,
		Unresolved: errors.New("all needs a topic for the events that can never be sent, which Connect would lose: give -" + deadLetters + ", or -errors.tolerance=none to stop at them")}
}

// readRetryTimeout says that the time is another's.
func (im *importer) readRetryTimeout(o *Option, s setting) {
	im.emit(o, s)
	if v, ok := im.value(o.flag()); ok && v != "0" && v != "-1" {
		im.notice(s.src, "Connect repeats conversions for that long, and its producer sends for ever; the relay, whose conversions have the same outcome each time, repeats sending for that long")
	}
}

// readAside takes over what belongs to a dead-letter topic that was taken over.
func (im *importer) readAside(o *Option, s setting) {
	im.later = append(im.later, func() {
		if tolerance, _ := im.value("errors.tolerance"); tolerance == "all" {
			im.emit(o, s)
		}
	})
}

// readDeadLetters takes over the topic only where rows would be lost otherwise.
func (im *importer) readDeadLetters(o *Option, s setting) {
	im.later = append(im.later, func() {
		if tolerance, _ := im.value("errors.tolerance"); tolerance != "all" {
			im.ignore(s, "", "Connect has dead letters for sink connectors only, and with errors.tolerance=none a row that cannot be sent stops the connector, and the relay")
			return
		}
		im.notice(s.src, "Connect has dead letters for sink connectors only and would lose the row; the relay sends it there")
		im.emit(o, s)
	})
}
