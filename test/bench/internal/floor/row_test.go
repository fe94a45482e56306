package floor

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pglogrepl"
)

// insertMessage builds an Insert message as the server sends it for columns of text.
func insertMessage(columns ...string) []byte {
	msg := []byte{'I', 0, 0, 0, 9, 'N', 0, byte(len(columns))}
	for _, c := range columns {
		msg = append(binary.BigEndian.AppendUint32(append(msg, 't'), uint32(len(c))), c...)
	}
	return msg
}

func TestParseRow(t *testing.T) {
	t.Parallel()
	good := insertMessage("id-1", "order", "key-1", "Changed", `{"a": 1}`)
	got, err := parseRow(good)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"id-1", "order", "key-1", `{"a": 1}`}
	if diff := cmp.Diff(want, []string{string(got.id), string(got.kind), string(got.key), string(got.payload)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for n := range good {
		if _, err := parseRow(good[:n]); !errors.Is(err, errRow) {
			t.Errorf("the first %d bytes of a row: error %v", n, err)
		}
	}
	if _, err := parseRow(insertMessage("id", "payload")); !errors.Is(err, errRow) {
		t.Errorf("a row of another table: error %v", err)
	}
}

// notes is a handler that remembers what it was told.
type notes struct {
	inserts int
	end     pglogrepl.LSN
}

func (n *notes) insert(context.Context, []byte) error { n.inserts++; return nil }
func (n *notes) commit(end pglogrepl.LSN)             { n.end = end }
func (n *notes) confirm() pglogrepl.LSN               { return n.end }

func TestDispatch(t *testing.T) {
	t.Parallel()
	commit := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64([]byte{'C', 0}, 0x10), 0x20)
	var h notes
	for _, msg := range [][]byte{nil, {'B'}, {'R'}, insertMessage("x"), {'C'}, binary.BigEndian.AppendUint64(commit, 7)} {
		if err := dispatch(t.Context(), msg, &h); err != nil {
			t.Fatal(err)
		}
	}
	if h.inserts != 1 || h.end != 0x20 {
		t.Errorf("%d rows up to %v, want 1 up to 0/20, the end and not the start of the commit record", h.inserts, h.end)
	}
}

func TestRecord(t *testing.T) {
	t.Parallel()
	msg := insertMessage("id-1", "order", "key-1", "Changed", `{"a": 1}`)
	r, err := parseRow(msg)
	if err != nil {
		t.Fatal(err)
	}
	got := record("t", r)
	clear(msg) // the next message has come
	if string(got.Key) != "key-1" || string(got.Value) != `{"a": 1}` || string(got.Headers[0].Value) != "id-1" {
		t.Errorf("key %q, value %q, id %q", got.Key, got.Value, got.Headers[0].Value)
	}
	_ = append(got.Key, "more"...)
	if string(got.Value) != `{"a": 1}` {
		t.Errorf("the value became %q when the key was extended", got.Value)
	}
}
