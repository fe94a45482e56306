package pipeline

import (
	"fmt"
	"time"
)

// heldBack is what the server said when it last held events back for a standby.
type heldBack struct {
	at      time.Time
	message string
}

// heldFor is how long that counts. The server says it again whenever the stream asks
// for a sign, which it does after 5 s of silence.
const heldFor = 12 * time.Second

// standbyReady is an error while the server waits for a standby: it answers, and
// nothing flows.
func (r *Relay) standbyReady() error {
	h := r.standby.Load()
	if h == nil || time.Since(h.at) > heldFor {
		r.behind.Recovered()
		return nil
	}
	return fmt.Errorf("PostgreSQL holds events back until a standby has them: %s", h.message)
}
