package replication_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pglogrepl"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/schema"
)

// transcript is a Handler that writes down what it is told.
type transcript struct {
	lines    []string
	unwanted bool
	fail     error
}

func (t *transcript) add(format string, args ...any) error {
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
	return t.fail
}

func (t *transcript) Begin(b replication.Begin) error {
	return t.add("begin %s %s xid %d", b.CommitLSN, b.CommitTime.UTC().Format("2006-01-02T15:04:05.000000"), b.XID)
}

func (t *transcript) Relation(rel *schema.Relation) (bool, error) {
	columns := make([]string, len(rel.Columns))
	for i, c := range rel.Columns {
		columns[i] = fmt.Sprintf("%s type %d(%d) %q key %t", c.Name, c.TypeOID, c.TypeMod, c.TypeName, c.Key)
	}
	return !t.unwanted, t.add("relation %d %s %c: %s", rel.OID, rel, rel.ReplicaIdentity, strings.Join(columns, ", "))
}

func (t *transcript) Insert(rel *schema.Relation, values []schema.Datum) error {
	return t.add("insert %s %s", rel, row(values))
}

func (t *transcript) Update(rel *schema.Relation, before []schema.Datum, full bool, values []schema.Datum) error {
	return t.add("update %s %s (full %t) to %s", rel, row(before), full, row(values))
}

func (t *transcript) Other(rel *schema.Relation, op replication.Op) error {
	return t.add("%s %s", op, rel)
}

func (t *transcript) Message(m replication.Message) error {
	return t.add("message %s %q %q (transactional %t)", m.LSN, m.Prefix, m.Content, m.Transactional)
}

func (t *transcript) Commit(c replication.Commit) error {
	return t.add("commit %s %s", c.CommitLSN, c.EndLSN)
}

func (t *transcript) Keepalive(end pglogrepl.LSN) error { return t.add("keepalive %s", end) }
func (t *transcript) Tick() error                       { return nil }
func (t *transcript) Flush()                            {}
func (t *transcript) Confirmed() pglogrepl.LSN          { return 0 }

func row(values []schema.Datum) string {
	cells := make([]string, len(values))
	for i, v := range values {
		switch v.Kind {
		case schema.Null:
			cells[i] = "null"
		case schema.Unchanged:
			cells[i] = "unchanged"
		default:
			cells[i] = fmt.Sprintf("%q", v.Bytes)
		}
	}
	return strings.Join(cells, ",")
}

// wal builds protocol messages.
type wal []byte

func (w wal) u8(v byte) wal      { return append(w, v) }
func (w wal) u16(v uint16) wal   { return binary.BigEndian.AppendUint16(w, v) }
func (w wal) u32(v uint32) wal   { return binary.BigEndian.AppendUint32(w, v) }
func (w wal) u64(v uint64) wal   { return binary.BigEndian.AppendUint64(w, v) }
func (w wal) str(s string) wal   { return append(append(w, s...), 0) }
func (w wal) text(s string) wal  { return append(w.u8('t').u32(uint32(len(s))), s...) }
func (w wal) raw(s string) wal   { return append(w, s...) }
func begin(lsn uint64) wal       { return wal("B").u64(lsn).u64(86_400_000_001).u32(7) }
func commit(lsn, end uint64) wal { return wal("C").u8(0).u64(lsn).u64(end).u64(0) }

func relation(oid uint32, columns ...string) wal {
	w := wal("R").u32(oid).str("public").str("outbox").u8('d').u16(uint16(len(columns)))
	for i, c := range columns {
		w = w.u8(byte(i&1 ^ 1)).str(c).u32(25).u32(0xffffffff)
	}
	return w
}

func insert(oid uint32, cells ...string) wal {
	w := wal("I").u32(oid).u8('N').u16(uint16(len(cells)))
	for _, c := range cells {
		w = w.text(c)
	}
	return w
}

