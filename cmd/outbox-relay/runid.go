package main

import (
	"crypto/rand"
	"fmt"
	"time"
)

// newRunID returns a UUID of version 7, which begins with the time in
// milliseconds since 1970 (RFC 9562, section 5.7).
func newRunID(now time.Time) string {
	var u [16]byte
	rand.Read(u[6:]) // never fails
	ms := now.UnixMilli()
	for i := range 6 {
		u[i] = byte(ms >> (40 - 8*i))
	}
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
