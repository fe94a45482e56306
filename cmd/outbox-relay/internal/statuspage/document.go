package statuspage

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"

	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
)

var (
	//go:embed assets/page.html
	markup string
	//go:embed assets/page.css
	style string

	//go:embed assets/figures.js
	figuresJS string
	//go:embed assets/words.js
	wordsJS string
	//go:embed assets/charts.js
	chartsJS string
	//go:embed assets/moment.js
	momentJS string
	//go:embed assets/parts.js
	partsJS string
	//go:embed assets/events.js
	eventsJS string
)

// script is one function, whose parts see each other and which leaves no name behind.
var script = `"use strict";(() => {` + "\n" + figuresJS + wordsJS + chartsJS + momentJS + partsJS + eventsJS + "})();"

// page is parsed once; style and script go into it as they are.
var page = template.Must(template.New("page").Parse(markup))

// document is the page less what the relay is doing.
type document struct {
	Version, Revision, Go string
	Slot, Database        string
	Brokers               string
	Options               []option
	Changed               int // options that are not at their default
	EventsPath            string
	PProf                 bool
	Style                 template.CSS
	Script                template.JS
	policy                string
}

// option is a line of the table of options.
type option struct {
	Name, Value, Source string
	Default             bool
}

func newDocument(cfg Config) *document {
	d := &document{
		Version: cfg.Build.Version, Revision: cfg.Build.Revision, Go: cfg.Build.GoVersion, Database: cfg.Database,
		Slot: cfg.Relay.Present().Status.Slot, Brokers: strings.Join(cfg.Brokers, ", "), EventsPath: EventsPath, PProf: cfg.PProf,
		Style: template.CSS(style), Script: template.JS(script), policy: policy(),
	}
	for _, o := range cfg.Options {
		d.Options = append(d.Options, option{o.Name, o.Value, o.Source.String(), o.Source.Kind == options.Default})
		if o.Source.Kind != options.Default {
			d.Changed++
		}
	}
	return d
}

// policy lets the page load its own style and script, told by their hashes, and the events; nothing else.
func policy() string {
	return strings.Join([]string{
		"default-src 'none'", "style-src " + hash(style), "script-src " + hash(script), "connect-src 'self'", "img-src data:",
		"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	}, "; ")
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// ServeHTTP serves the page itself, with the words of now: they are there before the first event, and without
// JavaScript.
func (p *Page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var body bytes.Buffer
	err := page.Execute(&body, struct {
		*document
		Words
	}{p.page, *p.words.Load()})
	if err != nil {
		http.Error(w, "the page could not be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", p.page.policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(body.Bytes()) // a client that went away is not our concern
}