// updated is an update; "-" stands for null in the old row and for a value that
// was not sent in the new one.
func updated(oid uint32, kind byte, before []string, after ...string) wal {
	w := wal("U").u32(oid)
	tuple := func(cells []string, none byte) {
		w = w.u16(uint16(len(cells)))
		for _, c := range cells {
			if c == "-" {
				w = w.u8(none)
			} else {
				w = w.text(c)
			}
		}
	}
	if kind != 0 {
		w = w.u8(kind)
		tuple(before, 'n')
	}
	w = w.u8('N')
	tuple(after, 'u')
	return w
}

func TestDecode(t *testing.T) {
	t.Parallel()
	const (
		one     = `relation 5 public.outbox d: id type 25(-1) "" key true`
		columns = one + `, v type 25(-1) "" key false`
	)
	tests := []struct {
		name     string
		unwanted bool
		messages []wal
		want     []string
	}{
		{
			name:     "a transaction with two rows",
			messages: []wal{begin(0x10), relation(5, "id", "v"), insert(5, "1", ""), wal("I").u32(5).u8('N').u16(2).text("2").u8('n'), commit(0x10, 0x20)},
			want: []string{
				"begin 0/10 2000-01-02T00:00:00.000001 xid 7", columns,
				`insert public.outbox "1",""`, `insert public.outbox "2",null`, "commit 0/10 0/20",
			},
		},
		{
			name:     "an empty transaction",
			messages: []wal{begin(0x10), commit(0x10, 0x20)},
			want:     []string{"begin 0/10 2000-01-02T00:00:00.000001 xid 7", "commit 0/10 0/20"},
		},
		{
			name:     "rows of a table that is not wanted are skipped, however they look",
			unwanted: true,
			messages: []wal{begin(0x10), relation(5, "id"), insert(5, "1", "2", "3"), wal("U").u32(5).raw("anything"), wal("T").u32(1).u8(0).u32(5), commit(0x10, 0x20)},
			want:     []string{"begin 0/10 2000-01-02T00:00:00.000001 xid 7", one, "commit 0/10 0/20"},
		},
		{
			name: "the name of a type that is not built in",
			messages: []wal{
				wal("Y").u32(99).str("public").str("mood"),
				wal("R").u32(5).str("").str("x").u8('f').u16(1).u8(0).str("m").u32(99).u32(4),
			},
			want: []string{`relation 5 pg_catalog.x f: m type 99(4) "public.mood" key false`},
		},
		{
			name: "changes that are no insert",
			messages: []wal{
				relation(5, "id"), begin(0x10), wal("O").u64(1).str("elsewhere"), wal("M").u8(1).u64(1).str("p").u32(1).raw("x"),
				wal("A").u32(1).u32(2), wal("D").u32(5).raw("K..."), wal("T").u32(2).u8(1).u32(5).u32(6), commit(0x10, 0x20),
			},
			want: []string{
				one, "begin 0/10 2000-01-02T00:00:00.000001 xid 7",
				`message 0/1 "p" "x" (transactional true)`, "delete public.outbox", "truncate public.outbox", "commit 0/10 0/20",
			},
		},
		{
			name: "updates, with what the replica identity shows of the old row",
			messages: []wal{
				relation(5, "id", "v"), begin(0x10), updated(5, 0, nil, "1", "b"), updated(5, 'K', []string{"1", "-"}, "2", "b"), updated(5, 'O', []string{"2", "b"}, "3", "-"),
			},
			want: []string{
				columns, "begin 0/10 2000-01-02T00:00:00.000001 xid 7",
				`update public.outbox  (full false) to "1","b"`, `update public.outbox "1",null (full false) to "2","b"`,
				`update public.outbox "2","b" (full true) to "3",unchanged`,
			},
		},
		{
			name:     "an unchanged TOAST value is told, not guessed",
			messages: []wal{relation(5, "id"), begin(0x10), wal("I").u32(5).u8('N').u16(1).u8('u')},
			want: []string{
				one, "begin 0/10 2000-01-02T00:00:00.000001 xid 7",
				"insert public.outbox unchanged",
			},
		},
		{
			name: "the latest description of a table holds",
			messages: []wal{
				relation(5, "id"), begin(0x10), insert(5, "1"), relation(5, "id", "v"), insert(5, "2", "x"),
			},
			want: []string{
				one, "begin 0/10 2000-01-02T00:00:00.000001 xid 7",
				`insert public.outbox "1"`, columns, `insert public.outbox "2","x"`,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := transcript{unwanted: tt.unwanted}
			var d replication.Decoder
			for _, m := range tt.messages {
				if err := d.Decode(m, &got); err != nil {
					t.Fatalf("decode %q: %v", m, err)
				}
			}
			if diff := cmp.Diff(tt.want, got.lines); diff != "" {
				t.Errorf("the handler was told (-want +got):\n%s", diff)
			}
		})
	}
}

