// Package otlp sends spans and metrics to an OpenTelemetry collector: OTLP over HTTP with JSON (OpenTelemetry Protocol,
// version 1). Spans are the official SDK's, with its sampler, batches and OTEL_* variables. The official exporters are
// not used: they bring gRPC and protobuf stubs along, which make the program a quarter larger, for a feature that is off
// unless somebody asks for it. What cannot be sent is dropped and told in the log; it never holds an event up.
package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client posts documents to a collector. It is safe for concurrent use.
type Client struct {
	base    string
	headers map[string]string
	http    *http.Client
	pause   time.Duration // before the first repeat
}

const (
	// requestTimeout bounds one request, as the OTLP exporters' default does.
	requestTimeout = 10 * time.Second
	// tries is how often a document is sent before it is given up.
	tries = 4
)

// NewClient returns a client for a collector's base address, such as http://collector:4318, and headers for each request.
func NewClient(endpoint string, headers map[string]string) (*Client, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not an address like http://collector:4318", endpoint)
	}
	return &Client{base: strings.TrimSuffix(endpoint, "/"), headers: headers, http: &http.Client{Timeout: requestTimeout}, pause: time.Second}, nil
}

// Close lets idle connections go.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// post sends a document, again while the collector asks for it or is away. The error shows no header.
func (c *Client) post(ctx context.Context, path string, document any) error {
	var body bytes.Buffer
	zip := gzip.NewWriter(&body)
	if err := json.NewEncoder(zip).Encode(document); err != nil {
		return fmt.Errorf("encode for %s: %w", path, err)
	}
	if err := zip.Close(); err != nil {
		return fmt.Errorf("compress for %s: %w", path, err)
	}
	pause := c.pause
	for try := 1; ; try++ {
		again, err := c.once(ctx, path, body.Bytes())
		if err == nil {
			return nil
		}
		if !again || try == tries {
			return fmt.Errorf("send to %s%s: %w", c.base, path, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("send to %s%s: %w", c.base, path, err)
		case <-time.After(pause):
			pause *= 2
		}
	}
}

// once sends it; again says that another try may help (OTLP, "Retryable Response Codes").
func (c *Client) once(ctx context.Context, path string, body []byte) (again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Content-Encoding", "gzip")
	for name, value := range c.headers {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return ctx.Err() == nil, err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection can be used again
	switch response.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, fmt.Errorf("the collector answers %s", response.Status)
	}
	return false, fmt.Errorf("the collector answers %s", response.Status)
}
