package web_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/crypto/bcrypt"

	"github.com/outbox-relay/outbox-relay/cmd/internal/web"
	"github.com/outbox-relay/outbox-relay/test/certs"
)

// folder holds the files of one configuration.
type folder struct{ dir string }

func (f folder) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func newAuthority(t *testing.T) *certs.Authority {
	t.Helper()
	a, err := certs.NewAuthority("web")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func issue(t *testing.T, a *certs.Authority) certs.Issued {
	t.Helper()
	i, err := a.Issue(certs.Subject{Name: "relay", IPs: []net.IP{net.IPv4(127, 0, 0, 1)}})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func hash(t *testing.T, password string) string {
	t.Helper()
	h, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return string(h)
}

// tlsSection writes certificate and key and returns the part of the configuration for them.
func (f folder) tlsSection(t *testing.T, i certs.Issued) string {
	t.Helper()
	f.write(t, "cert.pem", string(i.Certificate))
	f.write(t, "key.pem", string(i.Key))
	return "tls_server_config:\n  cert_file: cert.pem\n  key_file: key.pem\n"
}

// get asks over TLS and returns the status, 0 for a connection that failed.
func get(t *testing.T, tlsConfig *tls.Config, url, user, password string) int {
	t.Helper()
	c := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: tlsConfig}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if user != "" {
		r.SetBasicAuth(user, password)
	}
	resp, err := c.Do(r)
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

func TestTLSAndBasicAuthentication(t *testing.T) {
	t.Parallel()
	a, f := newAuthority(t), folder{t.TempDir()}
	file := f.write(t, "web.yml", f.tlsSection(t, issue(t, a))+"basic_auth_users:\n  prometheus: "+hash(t, "geheim")+"\n")
	addr := start(t, web.Config{Name: "test", ConfigFile: file}, probe{})
	trusting := &tls.Config{RootCAs: a.Pool()}
	tests := []struct {
		name, scheme, user, password string
		tls                          *tls.Config
		want                         int
	}{
		{"right", "https", "prometheus", "geheim", trusting, 200},
		{"wrong password", "https", "prometheus", "other", trusting, 401},
		{"no password", "https", "", "", trusting, 401},
		{"unknown authority", "https", "prometheus", "geheim", &tls.Config{RootCAs: newAuthority(t).Pool()}, 0},
		{"plain HTTP", "http", "prometheus", "geheim", nil, 400},
	}
	for _, path := range []string{"/metrics", "/status", "/readyz", "/livez"} {
		for _, test := range tests {
			if got := get(t, test.tls, test.scheme+"://"+addr+path, test.user, test.password); got != test.want {
				t.Errorf("%s, %s: got %d, want %d", path, test.name, got, test.want)
			}
		}
	}
}

// TestCertificateIsReplaced rotates it under the running server.
func TestCertificateIsReplaced(t *testing.T) {
	t.Parallel()
	first, second, f := newAuthority(t), newAuthority(t), folder{t.TempDir()}
	file := f.write(t, "web.yml", f.tlsSection(t, issue(t, first)))
	addr := start(t, web.Config{ConfigFile: file}, probe{})
	if got := get(t, &tls.Config{RootCAs: first.Pool()}, "https://"+addr+"/livez", "", ""); got != 200 {
		t.Fatalf("before: got %d", got)
	}
	f.tlsSection(t, issue(t, second))
	if got := get(t, &tls.Config{RootCAs: second.Pool()}, "https://"+addr+"/livez", "", ""); got != 200 {
		t.Errorf("after: got %d", got)
	}
}

func TestConfigFileMistakes(t *testing.T) {
	t.Parallel()
	f := folder{t.TempDir()}
	tests := []struct{ name, text, want string }{
		{"unknown key", "tls: yes\n", "tls"},
		{"password that is no hash", "basic_auth_users:\n  u: geheim\n", "hash"},
		{"certificate missing", "tls_server_config:\n  cert_file: none.pem\n  key_file: none.pem\n", "none.pem"},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := f.write(t, fmt.Sprint(i, ".yml"), test.text)
			s := web.New(web.Config{ListenAddress: "127.0.0.1:0", ConfigFile: file}, prometheus.NewRegistry(), probe{})
			err := s.Listen(t.Context())
			if err == nil || !strings.Contains(err.Error(), "web.config.file "+file) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "geheim") {
				t.Errorf("the password shows: %v", err)
			}
		})
	}
}

// output is a buffer for several goroutines.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// TestFaultsOfClientsAreDebug keeps a port scanner from filling the log.
func TestFaultsOfClientsAreDebug(t *testing.T) {
	t.Parallel()
	f := folder{t.TempDir()}
	file := f.write(t, "web.yml", f.tlsSection(t, issue(t, newAuthority(t))))
	var info, debug output
	for _, log := range []struct {
		to    *output
		level slog.Level
	}{{&info, slog.LevelInfo}, {&debug, slog.LevelDebug}} {
		addr := start(t, web.Config{ConfigFile: file, Log: slog.New(slog.NewTextHandler(log.to, &slog.HandlerOptions{Level: log.level}))}, probe{})
		if got := get(t, &tls.Config{RootCAs: newAuthority(t).Pool()}, "https://"+addr+"/livez", "", ""); got != 0 {
			t.Fatalf("got %d from a server that is not trusted", got)
		}
		deadline := time.After(10 * time.Second)
		for log.level == slog.LevelDebug && !strings.Contains(debug.String(), "handshake") {
			select {
			case <-deadline:
				t.Fatalf("no handshake error in %s", &debug)
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	if text := info.String(); strings.Contains(text, "handshake") || !strings.Contains(text, "TLS is enabled") {
		t.Errorf("at info: %s", text)
	}
}
