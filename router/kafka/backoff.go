package kafka

import (
	"math/rand/v2"
	"time"
)

// backoff is the pause before attempt n, counted from 1, is repeated: it doubles
// from retry.backoff.ms to retry.backoff.max.ms, with a jitter of a fifth either
// way as in Java, so that many relays do not come back in step.
func (c *Config) backoff(n int) time.Duration {
	const doublings = 20 // more would overflow, and the maximum is reached long before
	d := min(c.RetryBackoff<<min(n-1, doublings), c.RetryBackoffMax)
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}
