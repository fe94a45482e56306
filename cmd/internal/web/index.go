package web

import (
	"bytes"
	"html/template"
	"net/http"
)

// page is the index: what there is to see, for somebody who opens the address in a browser.
var page = template.Must(template.New("index").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Name}}</title>
<h1>{{.Name}}</h1>
<ul>
<li><a href="/status">/status</a> what it is doing, as JSON
<li><a href="/readyz">/readyz</a> whether it does its work, or why not
<li><a href="/livez">/livez</a> whether it is alive
<li><a href="/metrics">/metrics</a> for Prometheus
{{- if .PProf}}
<li><a href="/debug/pprof/">/debug/pprof/</a> profiles
{{- end}}
</ul>
</html>
`))

// index renders the page once; it depends on nothing that changes.
func index(config Config) http.HandlerFunc {
	var body bytes.Buffer
	if err := page.Execute(&body, config); err != nil {
		panic("web: index page: " + err.Error()) // the template and its two fields are ours
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(body.Bytes()) // a client that went away is not our concern
	}
}
