package floor

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/jackc/pglogrepl"
)

// commitSize is that of a Commit message: kind, flags, commit position, end position, time.
const commitSize = 1 + 1 + 8 + 8 + 8

// dispatch hands a pgoutput message on, if it is one that matters.
func dispatch(ctx context.Context, msg []byte, h handler) error {
	if len(msg) == 0 {
		return nil
	}
	switch msg[0] {
	case 'I':
		return h.insert(ctx, msg)
	case 'C':
		if len(msg) == commitSize {
			h.commit(pglogrepl.LSN(binary.BigEndian.Uint64(msg[10:])))
		}
	}
	return nil
}

// row is an outbox row of the benchmark's table; it shares its memory with the message.
type row struct {
	id, kind, key, payload []byte
}

var errRow = errors.New("read the slot: an Insert message that is not a row of Debezium's default outbox columns, all of them text")

// parseRow takes an Insert message of protocol version 1 apart: kind, relation, 'N', number of columns, and for each
// column 't', length and text.
func parseRow(msg []byte) (row, error) {
	const header = 1 + 4 + 1 + 2
	if len(msg) < header || msg[5] != 'N' || binary.BigEndian.Uint16(msg[6:]) != 5 {
		return row{}, errRow
	}
	rest := msg[header:]
	var columns [5][]byte // id, aggregatetype, aggregateid, type, payload
	for i := range columns {
		if len(rest) < 5 || rest[0] != 't' {
			return row{}, errRow
		}
		n := int(binary.BigEndian.Uint32(rest[1:]))
		if rest = rest[5:]; n > len(rest) {
			return row{}, errRow
		}
		columns[i], rest = rest[:n], rest[n:]
	}
	return row{id: columns[0], kind: columns[1], key: columns[2], payload: columns[4]}, nil
}