func message(flags byte, lsn uint64, prefix, content string) wal {
	return wal("M").u8(flags).u64(lsn).str(prefix).u32(uint32(len(content))).raw(content)
}

// A message that is not transactional is a transaction of its own, which ends where
// its record ends, and is as old as its arrival.
func TestDecodeMessageAlone(t *testing.T) {
	t.Parallel()
	var got transcript
	var d replication.Decoder
	before := time.Now().UTC().Format("2006-01-02T15:04:05.000000")
	for _, m := range []wal{message(0, 0x30, "p", "x"), begin(0x40), message(1, 0x38, "", ""), commit(0x40, 0x50)} {
		if err := d.Decode(m, &got); err != nil {
			t.Fatal(err)
		}
	}
	first := strings.Fields(got.lines[0])
	if first[0] != "begin" || first[1] != "0/2F" || first[2] < before {
		t.Errorf("got %q, want the begin of 0/2F at %s or later", got.lines[0], before)
	}
	want := []string{`message 0/30 "p" "x" (transactional false)`, "commit 0/2F 0/30",
		"begin 0/40 2000-01-02T00:00:00.000001 xid 7", `message 0/38 "" "" (transactional true)`, "commit 0/40 0/50"}
	if diff := cmp.Diff(want, got.lines[1:]); diff != "" || d.InTransaction() {
		t.Errorf("the handler was told (-want +got), and a transaction is open %t:\n%s", d.InTransaction(), diff)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	open := []wal{relation(5, "id"), begin(0x10)}
	tests := []struct {
		name   string
		before []wal
		msg    wal
		want   string
	}{
		{"nothing", nil, wal(""), "empty"},
		{"a letter of no meaning", nil, wal("Z"), `message 'Z'`},
		{"a stream start, which was not asked for", nil, wal("S").u32(1).u8(1), "no such message"},
		{"bytes behind the last field", nil, begin(1).u8(0), "1 bytes follow"},
		{"a row of an unknown table", open, insert(6, "1"), "relation 6 was never described"},
		{"a row outside a transaction", []wal{relation(5, "id")}, insert(5, "1"), "outside a transaction"},
		{"too many columns", open, insert(5, "1", "2"), "has 2 columns, its description 1"},
		{"too few columns", open, insert(5), "has 0 columns, its description 1"},
		{"a binary column", open, wal("I").u32(5).u8('N').u16(1).u8('b').u32(1).raw("x"), `format 'b'`},
		{"a negative length", open, wal("I").u32(5).u8('N').u16(1).u8('t').u32(0xffffffff), "ends before"},
		{"a length beyond the message", open, wal("I").u32(5).u8('N').u16(1).u8('t').u32(9).raw("x"), "ends before"},
		{"an old tuple in an insert", open, wal("I").u32(5).u8('O').u16(1).text("1"), `tuple 'O'`},
		{"bytes behind the row", open, insert(5, "1").u8(0), "1 bytes follow"},
		{"an update without a row", open, wal("U").u32(5), "ends before"},
		{"an update with a tuple of no meaning", open, wal("U").u32(5).raw("X"), `tuple 'X'`},
		{"an update with the old row alone", open, wal("U").u32(5).raw("K").u16(1).text("1"), "ends before"},
		{"an update with two old rows", open, wal("U").u32(5).raw("K").u16(1).text("1").raw("O").u16(1).text("1"), `tuple 'O'`},
		{"an old row with too many columns", open, updated(5, 'K', []string{"1", "2"}, "1"), "has 2 columns, its description 1"},
		{"a new row with too many columns", open, updated(5, 'O', []string{"1"}, "1", "2"), "has 2 columns, its description 1"},
		{"a binary column in an old row", open, wal("U").u32(5).raw("O").u16(1).u8('b').u32(1).raw("x"), `format 'b'`},
		{"bytes behind an updated row", open, updated(5, 'K', []string{"1"}, "1").u8(0), "1 bytes follow"},
		{"an update outside a transaction", []wal{relation(5, "id")}, updated(5, 0, nil, "1"), "outside a transaction"},
		{"a delete outside a transaction", []wal{relation(5, "id")}, wal("D").u32(5).raw("K"), "outside a transaction"},
		{"a transaction inside another", open, begin(0x30), "begins inside"},
		{"the commit of another transaction", open, commit(0x30, 0x40), "does not close"},
		{"a commit without a begin", nil, commit(0x30, 0x40), "does not close"},
		{"a commit that ends before it starts", open, commit(0x10, 0x10), "before it starts"},
		{"a name without its end", nil, wal("R").u32(5).raw("public"), "ends before"},
		{"more columns than there are", nil, wal("R").u32(5).str("a").str("b").u8('d').u16(65535), "ends before"},
		{"a transactional message outside a transaction", nil, message(1, 0x10, "p", "x"), "outside a transaction"},
		{"a message that is not transactional in a transaction", open, message(0, 0x10, "p", "x"), "inside transaction 0/10"},
		{"bytes behind a message", open, message(1, 0x10, "p", "x").u8(0), "1 bytes follow"},
		{"a message with a negative length", open, wal("M").u8(1).u64(1).str("p").u32(0xffffffff), "ends before"},
		{"more truncated tables than there are", nil, wal("T").u32(0xffffffff).u8(0), "ends before"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var d replication.Decoder
			for _, m := range tt.before {
				if err := d.Decode(m, &transcript{}); err != nil {
					t.Fatal(err)
				}
			}
			err := d.Decode(tt.msg, &transcript{})
			var malformed *replication.MalformedError
			if !errors.As(err, &malformed) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want a MalformedError about %q", err, tt.want)
			}
		})
	}
}

