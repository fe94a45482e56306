package web

import (
	"fmt"
	"log/slog"
	"net/http"

	toolkit "github.com/prometheus/exporter-toolkit/web"
)

// TLS and basic authentication are those of the Prometheus exporters, by their own library, so that the file means
// the same here as for every other exporter: docs/web-configuration.md in prometheus/exporter-toolkit.

// validateConfig finds mistakes in the file before anything is served.
func (c *Config) validateConfig() error {
	if err := toolkit.Validate(c.ConfigFile); err != nil {
		return fmt.Errorf("web.config.file %s: %w", c.ConfigFile, err)
	}
	return nil
}

// guard gives the server its log: what a client did wrong is not worth more than debug.
func (c *Config) guard(server *http.Server) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	server.ErrorLog = slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug)
}

// serve serves plain HTTP, or what the file says. The toolkit reads it again for each connection and request.
func (s *Server) serve() error {
	if s.config.ConfigFile == "" {
		return s.http.Serve(s.listener)
	}
	return toolkit.Serve(s.listener, s.http, &toolkit.FlagConfig{WebConfigFile: &s.config.ConfigFile}, s.config.Log)
}
