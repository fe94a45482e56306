package outbox

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// row is an event that was checked and encoded.
type row struct {
	Event
	payload any
}

// check returns the rows to write, or everything that is wrong with the table and
// the events in one error.
func (t Table) check(events []Event) ([]row, error) {
	errs := []error{t.checkTable()}
	rows := make([]row, len(events))
	for i, e := range events {
		r, err := t.checkEvent(e)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", place(i, events), err))
		}
		rows[i] = r
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("write to table %s: %w: %w", t.Name, ErrInvalid, err)
	}
	return rows, nil
}

// place says which event is meant.
func place(i int, events []Event) string {
	of := fmt.Sprintf("of aggregate %q %q", events[i].AggregateType, events[i].AggregateID)
	if len(events) == 1 {
		return "the event " + of
	}
	return fmt.Sprintf("event %d of %d, %s", i+1, len(events), of)
}

func (t Table) checkTable() error {
	c := t.Columns
	switch {
	case c.ID == "" || c.Key == "" || c.RouteBy == "" || c.Payload == "":
		return errors.New("Table.Columns lacks one of ID, Key, RouteBy and Payload; begin with schema.DefaultColumns()")
	case t.Counters != "" && t.Sequence == "":
		return errors.New("Table.Counters counts for a column that Table.Sequence does not name")
	}
	return nil
}

func (t Table) checkEvent(e Event) (row, error) {
	var errs []error
	refuse := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	e.ID = cmp.Or(e.ID, NewID())
	refuse(t.checkType(e.AggregateType))
	refuse(checkKey(e.AggregateID))
	refuse(t.checkSequence(e.Sequence))
	refuse(named("its id", storable(e.ID)))
	refuse(named("its type", storable(e.Type)))
	if t.reference {
		refuse(checkReference(e))
	}
	if len(e.Extra) != len(t.Extra) {
		refuse(fmt.Errorf("it has %d extra values for the %d extra columns of the table", len(e.Extra), len(t.Extra)))
	}
	payload, size, err := t.Payload.encode(e.Payload)
	refuse(err)
	if size += len(e.AggregateID); size > t.MaxBytes {
		refuse(fmt.Errorf("it takes %d bytes, more than %d; keep the payload elsewhere and send where it is, "+
			"or raise Table.MaxBytes with the relay's max.request.size and the topic's max.message.bytes", size, t.MaxBytes))
	}
	return row{e, payload}, errors.Join(errs...)
}

// legalTopic is Kafka's rule (org.apache.kafka.common.internals.Topic), but for "."
// and "..", which it does not allow either.
var legalTopic = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)

func (t Table) checkType(aggregateType string) error {
	if strings.TrimSpace(aggregateType) == "" {
		return errors.New("its aggregate type is empty, which chooses the topic")
	}
	topic := t.Topic(aggregateType)
	if topic == "." || topic == ".." || !legalTopic.MatchString(topic) {
		return fmt.Errorf("its aggregate type makes the topic %q; Kafka takes 1 to 249 letters and digits of ASCII, dots, underscores and hyphens", topic)
	}
	return nil
}

func checkKey(id string) error {
	if id == "" {
		return errors.New("its aggregate id is empty, which is the record's key: without one there is no order")
	}
	return named("its aggregate id", storable(id))
}

func (t Table) checkSequence(n int64) error {
	switch {
	case t.Sequence == "" && n != 0:
		return fmt.Errorf("it has the sequence %d, for which Table.Sequence names no column", n)
	case t.Counters != "" && n != 0:
		return fmt.Errorf("it has the sequence %d, but the table %s counts", n, t.Counters)
	case t.Sequence != "" && t.Counters == "" && n <= 0:
		return fmt.Errorf("it has the sequence %d; it needs one above 0, or a table in Table.Counters that counts", n)
	}
	return nil
}

// named puts what an error is about in front of it, if it is one.
func named(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %w", what, err)
}

// storable tells why PostgreSQL would not store a text. It is read behind what the
// text is.
func storable(text string) error {
	switch {
	case !utf8.ValidString(text):
		return errors.New("is not UTF-8")
	case strings.IndexByte(text, 0) >= 0:
		return errors.New("holds a zero byte, which PostgreSQL has no place for in a text")
	}
	return nil
}
