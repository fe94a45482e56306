package floor

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// socketPair is a TCP connection from this process to itself.
func socketPair(t *testing.T) (reader, writer net.Conn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if writer, err = net.Dial("tcp", listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { writer.Close() })
	if reader, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	return reader, writer
}

func TestPacedReaderGetsTheLastBytes(t *testing.T) {
	t.Parallel()
	reader, writer := socketPair(t)
	if err := reader.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	p := newPaced()
	defer p.stop()
	p.Reader = reader
	if err := p.slowDown(reader); err != nil {
		t.Fatal(err)
	}
	// Less than the low-water mark, the second part after the reader has begun to wait for it.
	const text = "first part, second part"
	var sender sync.WaitGroup
	defer sender.Wait()
	sender.Go(func() {
		io.WriteString(writer, text[:11]) //nolint:errcheck // the reader would miss it
		pause := time.NewTimer(5 * pacePause)
		<-pause.C
		io.WriteString(writer, text[11:]) //nolint:errcheck // as above
	})
	got := make([]byte, len(text))
	if _, err := io.ReadFull(p, got); err != nil || string(got) != text {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestPacedReaderNeedsASocket(t *testing.T) {
	t.Parallel()
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	p := newPaced()
	defer p.stop()
	if err := p.slowDown(a); err == nil {
		t.Error("a connection without a socket was accepted")
	}
}
