package statuspage

import (
	"net/http"
	"time"
)

const (
	// EventsPath is where the page gets what is new.
	EventsPath = "/status/events"
	// writeTimeout lets go of a browser that does not read. The server's own would end the stream.
	writeTimeout = 10 * time.Second
)

// Events returns the handler of EventsPath: server-sent events until the browser leaves or the relay ends.
func (p *Page) Events() http.Handler { return http.HandlerFunc(p.stream) }

func (p *Page) stream(w http.ResponseWriter, r *http.Request) {
	v := p.hub.join()
	if v == nil {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many browsers watch, or the relay is stopping", http.StatusServiceUnavailable)
		return
	}
	defer p.hub.leave(v)
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{}) // the server's is for a request, and would end the stream; a writer without one has none
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would wait for more
	for {
		select {
		case <-r.Context().Done():
			return
		case frame, ok := <-v.frames:
			if !ok {
				return
			}
			_ = c.SetWriteDeadline(time.Now().Add(writeTimeout))
			if _, err := w.Write(frame); err != nil {
				return // it went away
			}
			if err := c.Flush(); err != nil {
				return
			}
		}
	}
}
