package replication

import (
	"io"
	"net"
	"testing"
	"time"
)

// The owner is told before each wait for the network, and only then, and what
// is read is what was written, in pieces of any size.
func TestWireTellsBeforeItWaits(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	defer here.Close()
	go func() {
		defer there.Close()
		io.WriteString(there, "abcdef") //nolint:errcheck // the reader sees what is missing
		io.WriteString(there, "gh")     //nolint:errcheck // as above
	}()
	w := newWire(here, time.Millisecond)
	waits := 0
	w.wait = func() { waits++ }
	buf := make([]byte, 4)
	var got []string
	for {
		n, err := w.Read(buf)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(buf[:n]))
	}
	if len(got) != 3 || got[0] != "abcd" || got[1] != "ef" || got[2] != "gh" {
		t.Errorf("read %q", got)
	}
	if waits != 3 {
		t.Errorf("told %d times before a wait, want 3: before each write and before the end", waits)
	}
}

// While behind, what arrives during a pause is read in one piece.
func TestWirePausesWhileBehind(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	there, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	here, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	w := newWire(here, 20*time.Millisecond)
	w.wait, w.behind = func() {}, true
	written := make(chan error, 1)
	go func() {
		var err error
		for range 100 {
			if err == nil {
				_, err = there.Write(make([]byte, 100))
			}
		}
		written <- err
	}()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	n, err := w.Read(make([]byte, 1<<20))
	if err != nil || n != 10_000 {
		t.Errorf("read %d bytes, %v; want the 100 messages of 100 in one piece", n, err)
	}
}
