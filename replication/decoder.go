package replication

import (
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pglogrepl"

	"github.com/outbox-relay/outbox-relay/schema"
)

// postgresEpoch is 2000-01-01 UTC, the zero of PostgreSQL's timestamps, in
// microseconds since 1970.
const postgresEpoch = 946_684_800_000_000

// Decoder turns pgoutput messages (protocol version 1, text format) into calls
// of a Handler. It works in place on the message, allocates nothing for a row,
// checks every length, and returns an error, never a panic, for anything that
// is not a well-formed message in its proper place.
//
// The messages: PostgreSQL documentation, "Logical Replication Message Formats".
type Decoder struct {
	relations map[uint32]*knownRelation
	types     map[uint32]string
	last      *knownRelation // the relation of the last row: rows come in runs
	values    []schema.Datum
	before    []schema.Datum // of an update
	begin     Begin
	sent      uint64 // when the server sent the message, microseconds since 2000; 0 if that is not known
	open      bool   // between Begin and Commit
}

type knownRelation struct {
	schema.Relation
	wanted bool
}

// InTransaction reports whether a Begin has been seen and its Commit has not.
func (d *Decoder) InTransaction() bool { return d.open }

// age is how long after a commit the server sent the message at hand, both by the
// server's clock.
func (d *Decoder) age(committed time.Time) time.Duration {
	return time.Duration(int64(d.sent)+postgresEpoch-committed.UnixMicro()) * time.Microsecond
}

// Decode handles one message, the payload of an XLogData.
func (d *Decoder) Decode(msg []byte, h Handler) error {
	if len(msg) == 0 {
		return &MalformedError{Err: errors.New("it is empty")}
	}
	c := cursor{rest: msg[1:]}
	err := d.dispatch(msg[0], &c, h)
	if c.err != nil {
		err = c.err
	}
	if err == nil && len(c.rest) != 0 {
		err = fmt.Errorf("%d bytes follow its last field", len(c.rest))
	}
	if err == nil {
		return nil
	}
	if own, ok := err.(*handlerError); ok {
		return own.error
	}
	return &MalformedError{Kind: msg[0], Size: len(msg), Err: err}
}

// MalformedError is a message that is not what the protocol allows at its place.
// Going on would skip it, and reading again meets it again.
type MalformedError struct {
	Kind byte // first byte of the message, 0 if it has none
	Size int  // bytes
	Err  error
}

func (e *MalformedError) Error() string {
	return fmt.Sprintf("decode pgoutput message %q of %d bytes: %v", e.Kind, e.Size, e.Err)
}

func (e *MalformedError) Unwrap() error { return e.Err }

// handlerError marks an error that the Handler returned, to be passed on as it is.
type handlerError struct{ error }

func byHandler(err error) error {
	if err == nil {
		return nil
	}
	return &handlerError{err}
}

func (d *Decoder) dispatch(kind byte, c *cursor, h Handler) error {
	switch kind {
	case 'I':
		return d.insert(c, h)
	case 'B':
		return d.beginTransaction(c, h)
	case 'C':
		return d.commitTransaction(c, h)
	case 'R':
		return d.relation(c, h)
	case 'Y':
		return d.typeName(c)
	case 'U':
		return d.update(c, h)
	case 'D':
		return d.delete(c, h)
	case 'T':
		return d.truncate(c, h)
	case 'M':
		return d.message(c, h)
	case 'O', 'A':
		// Origin says where a replicated change came from; a stray stream abort
		// ('A') was seen from servers even where streaming is off. Neither carries a
		// row.
		c.rest = nil
		return nil
	}
	return errors.New("no such message in protocol version 1; check the slot's plugin and the server's version")
}

func (d *Decoder) beginTransaction(c *cursor, h Handler) error {
	b := Begin{CommitLSN: pglogrepl.LSN(c.uint64())}
	b.CommitTime = time.UnixMicro(int64(c.uint64()) + postgresEpoch)
	b.XID = c.uint32()
	if c.err != nil {
		return c.err
	}
	if d.sent != 0 {
		b.Age = d.age(b.CommitTime)
	}
	if d.open {
		return fmt.Errorf("transaction %s begins inside transaction %s", b.CommitLSN, d.begin.CommitLSN)
	}
	d.open, d.begin = true, b
	return byHandler(h.Begin(b))
}

func (d *Decoder) commitTransaction(c *cursor, h Handler) error {
	c.byte() // flags, unused
	m := Commit{CommitLSN: pglogrepl.LSN(c.uint64()), EndLSN: pglogrepl.LSN(c.uint64())}
	c.uint64() // commit time, as in Begin
	if c.err != nil {
		return c.err
	}
	if !d.open || m.CommitLSN != d.begin.CommitLSN {
		return fmt.Errorf("commit %s does not close the transaction that began (%s)", m.CommitLSN, d.begin.CommitLSN)
	}
	if m.EndLSN <= m.CommitLSN {
		return fmt.Errorf("commit record %s ends at %s, before it starts", m.CommitLSN, m.EndLSN)
	}
	d.open = false
	return byHandler(h.Commit(m))
}

func (d *Decoder) typeName(c *cursor) error {
	oid := c.uint32()
	name := c.cstring() + "." + c.cstring()
	if c.err == nil {
		if d.types == nil {
			d.types = make(map[uint32]string)
		}
		d.types[oid] = name
	}
	return c.err
}

