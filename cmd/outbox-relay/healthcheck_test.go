package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/schema"
)

// TestHealthcheck asks an endpoint by the same settings as the relay's: here the listen address, from each place that
// it can come from. What else is wrong or missing does not matter.
func TestHealthcheck(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "not streaming (connecting)", http.StatusServiceUnavailable)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(locked.Close)
	address, lockedAddress := server.Listener.Addr().String(), locked.Listener.Addr().String()
	tests := []struct {
		name, arg      string
		args, env      []string
		code           int
		stdout, stderr string
	}{
		{"alive, by the environment", "-healthcheck.live", nil, []string{"OUTBOX_RELAY_WEB_LISTEN_ADDRESS=" + address}, 0, "ok", ""},
		{"alive, by an option", "--healthcheck.live=true", []string{"-web.listen-address", address}, nil, 0, "ok", ""},
		{"alive, beside mistakes", "-healthcheck.live", []string{"-web.listen-address", address, "-slot.nmae", "x"}, nil, 0, "ok", ""},
		{"alive, behind a password", "-healthcheck.live", []string{"-web.listen-address", lockedAddress}, nil, 0, "alive", ""},
		{"not ready", "-healthcheck", []string{"-web.listen-address", address}, nil, 1, "", "not streaming"},
		{"who knows, behind a password", "-healthcheck", []string{"-web.listen-address", lockedAddress}, nil, 1, "", "password"},
		{"port 0", "-healthcheck", []string{"-web.listen-address", ":0"}, nil, 1, "", "port 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := execute(t, tt.env, append([]string{tt.arg}, tt.args...)...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
			}
		})
	}
}

// TestPrinted needs no configuration.
func TestPrinted(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"-print-ddl":     schema.DDL,
		"-print-metrics": "| `outbox_relay_ready` | gauge | slot |",
	} {
		if code, stdout, stderr := execute(t, nil, arg); code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit %d, stderr %q, stdout %q", arg, code, stderr, stdout)
		}
	}
}
