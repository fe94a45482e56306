package statuspage

import (
	"bytes"
	"sync"
)

// section is one part of the page as JSON, under the name of its event.
type section struct {
	name string
	data []byte
}

// hub hands what is new to everybody who watches. Those who do not keep up are let go: they come back by themselves.
type hub struct {
	arrived chan struct{} // readable when somebody has come who has seen nothing yet
	limit   int

	mu      sync.Mutex
	viewers map[*viewer]bool // whether it has seen the page as a whole
	shown   map[string][]byte
	closed  bool
}

// viewer is one browser.
type viewer struct{ frames chan []byte }

// viewerFrames is how many looks a viewer may lag behind.
const viewerFrames = 8

func newHub(limit int) *hub {
	return &hub{arrived: make(chan struct{}, 1), limit: limit, viewers: make(map[*viewer]bool), shown: make(map[string][]byte)}
}

// join admits a viewer, or returns nil if there are too many or the page has ended.
func (h *hub) join() *viewer {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.viewers) >= h.limit {
		return nil
	}
	v := &viewer{frames: make(chan []byte, viewerFrames)}
	h.viewers[v] = false
	select {
	case h.arrived <- struct{}{}:
	default:
	}
	return v
}

// leave is for a viewer that went away.
func (h *hub) leave(v *viewer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.viewers, v)
}

// idle reports whether nobody watches.
func (h *hub) idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.viewers) == 0
}

// show sends what has changed to those who watch, and everything to those who have just come, the past first: only
// they need it.
func (h *hub) show(past func() section, now []section) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all, changed bytes.Buffer
	if h.anyNew() {
		past := past()
		past.frame(&all)
	}
	for _, s := range now {
		s.frame(&all)
		if !bytes.Equal(h.shown[s.name], s.data) {
			s.frame(&changed)
			h.shown[s.name] = s.data
		}
	}
	for v, seen := range h.viewers {
		frame := changed.Bytes()
		if !seen {
			frame, h.viewers[v] = all.Bytes(), true
		}
		select {
		case v.frames <- frame:
		default:
			h.drop(v)
		}
	}
}

// anyNew reports whether somebody has seen nothing yet.
func (h *hub) anyNew() bool {
	for _, seen := range h.viewers {
		if !seen {
			return true
		}
	}
	return false
}

func (h *hub) drop(v *viewer) {
	close(v.frames)
	delete(h.viewers, v)
}

// close lets everybody go, after what was sent to them.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for v := range h.viewers {
		h.drop(v)
	}
}

// frame writes the section as an event of the stream (HTML standard, section 9.2). JSON has no newline in it.
func (s *section) frame(b *bytes.Buffer) {
	b.WriteString("event: " + s.name + "\ndata: ")
	b.Write(s.data)
	b.WriteString("\n\n")
}
