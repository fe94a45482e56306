//go:build !linux

package replication

import "syscall"

// controlReceiveBuffer leaves the socket as it is: what a small buffer gains is known of
// Linux only.
func controlReceiveBuffer(_, _ string, _ syscall.RawConn) error { return nil }