func (d *Decoder) relation(c *cursor, h Handler) error {
	rel := &knownRelation{Relation: schema.Relation{OID: c.uint32(), Namespace: c.cstring(), Name: c.cstring(), ReplicaIdentity: c.byte()}}
	if rel.Namespace == "" {
		rel.Namespace = "pg_catalog" // the protocol's abbreviation
	}
	columns := c.uint16()
	for range columns {
		if c.err != nil {
			return c.err
		}
		col := schema.Column{Key: c.byte()&1 != 0, Name: c.cstring(), TypeOID: c.uint32(), TypeMod: int32(c.uint32())}
		col.TypeName = d.types[col.TypeOID]
		rel.Columns = append(rel.Columns, col)
	}
	if c.err != nil {
		return c.err
	}
	wanted, err := h.Relation(&rel.Relation)
	rel.wanted = wanted
	if d.relations == nil {
		d.relations = make(map[uint32]*knownRelation)
	}
	d.relations[rel.OID], d.last = rel, nil
	return byHandler(err)
}

// find returns the latest description of a relation.
func (d *Decoder) find(oid uint32) (*knownRelation, error) {
	if d.last != nil && d.last.OID == oid {
		return d.last, nil
	}
	rel := d.relations[oid]
	if rel == nil {
		return nil, fmt.Errorf("relation %d was never described", oid)
	}
	d.last = rel
	return rel, nil
}

func (d *Decoder) insert(c *cursor, h Handler) error {
	rel, err := d.row(c)
	if err != nil || rel == nil {
		return err
	}
	if part := c.byte(); c.err == nil && part != 'N' {
		return fmt.Errorf("insert into %s carries tuple %q, not 'N'", rel.String(), part)
	}
	if d.values, err = d.lastTuple(c, rel, d.values); err != nil {
		return err
	}
	return byHandler(h.Insert(&rel.Relation, d.values))
}

// row reads the beginning of a message about a row. It returns nil for a table
// whose rows are not wanted, after the rest was skipped.
func (d *Decoder) row(c *cursor) (*knownRelation, error) {
	oid := c.uint32()
	if c.err != nil {
		return nil, c.err
	}
	rel, err := d.find(oid)
	if err != nil {
		return nil, err
	}
	if !d.open {
		return nil, fmt.Errorf("row of %s outside a transaction", rel.String())
	}
	if !rel.wanted {
		c.rest = nil
		return nil, nil
	}
	return rel, nil
}

// lastTuple decodes the row that ends the message.
func (d *Decoder) lastTuple(c *cursor, rel *knownRelation, into []schema.Datum) ([]schema.Datum, error) {
	into, err := tuple(c, rel, into)
	if err == nil && len(c.rest) != 0 {
		err = fmt.Errorf("%d bytes follow the row of %s", len(c.rest), rel.String())
	}
	return into, err
}

// tuple decodes a row into the memory of into. Its bytes alias the message.
func tuple(c *cursor, rel *knownRelation, into []schema.Datum) ([]schema.Datum, error) {
	into = into[:0]
	n := c.uint16()
	if c.err == nil && n != len(rel.Columns) {
		return into, fmt.Errorf("row of %s has %d columns, its description %d", rel.String(), n, len(rel.Columns))
	}
	for i := range n {
		switch kind := c.byte(); kind {
		case 't':
			into = append(into, schema.Datum{Kind: schema.Text, Bytes: c.take(int(int32(c.uint32())))})
		case 'n':
			into = append(into, schema.Datum{Kind: schema.Null})
		case 'u':
			into = append(into, schema.Datum{Kind: schema.Unchanged})
		default:
			if c.err == nil {
				c.err = fmt.Errorf("column %s of %s has format %q, not text", rel.Columns[i].Name, rel.String(), kind)
			}
		}
		if c.err != nil {
			return into, c.err
		}
	}
	return into, c.err
}

// update decodes a changed row: before it comes what the replica identity shows
// of the old one, if that has changed ('K') or the identity is FULL ('O').
func (d *Decoder) update(c *cursor, h Handler) error {
	rel, err := d.row(c)
	if err != nil || rel == nil {
		return err
	}
	var before []schema.Datum
	part := c.byte()
	full := part == 'O'
	if full || part == 'K' {
		if d.before, err = tuple(c, rel, d.before); err != nil {
			return err
		}
		before, part = d.before, c.byte()
	}
	if c.err == nil && part != 'N' {
		return fmt.Errorf("update of %s carries tuple %q, not 'N'", rel.String(), part)
	}
	if d.values, err = d.lastTuple(c, rel, d.values); err != nil {
		return err
	}
	return byHandler(h.Update(&rel.Relation, before, full, d.values))
}

// delete reports a DELETE without looking at the row.
func (d *Decoder) delete(c *cursor, h Handler) error {
	rel, err := d.row(c)
	if err != nil || rel == nil {
		return err
	}
	c.rest = nil
	return byHandler(h.Other(&rel.Relation, Delete))
}

func (d *Decoder) truncate(c *cursor, h Handler) error {
	n := c.uint32()
	c.byte() // CASCADE, RESTART IDENTITY
	for range n {
		oid := c.uint32()
		if c.err != nil {
			return c.err
		}
		rel := d.relations[oid]
		if rel == nil || !rel.wanted {
			continue
		}
		if err := h.Other(&rel.Relation, Truncate); err != nil {
			return byHandler(err)
		}
	}
	return c.err
}