func TestDecodePassesHandlerErrorsOn(t *testing.T) {
	t.Parallel()
	cause := errors.New("no room")
	for _, m := range []wal{begin(1), relation(5, "id")} {
		var d replication.Decoder
		if err := d.Decode(m, &transcript{fail: cause}); err != cause {
			t.Errorf("%c: got %v, want the handler's own error", m[0], err)
		}
	}
}

// TestDecodeTruncated cuts each kind of message at every length: none may be
// taken for a whole one.
func TestDecodeTruncated(t *testing.T) {
	t.Parallel()
	whole := []wal{begin(0x10), commit(0x10, 0x20), relation(6, "id", "v"), insert(5, "12", "34"), updated(5, 0, nil, "12", "34"), updated(5, 'K', []string{"12", "-"}, "56", "-"), wal("Y").u32(99).str("public").str("mood"), wal("T").u32(1).u8(0).u32(5), message(1, 0x10, "prefix", "content")}
	for _, m := range whole {
		for n := range len(m) {
			var d replication.Decoder
			prepare := []wal{relation(5, "id", "v")}
			if m[0] != 'B' {
				prepare = append(prepare, begin(0x10))
			}
			for _, p := range prepare {
				if err := d.Decode(p, &transcript{}); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.Decode(m[:n:n], &transcript{}); err == nil {
				t.Errorf("%q cut to %d of %d bytes was taken", m, n, len(m))
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, m := range load(f, "testdata/pgoutput-15.bin") {
		if len(m) < 1000 {
			f.Add(m)
			f.Add(m[:len(m)*2/3])
		}
	}
	seeds := []wal{
		begin(0x10), commit(0x10, 0x20), relation(6, "id", "v"), insert(5, "1", "2"), wal("U").u32(5).raw("N"), updated(5, 0, nil, "1", "-"), updated(5, 'K', []string{"1", "-"}, "2", "x"), updated(5, 'O', []string{"1", "x"}, "2", "-"), wal("D").u32(5).raw("K"),
		wal("T").u32(1).u8(0).u32(5), wal("Y").u32(99).str("public").str("mood"), wal("O").u64(1).str("x"), wal("M").u8(1).u64(1).str("p").u32(1).raw("x"),
	}
	for _, s := range seeds {
		f.Add([]byte(s))
		f.Add([]byte(s[:len(s)/2]))
		f.Add([]byte(s[:len(s)-1]))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		var d replication.Decoder
		for _, m := range []wal{relation(5, "id", "v"), begin(0x10)} {
			if err := d.Decode(m, &transcript{}); err != nil {
				t.Fatal(err)
			}
		}
		before := append([]byte(nil), msg...)
		err := d.Decode(msg, &transcript{})
		if string(before) != string(msg) {
			t.Error("the decoder changed its input")
		}
		var malformed *replication.MalformedError
		if err != nil && !errors.As(err, &malformed) {
			t.Errorf("error %v is no MalformedError", err)
		}
	})
}

// silent is a Handler that does nothing, for measuring the decoder alone.
type silent struct{}

func (silent) Begin(replication.Begin) error                 { return nil }
func (silent) Relation(*schema.Relation) (bool, error)       { return true, nil }
func (silent) Insert(*schema.Relation, []schema.Datum) error { return nil }
func (silent) Update(*schema.Relation, []schema.Datum, bool, []schema.Datum) error {
	return nil
}
func (silent) Other(*schema.Relation, replication.Op) error { return nil }
func (silent) Message(replication.Message) error            { return nil }
func (silent) Commit(replication.Commit) error              { return nil }
func (silent) Keepalive(pglogrepl.LSN) error                { return nil }
func (silent) Tick() error                                  { return nil }
func (silent) Flush()                                       {}
func (silent) Confirmed() pglogrepl.LSN                     { return 0 }

var payload = strings.Repeat("x", 300)

func outboxRow() []wal {
	return []wal{begin(0x10), insert(5, "59a42efd-b015-44a9-9dde-cb36d9002425", "Order", "10711fa5", "OrderCreated", payload), commit(0x10, 0x20)}
}

func TestDecodeAllocatesNothing(t *testing.T) {
	var d replication.Decoder
	if err := d.Decode(relation(5, "id", "aggregatetype", "aggregateid", "type", "payload"), silent{}); err != nil {
		t.Fatal(err)
	}
	messages := outboxRow()
	allocs := testing.AllocsPerRun(100, func() {
		for _, m := range messages {
			if err := d.Decode(m, silent{}); err != nil {
				t.Fatal(err)
			}
		}
	})
	if allocs != 0 {
		t.Errorf("a transaction with one row makes %v allocations, want none", allocs)
	}
}

func BenchmarkDecode(b *testing.B) {
	var d replication.Decoder
	if err := d.Decode(relation(5, "id", "aggregatetype", "aggregateid", "type", "payload"), silent{}); err != nil {
		b.Fatal(err)
	}
	messages := outboxRow()
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range messages {
			if err := d.Decode(m, silent{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}
