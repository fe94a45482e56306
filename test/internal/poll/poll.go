// Package poll waits for a state that sends no event: a server that starts to accept connections, a row that appears.
package poll

import (
	"context"
	"fmt"
	"time"
)

// Until calls check at once and then every interval until it returns nil. When ctx ends first, the error holds what
// check said last, which tells more than the deadline does. check gets a context that ends with ctx.
func Until(ctx context.Context, interval time.Duration, check func(ctx context.Context) error) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	var last error
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || last == nil { // a check cut short by the deadline says nothing new
			last = err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("%w; last: %w", context.Cause(ctx), last)
		}
	}
}
