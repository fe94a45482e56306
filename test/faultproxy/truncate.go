package faultproxy

// truncation ends the first connection that has passed so many bytes since it was ordered.
type truncation struct {
	bytes    int64
	end      End
	happened chan struct{}
}

// Truncate lets each connection pass exactly so many more bytes in a direction; the first that would pass another one
// is ended instead, after which the others go on. With 0, a connection ends when the next bytes arrive: towards the
// client this is a server that has done what it was asked, and whose answer is lost. The channel is closed when it has
// happened. A second call replaces an order for the same direction that has not come true.
func (p *Proxy) Truncate(d Direction, bytes int64, end End) <-chan struct{} {
	t := &truncation{bytes: bytes, end: end, happened: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.truncate[d] = t
	return t.happened
}

// allow returns how many of the next bytes may pass, and the truncation if it is this lane that meets it.
func (n *lane) allow(count int) (int, *truncation) {
	p := n.link.proxy
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.truncate[n.way]
	if t == nil {
		return count, nil
	}
	if n.seen != t {
		n.seen, n.base = t, n.passed
	}
	left := t.bytes - (n.passed - n.base)
	if int64(count) <= left {
		return count, nil
	}
	p.truncate[n.way] = nil
	return int(left), t
}
