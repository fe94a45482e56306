// Package web is a daemon's HTTP endpoint: metrics, probes and state, all read-only, on a mux of its own.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Probe is asked by the endpoint how the daemon is. Its methods are called for each request, by several goroutines
// at the same time, and must not wait for a network.
type Probe interface {
	// Live returns nil unless only a restart can help. It must not depend on the database or the broker, or an
	// outage of theirs becomes a storm of restarts.
	Live() error
	// Ready returns nil while the daemon does its work; otherwise each reason, joined by errors.Join.
	Ready() error
	// Status returns what /status shows as JSON.
	Status() any
}

// Config says where and what to serve.
type Config struct {
	Name          string // of the program, for the index page
	ListenAddress string // host:port; port 0 takes a free one
	PProf         bool   // serve Go's profiles under /debug/pprof/

	// Pages are more to serve, by their patterns for http.ServeMux. One of FrontPage takes the place of the index.
	Pages map[string]http.Handler

	// ConfigFile turns on TLS and basic authentication, in the form of the Prometheus exporter-toolkit; "" for neither.
	ConfigFile string
	Log        *slog.Logger // nil for none
}

// FrontPage is the pattern of what is served at /.
const FrontPage = "GET /{$}"

const (
	readTimeout = 10 * time.Second // for a whole request; none of ours has a body
	idleTimeout = 2 * time.Minute  // longer than any scrape interval in use, so that Prometheus keeps its connection
	// writeTimeout ends a scrape by a client that does not read. It leaves room for a CPU profile of 30 s, which
	// pprof refuses when it is longer than this.
	writeTimeout = 90 * time.Second
	// drainTimeout bounds the wait for requests that are being answered when the daemon stops.
	drainTimeout  = 2 * time.Second
	maxHeaderSize = 16 << 10
)

// Server serves one daemon's endpoint. Use New, Listen, Run in this order.
type Server struct {
	config   Config
	http     *http.Server
	listener net.Listener
}

// New returns a server for the metrics in reg and the answers of probe. It opens nothing yet.
func New(config Config, reg *prometheus.Registry, probe Probe) *Server {
	s := &Server{
		config: config,
		http: &http.Server{
			Handler:           routes(config, reg, probe),
			ReadHeaderTimeout: readTimeout,
			ReadTimeout:       readTimeout,
			WriteTimeout:      writeTimeout,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeaderSize,
		},
	}
	s.config.guard(s.http)
	return s
}

// Listen opens the address. It is separate from Run so that a daemon finds out before it starts its work that the
// port is taken, or ConfigFile wrong.
func (s *Server) Listen(ctx context.Context) error {
	if err := s.config.validateConfig(); err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.config.ListenAddress)
	if err != nil {
		return fmt.Errorf("listen for HTTP on %q: %w; %s", s.config.ListenAddress, err, listenHint(err))
	}
	s.listener = l
	return nil
}

// listenHint says what the operator can do, with the option's name.
func listenHint(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return "another relay or pruner may run here already; give this one another -web.listen-address (port 0 takes a free one)"
	case errors.Is(err, syscall.EACCES):
		return "ports below 1024 take a right of their own; give another -web.listen-address"
	}
	return "-web.listen-address is host:port of this machine, as 127.0.0.1:9290, or :9290 for all of its addresses"
}

// Addr returns the address that is served, with the real port. It is empty before Listen.
func (s *Server) Addr() string {
	if s.listener == nil {
		return ""
	}
	return s.listener.Addr().String()
}

// Run serves until ctx ends, then lets requests finish for at most 2 s and returns nil. It returns an error when
// serving fails earlier. It must be called once, after Listen.
func (s *Server) Run(ctx context.Context) error {
	served := make(chan error, 1)
	go func() { served <- s.serve() }()
	select {
	case err := <-served:
		return fmt.Errorf("serve HTTP on %s: %w", s.Addr(), err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := s.http.Shutdown(drain); err != nil {
		// A request is still running, most likely a profile. It gets cut off, which is no failure of the daemon.
		_ = s.http.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve HTTP on %s: %w", s.Addr(), err)
	}
	return nil
}

// Close frees the address when Run will not be called after Listen.
func (s *Server) Close() error {
	if s.listener == nil {
		return nil
	}
	return s.listener.Close()
}
