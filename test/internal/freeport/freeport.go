// Package freeport finds TCP ports for servers that must come back on the same port after a restart.
package freeport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// The range lies below Linux's range for outgoing connections (32768 and up). A port from that range could be taken
// by any client socket of the machine while the server that owns it is down for a restart.
const (
	low  = 20000
	high = 32000
)

// Pick returns n different ports of 127.0.0.1 on which nobody listens now. Somebody else may take one before the
// caller does: a server that then can not bind should be started again with new ports.
func Pick(n int) ([]int, error) {
	ports := make([]int, 0, n)
	taken := map[int]bool{}
	for range 1000 {
		if len(ports) == n {
			return ports, nil
		}
		port := low + rand.IntN(high-low)
		if !taken[port] && free(port) {
			taken[port] = true
			ports = append(ports, port)
		}
	}
	return nil, errors.New("find free ports on 127.0.0.1 between " + strconv.Itoa(low) + " and " + strconv.Itoa(high) +
		fmt.Sprintf(": only %d of %d found", len(ports), n))
}

func free(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return l.Close() == nil
}
