package replication

import (
	"bytes"
	"encoding/binary"
	"errors"
)

var errTruncated = errors.New("message ends before its last field")

// cursor walks over one protocol message in place. The first read past the end
// sets err, and everything after it yields zero values, so that a decoder
// checks once, at the end, instead of after each field.
type cursor struct {
	rest []byte
	err  error
}

// take returns the next n bytes, or nil when there are fewer.
func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.rest) {
		c.rest, c.err = nil, errTruncated
		return nil
	}
	b := c.rest[:n:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) byte() byte {
	if len(c.rest) == 0 {
		c.err = errTruncated
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b
}

func (c *cursor) uint16() int {
	if b := c.take(2); b != nil {
		return int(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (c *cursor) uint32() uint32 {
	if b := c.take(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) uint64() uint64 {
	if b := c.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// cstring returns a copy of the text up to the next zero byte.
func (c *cursor) cstring() string {
	end := bytes.IndexByte(c.rest, 0)
	if end < 0 {
		c.rest, c.err = nil, errTruncated
		return ""
	}
	s := string(c.rest[:end])
	c.rest = c.rest[end+1:]
	return s
}
