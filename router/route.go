package router

import (
	"fmt"

	"github.com/outbox-relay/outbox-relay/schema"
)

// Route fills rec from a row: values has one Datum for each column of the
// Relation, nowMs is the time of processing in milliseconds since 1970. What was
// in rec before is gone. The record aliases the row and rec itself.
//
// The error is a *RowError if this row, and not the configuration, is at fault.
func (p *Plan) Route(values []schema.Datum, nowMs int64, rec *Record) error {
	rec.reset()
	if len(values) != len(p.rel.Columns) {
		return fmt.Errorf("route a row of %s: it has %d values for %d columns", p.rel, len(values), len(p.rel.Columns))
	}
	routed, err := p.routeTopic(values, rec)
	if err != nil {
		return err
	}
	if err := p.routeStamp(values, nowMs, rec); err != nil {
		return err
	}
	if err := p.routeHeaders(values, rec); err != nil {
		return err
	}
	if err := p.routePartition(values, rec); err != nil {
		return err
	}
	if rec.Key, err = p.key.bytes(values, rec); err != nil {
		return err
	}
	return p.value.write(routed, values, rec)
}

// reset empties rec and keeps its memory.
func (r *Record) reset() {
	clear(r.Headers) // let go of the last row
	*r = Record{Partition: ByKey, Headers: r.Headers[:0], scratch: r.scratch[:0]}
}

// routeTopic sets the topic and returns the value that it was derived from.
func (p *Plan) routeTopic(values []schema.Datum, rec *Record) (routed []byte, err error) {
	d := &values[p.route.index]
	switch {
	case d.Kind == schema.Null: // a column default does not count here
		return nil, &RowError{Column: p.route.name, Reason: "it is null, so the event has no topic"}
	case d.Kind == schema.Text && p.route.codec.Verbatim:
		routed = d.Bytes
	default:
		v, err := p.route.value(values, rec)
		if err != nil {
			return nil, err
		}
		routed = v.Bytes
	}
	if rec.Topic, err = p.topics.topic(routed); err != nil {
		return nil, &RowError{Column: p.route.name, Reason: "no topic can be derived from it", Err: err}
	}
	return routed, nil
}

// routeStamp sets the record's time. NULL falls back to the time of processing.
func (p *Plan) routeStamp(values []schema.Datum, nowMs int64, rec *Record) error {
	rec.Timestamp = nowMs
	if p.stamp == nil || values[p.stamp.index].Kind == schema.Null {
		return nil
	}
	v, err := p.stamp.value(values, rec)
	if err != nil {
		return err
	}
	switch ms := p.stamp.toMillis(v.Int); {
	case ms == -1: // Connect's word for "none"
	case ms < 0:
		return &RowError{Column: p.stamp.name, Reason: "it is before 1970, which Kafka has no timestamps for"}
	default:
		rec.Timestamp = ms
	}
	return nil
}

func (p *Plan) routeHeaders(values []schema.Datum, rec *Record) error {
	if p.id.codec.Null(values[p.id.index]) {
		return &RowError{Column: p.id.name, Reason: "it is null, so consumers could not recognise a repeat"}
	}
	id, err := p.id.bytes(values, rec)
	if err != nil {
		return err
	}
	rec.Headers = append(rec.Headers, p.context...)
	if p.trace != nil {
		p.routeTrace(values, rec)
	}
	rec.Headers = append(rec.Headers, Header{Key: "id", Value: id})
	for i := range p.headers {
		h := &p.headers[i]
		b, err := h.bytes(values, rec)
		if err != nil {
			return err
		}
		rec.Headers = append(rec.Headers, Header{Key: h.key, Value: b})
	}
	return nil
}

func (p *Plan) routePartition(values []schema.Datum, rec *Record) error {
	for i := range p.partition {
		f := &p.partition[i]
		if values[f.index].Kind == schema.Null {
			rec.Partition = ByKey
			continue
		}
		v, err := f.value(values, rec)
		if err != nil {
			return err
		}
		if v.Int < 0 {
			return &RowError{Column: f.name, Reason: fmt.Sprintf("partition %d is negative", v.Int)}
		}
		rec.Partition = int32(v.Int)
	}
	return nil
}

// bytes writes the column with its converter.
func (f *field) bytes(values []schema.Datum, rec *Record) ([]byte, error) {
	if d := &values[f.index]; f.raw && d.Kind == schema.Text {
		if d.Bytes == nil {
			return []byte{}, nil
		}
		return d.Bytes, nil
	}
	v, err := f.value(values, rec)
	if err != nil {
		return nil, err
	}
	out, scratch, err := f.enc.Encode(v, rec.scratch)
	rec.scratch = scratch
	if err != nil {
		return nil, &RowError{Column: f.name, Reason: "it cannot be written", Err: err}
	}
	return out, nil
}

// value reads the column.
func (f *field) value(values []schema.Datum, rec *Record) (schema.Value, error) {
	v, scratch, err := f.codec.Decode(values[f.index], rec.scratch)
	rec.scratch = scratch
	if err != nil {
		return v, &RowError{Column: f.name, Reason: "it cannot be read", Err: err}
	}
	return v, nil
}
