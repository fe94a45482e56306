package healthcheck_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/cmd/internal/healthcheck"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// endpoint answers as a daemon does, and returns the port.
func endpoint(t *testing.T, start func(*httptest.Server)) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		w.Write([]byte("no broker is connected\n"))
	})
	s := httptest.NewUnstartedServer(mux)
	start(s)
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func TestAsk(t *testing.T) {
	t.Parallel()
	port := endpoint(t, (*httptest.Server).Start)
	for _, host := range []string{"", "0.0.0.0", "[::]", "127.0.0.1", "localhost"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			c := healthcheck.Config{ListenAddress: host + ":" + port}
			if got, err := healthcheck.Ask(t.Context(), c, "/livez"); got != "ok" || err != nil {
				t.Errorf("livez: %q, %v", got, err)
			}
			_, err := healthcheck.Ask(t.Context(), c, "/readyz")
			if err == nil || !strings.Contains(err.Error(), "503 Service Unavailable: no broker is connected") {
				t.Errorf("readyz: %v", err)
			}
		})
	}
}

// configured writes a web.config.file.
func configured(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "web.yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestConfigFile(t *testing.T) {
	t.Parallel()
	plain, tls := endpoint(t, (*httptest.Server).Start), endpoint(t, (*httptest.Server).StartTLS)
	tests := []struct{ name, port, text, want string }{
		{"TLS", tls, "tls_server_config: {cert_file: c, key_file: k}", ""},
		{"no TLS", plain, "basic_auth_users: {}", ""},
		{"empty", plain, "", ""},
		{"TLS that is not there", plain, "tls_server_config: {}", "HTTP response to HTTPS client"},
		{"no YAML", plain, "{", "web.config.file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := healthcheck.Config{ListenAddress: ":" + tt.port, ConfigFile: configured(t, tt.text)}
			_, err := healthcheck.Ask(t.Context(), c, "/livez")
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	_, err := healthcheck.Ask(t.Context(), healthcheck.Config{ListenAddress: ":" + plain, ConfigFile: "/nowhere"}, "/livez")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestPassword(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(s.Close)
	c := healthcheck.Config{ListenAddress: s.Listener.Addr().String()}
	if _, err := healthcheck.Ask(t.Context(), c, "/readyz"); !errors.Is(err, healthcheck.ErrPassword) {
		t.Errorf("got %v", err)
	}
}

func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := l.Addr().String()
	l.Close()
	tests := []struct{ name, address, want string }{
		{"nobody listens", free, "connection refused"},
		{"port 0", ":0", "port 0"},
		{"no port", "localhost", "not host:port"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := healthcheck.Ask(t.Context(), healthcheck.Config{ListenAddress: tt.address}, "/livez")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestDaemonThatHangs accepts and never answers.
func TestDaemonThatHangs(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := healthcheck.Ask(ctx, healthcheck.Config{ListenAddress: l.Addr().String()}, "/livez"); err == nil {
		t.Error("an answer from nobody")
	}
}
