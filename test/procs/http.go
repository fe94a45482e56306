package procs

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/poll"
)

// largestBody is above any answer of ours, /metrics included.
const largestBody = 16 << 20

// Get asks http://addr/path and returns status code and body. An answer with an error status is no error. No
// connection stays open.
func Get(ctx context.Context, addr, path string) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+path, nil)
	if err != nil {
		return 0, nil, fmt.Errorf("get %s from %s: %w", path, addr, err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err // it names method and URL
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, largestBody))
	if err != nil {
		return 0, nil, fmt.Errorf("get %s from %s: %w", path, addr, err)
	}
	return resp.StatusCode, body, nil
}

// WaitStatus asks http://addr/path every 20 ms until the answer has the wanted status code, and returns its body.
// A connection that fails counts as another status.
func WaitStatus(ctx context.Context, addr, path string, want int) ([]byte, error) {
	var body []byte
	err := poll.Until(ctx, 20*time.Millisecond, func(ctx context.Context) error {
		status, b, err := Get(ctx, addr, path)
		if err != nil {
			return err
		}
		if body = b; status != want {
			return fmt.Errorf("status %d: %.200s", status, b)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("wait for status %d of %s on %s: %w", want, path, addr, err)
	}
	return body, nil
}
