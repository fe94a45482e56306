package main

import (
	"net/http"

	"github.com/outbox-relay/outbox-relay/cmd/internal/buildinfo"
	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/internal/web"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/statuspage"
)

// statusPage makes the page at /.
func (s *settings) statusPage(relay *pipeline.Relay, recent *logging.Recent, effective []options.Setting) *statuspage.Page {
	return statuspage.New(statuspage.Config{
		Relay: relay, Log: recent, Build: buildinfo.Read(version), PProf: s.pprof,
		Database: s.database.Name(), Brokers: s.kafka.BootstrapServers, Options: effective,
	})
}

// pages are what the endpoint serves of it.
func pages(p *statuspage.Page) map[string]http.Handler {
	return map[string]http.Handler{web.FrontPage: p, "GET " + statuspage.EventsPath: p.Events()}
}

// lastWords lets the page tell with what the relay ended.
func lastWords(p *statuspage.Page, err error) {
	err = exitCode(err)
	p.Ended(err, daemon.Code(err))
}
