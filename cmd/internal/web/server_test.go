package web_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/cmd/internal/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// probe answers what the test wants.
type probe struct {
	live, ready error
	status      any
}

func (p probe) Live() error  { return p.live }
func (p probe) Ready() error { return p.ready }
func (p probe) Status() any  { return p.status }

// client keeps no connection open, so that no goroutine of its own outlives a test.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}

// start serves until the test ends and returns the address.
func start(t *testing.T, config web.Config, p web.Probe) string {
	t.Helper()
	reg := prometheus.NewRegistry()
	reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "answer", Help: "x"}, func() float64 { return 42 }))
	config.ListenAddress = "127.0.0.1:0"
	s := web.New(config, reg, p)
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	return s.Addr()
}

// answer is what a test looks at.
type answer struct {
	Code int
	Type string
	Body string
}

func ask(t *testing.T, method, url string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control: got %q", got)
	}
	return answer{resp.StatusCode, resp.Header.Get("Content-Type"), string(body)}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	const plain, asJSON = "text/plain; charset=utf-8", "application/json"
	well := probe{status: map[string]any{"state": "streaming", "a": "<&>"}}
	ill := probe{live: errors.New("stuck"), ready: errors.Join(errors.New("no stream"), errors.New("no broker")), status: func() {}}
	tests := []struct {
		name, method, path string
		probe              probe
		want               answer
	}{
		{"live", "GET", "/livez", well, answer{200, plain, "ok\n"}},
		{"not live", "GET", "/livez", ill, answer{503, plain, "stuck\n"}},
		{"ready", "GET", "/readyz", well, answer{200, plain, "ok\n"}},
		{"not ready", "GET", "/readyz", ill, answer{503, plain, "no stream\nno broker\n"}},
		{"head", "HEAD", "/readyz", ill, answer{503, plain, ""}},
		{"status", "GET", "/status", well, answer{200, asJSON, "{\n  \"a\": \"<&>\",\n  \"state\": \"streaming\"\n}\n"}},
		{"status that is no JSON", "GET", "/status", ill,
			answer{500, plain, "encode status: json: unsupported type: func()\n"}},
		{"post", "POST", "/readyz", well, answer{405, plain, "Method Not Allowed\n"}},
		{"delete", "DELETE", "/metrics", well, answer{405, plain, "Method Not Allowed\n"}},
		{"unknown", "GET", "/nothing", well, answer{404, plain, "404 page not found\n"}},
		{"no profiles", "GET", "/debug/pprof/", well, answer{404, plain, "404 page not found\n"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			addr := start(t, web.Config{Name: "test"}, test.probe)
			if diff := cmp.Diff(test.want, ask(t, test.method, "http://"+addr+test.path)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	got := ask(t, "GET", "http://"+start(t, web.Config{}, probe{})+"/metrics")
	for _, want := range []string{"\nanswer 42\n", "promhttp_metric_handler_errors_total"} {
		if got.Code != 200 || !strings.Contains(got.Body, want) {
			t.Errorf("%d, no %q in %s", got.Code, want, got.Body)
		}
	}
	if strings.Contains(got.Body, "go_goroutines") {
		t.Error("serves the default registry")
	}
}

// TestOneBrokenCollector keeps the other metrics visible.
func TestOneBrokenCollector(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	reg.MustRegister(
		prometheus.NewGauge(prometheus.GaugeOpts{Name: "good", Help: "x"}),
		broken{prometheus.NewDesc("bad", "x", nil, nil)},
	)
	s := web.New(web.Config{ListenAddress: "127.0.0.1:0"}, reg, probe{})
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	if got := ask(t, "GET", "http://"+s.Addr()+"/metrics"); got.Code != 200 || !strings.Contains(got.Body, "good 0") {
		t.Errorf("got %+v", got)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

type broken struct{ desc *prometheus.Desc }

func (b broken) Describe(ch chan<- *prometheus.Desc) { ch <- b.desc }
func (b broken) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.NewInvalidMetric(b.desc, errors.New("no answer"))
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	base := "http://" + start(t, web.Config{PProf: true}, probe{})
	for path, code := range map[string]int{
		"/debug/pprof/": 200, "/debug/pprof/goroutine?debug=1": 200, "/debug/pprof/heap": 200, "/debug/pprof/symbol": 200,
		"/debug/pprof/cmdline": 404, "/debug/pprof/nothing": 404,
	} {
		if got := ask(t, "GET", base+path); got.Code != code {
			t.Errorf("%s: got %d, want %d", path, got.Code, code)
		}
	}
	if got := ask(t, "GET", base+"/"); !strings.Contains(got.Body, "/debug/pprof/") {
		t.Error("the index does not link the profiles")
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	got := ask(t, "GET", "http://"+start(t, web.Config{Name: "<relay>"}, probe{})+"/")
	if got.Code != 200 || got.Type != "text/html; charset=utf-8" || !strings.Contains(got.Body, "&lt;relay&gt;") {
		t.Errorf("got %+v", got)
	}
	for _, path := range []string{"/status", "/readyz", "/livez", "/metrics"} {
		if !strings.Contains(got.Body, `href="`+path+`"`) {
			t.Errorf("no link to %s", path)
		}
	}
	if strings.Contains(got.Body, "pprof") {
		t.Error("links profiles that are not served")
	}
}

func TestListenFails(t *testing.T) {
	t.Parallel()
	addr := start(t, web.Config{}, probe{})
	for _, bad := range []string{addr, "127.0.0.1:http-nothing", "no.port"} {
		s := web.New(web.Config{ListenAddress: bad}, prometheus.NewRegistry(), probe{})
		err := s.Listen(t.Context())
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("listen for HTTP on %q", bad)) || !strings.Contains(err.Error(), "-web.listen-address") {
			t.Errorf("%s: got %v", bad, err)
		}
		if s.Addr() != "" || s.Close() != nil {
			t.Errorf("%s: addr %q", bad, s.Addr())
		}
	}
}

func TestCloseFreesTheAddress(t *testing.T) {
	t.Parallel()
	s := web.New(web.Config{ListenAddress: "127.0.0.1:0"}, prometheus.NewRegistry(), probe{})
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "serve HTTP on "+s.Addr()) {
		t.Errorf("run on a closed listener: %v", err)
	}
}

// slowProbe holds a request until it is released.
type slowProbe struct {
	probe
	asked   chan struct{}
	release chan struct{}
}

func (p slowProbe) Ready() error {
	close(p.asked)
	<-p.release
	return nil
}

// TestStopWaitsForRequests sends a request, stops the server while it is answered, and still gets the answer.
func TestStopWaitsForRequests(t *testing.T) {
	t.Parallel()
	p := slowProbe{asked: make(chan struct{}), release: make(chan struct{})}
	s := web.New(web.Config{ListenAddress: "127.0.0.1:0"}, prometheus.NewRegistry(), p)
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done, got := make(chan error, 1), make(chan answer, 1)
	go func() { done <- s.Run(ctx) }()
	go func() { got <- ask(t, "GET", "http://"+s.Addr()+"/readyz") }()
	<-p.asked
	cancel()
	close(p.release)
	if a := <-got; a.Code != 200 {
		t.Errorf("got %+v", a)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestStopIsBounded leaves a request unanswered; Run has to end all the same.
func TestStopIsBounded(t *testing.T) {
	t.Parallel()
	p := slowProbe{asked: make(chan struct{}), release: make(chan struct{})}
	s := web.New(web.Config{ListenAddress: "127.0.0.1:0"}, prometheus.NewRegistry(), p)
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
	<-p.asked
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("still running")
	}
	if _, err := bufio.NewReader(conn).ReadString('\n'); err == nil {
		t.Error("the request was answered")
	}
	close(p.release)
}

// A page of the daemon's own takes the place of the index; the others stay.
func TestPages(t *testing.T) {
	t.Parallel()
	say := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	}
	addr := start(t, web.Config{Name: "outbox-sample", Pages: map[string]http.Handler{web.FrontPage: say("front"), "GET /more": say("more")}}, probe{})
	for path, want := range map[string]string{"/": "front", "/more": "more", "/livez": "ok\n"} {
		r, err := client.Get("http://" + addr + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || string(body) != want {
			t.Errorf("%s: %v, got %q, want %q", path, err, body, want)
		}
	}
}
