//go:build !linux

package replication

import "net"

// lowWater does nothing where the kernel or its Go package lacks the option.
type lowWater struct{}

func newLowWater(net.Conn) lowWater { return lowWater{} }

func (lowWater) set(int) {}
