package freeport_test

import (
	"net"
	"strconv"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/internal/freeport"
)

func TestPortsAreDifferentAndFree(t *testing.T) {
	t.Parallel()
	ports, err := freeport.Pick(20)
	if err != nil {
		t.Fatal(err)
	}
	if len(ports) != 20 {
		t.Errorf("%d ports, want 20", len(ports))
	}
	for _, port := range ports { // the same one twice fails here too
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			t.Error(err)
			continue
		}
		defer l.Close()
		if port >= 32768 {
			t.Errorf("port %d may be taken by any outgoing connection", port)
		}
	}
}
