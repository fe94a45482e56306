package replication

import (
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pglogrepl"
)

// Message is what pg_logical_emit_message wrote into the WAL.
type Message struct {
	// Transactional messages belong to the transaction that wrote them. Another one
	// is sent at once, before that transaction's Begin, even if it is rolled back; it
	// comes to the Handler in a transaction of its own.
	Transactional bool
	LSN           pglogrepl.LSN // end of the message's WAL record
	Prefix        string
	Content       []byte // valid until the next message is received
}

// message decodes a logical message. One that is not transactional has no commit;
// the end of its record is what may be confirmed, because the server sends it
// again to a stream that starts before.
func (d *Decoder) message(c *cursor, h Handler) error {
	m := Message{Transactional: c.byte()&1 != 0, LSN: pglogrepl.LSN(c.uint64()), Prefix: c.cstring()}
	m.Content = c.take(int(int32(c.uint32())))
	switch {
	case c.err != nil:
		return c.err
	case m.Transactional && !d.open:
		return fmt.Errorf("transactional message %s outside a transaction", m.LSN)
	case m.Transactional:
		return byHandler(h.Message(m))
	case d.open:
		return fmt.Errorf("message %s, which is not transactional, inside transaction %s", m.LSN, d.begin.CommitLSN)
	}
	// The name is in the record, so that whoever skips to behind it does not skip
	// the next record, which begins at m.LSN.
	d.begin = Begin{CommitLSN: m.LSN - 1, CommitTime: time.Now()}
	if err := h.Begin(d.begin); err != nil {
		return byHandler(err)
	}
	if err := h.Message(m); err != nil {
		return byHandler(err)
	}
	return byHandler(h.Commit(Commit{CommitLSN: m.LSN - 1, EndLSN: m.LSN}))
}

// Prefixes chooses the messages that are events by their prefix, as Debezium's
// connector does. The zero value chooses none, and then the server is not asked
// for messages.
type Prefixes struct {
	Include List // message.prefix.include.list
	Exclude List // message.prefix.exclude.list
}

// Enabled reports whether messages are wanted at all.
func (p *Prefixes) Enabled() bool { return !p.Include.Empty() || !p.Exclude.Empty() }

// Match reports whether messages of a prefix are events.
func (p *Prefixes) Match(prefix string) bool {
	return p.Include.Match(prefix) || !p.Exclude.Empty() && !p.Exclude.Match(prefix)
}

// validate reports lists that contradict each other.
func (p *Prefixes) validate() error {
	if p.Include.Empty() || p.Exclude.Empty() {
		return nil
	}
	return errors.New("message.prefix.include.list and message.prefix.exclude.list: give one of the two")
}

// messagesMajor is the first major version of PostgreSQL whose pgoutput sends
// messages.
const messagesMajor = 14

// checkMessages refuses to wait for messages that the server cannot send.
func (o *opener) checkMessages() error {
	version := o.sql.PgConn().ParameterStatus("server_version")
	if !o.cfg.Messages.Enabled() || major(version) >= messagesMajor {
		return nil
	}
	return configuration("unsupported", fmt.Errorf("message.prefix.include.list: PostgreSQL %s does not send messages of pg_logical_emit_message through pgoutput; %d and later do", version, messagesMajor))
}
