package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// routes builds the mux. A pattern with GET takes HEAD too and makes the mux answer 405 to everything else.
func routes(config Config, reg *prometheus.Registry, probe Probe) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics(reg))
	mux.HandleFunc("GET /livez", verdict(probe.Live))
	mux.HandleFunc("GET /readyz", verdict(probe.Ready))
	mux.HandleFunc("GET /status", status(probe))
	for pattern, h := range config.Pages {
		mux.Handle(pattern, h)
	}
	if config.Pages[FrontPage] == nil {
		mux.HandleFunc(FrontPage, index(config))
	}
	if config.PProf {
		mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		mux.HandleFunc("GET /debug/pprof/cmdline", cmdline)
		mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return uncached(mux)
}

// metrics serves what can be collected even if one collector fails, and counts the failure in a metric.
func metrics(reg *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, Registry: reg})
}

// cmdline replaces pprof's handler of this name, which would show flags that hold a password.
func cmdline(w http.ResponseWriter, _ *http.Request) {
	text(w, http.StatusNotFound, "the command line is not served, see /status\n")
}

// verdict answers ok, or 503 with the reasons, one a line.
func verdict(ask func() error) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if err := ask(); err != nil {
			text(w, http.StatusServiceUnavailable, err.Error()+"\n")
			return
		}
		text(w, http.StatusOK, "ok\n")
	}
}

// status answers with the state as indented JSON, with & and < as they are, because people read it.
func status(probe Probe) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		var body bytes.Buffer
		e := json.NewEncoder(&body)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(probe.Status()); err != nil {
			text(w, http.StatusInternalServerError, fmt.Sprintf("encode status: %v\n", err))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body.Bytes()) // a client that went away is not our concern
	}
}

func text(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write([]byte(body)) // as above
}

// uncached keeps proxies and browsers from showing an old state, and from guessing a type.
func uncached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}
