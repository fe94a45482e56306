package kafka_test

import (
	"io"
	"net"
	"sync"
	"testing"
)

// door is a TCP proxy whose target can be changed, as the address behind a name.
type door struct {
	listener net.Listener
	wg       sync.WaitGroup

	mu     sync.Mutex
	target string
	conns  map[net.Conn]struct{}
}

func newDoor(t testing.TB, target string) *door {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{listener: l, target: target, conns: make(map[net.Conn]struct{})}
	d.wg.Go(d.accept)
	t.Cleanup(func() {
		_ = l.Close()
		d.cut()
		d.wg.Wait()
	})
	return d
}

func (d *door) addr() string { return d.listener.Addr().String() }

func (d *door) lead(target string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.target = target
}

func (d *door) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.conns {
		_ = c.Close()
	}
}

func (d *door) accept() {
	for {
		in, err := d.listener.Accept()
		if err != nil {
			return
		}
		d.mu.Lock()
		out, err := net.Dial("tcp", d.target)
		if err != nil {
			_ = in.Close()
			d.mu.Unlock()
			continue
		}
		d.conns[in], d.conns[out] = struct{}{}, struct{}{}
		d.mu.Unlock()
		d.wg.Go(func() { d.pump(in, out) })
		d.wg.Go(func() { d.pump(out, in) })
	}
}

func (d *door) pump(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
}

// newDeaf returns the address of a server that accepts and never says a word.
func newDeaf(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		var conns []net.Conn
		for {
			c, err := l.Accept()
			if err != nil {
				break
			}
			conns = append(conns, c)
		}
		for _, c := range conns {
			_ = c.Close()
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return l.Addr().String()
}
