//go:build !linux

package replication

import "syscall"

// smallBuffers says whether controlReceiveBuffer does anything.
const smallBuffers = false

// controlReceiveBuffer leaves the socket as it is: what a small buffer gains is known of
// Linux only.
func controlReceiveBuffer(_, _ string, _ syscall.RawConn) error { return nil }
