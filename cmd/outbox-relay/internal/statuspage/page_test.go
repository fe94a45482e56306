package statuspage

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// client keeps no connection open, so that no goroutine of its own outlives a test.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	r, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Body.Close() })
	return r
}

// feed reads a stream event by event.
type feed struct{ lines *bufio.Scanner }

func watch(t *testing.T, url string) *feed {
	t.Helper()
	r := get(t, url+EventsPath)
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s, %s", r.Status, r.Header.Get("Content-Type"))
	}
	f := &feed{bufio.NewScanner(r.Body)}
	f.lines.Buffer(nil, 1<<20)
	return f
}

// next returns the next event; its name is empty at the end.
func (f *feed) next() (name, data string) {
	for f.lines.Scan() {
		line := f.lines.Text()
		switch {
		case strings.HasPrefix(line, "event: "):
			name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			data = line[len("data: "):]
		case line == "":
			return name, data
		}
	}
	return "", ""
}

// await returns the data of the next event of this name.
func (f *feed) await(t *testing.T, name string) string {
	t.Helper()
	for {
		switch got, data := f.next(); got {
		case name:
			return data
		case "":
			t.Fatalf("the stream ended before an event %s", name)
		}
	}
}

// A stream goes on beyond the server's own deadlines for requests, which the rig makes short.
func TestStreamGoesOn(t *testing.T) {
	t.Parallel()
	f := streamingRelay(time.Now())
	url, _ := serve(t, newPage(f))
	feed := watch(t, url)
	for i, want := range []string{"past", "words", "state", "point", "topics", "events", "log"} {
		if got, _ := feed.next(); got != want {
			t.Errorf("event %d is %q, want %s", i, got, want)
		}
	}
	for range 3 {
		var p struct{ Events, Lag int64 }
		if err := json.Unmarshal([]byte(feed.await(t, "point")), &p); err != nil || p.Events != 703 || p.Lag < 12_000 {
			t.Errorf("%v, point %+v", err, p)
		}
	}
	f.set(func(v *pipeline.Present) { brokersGone(v, time.Now()) })
	if got := feed.await(t, "words"); !strings.Contains(got, "Kafka does not answer.") {
		t.Errorf("got %s", got)
	}
}

func TestLastWords(t *testing.T) {
	t.Parallel()
	p := newPage(streamingRelay(time.Now()))
	url, stop := serve(t, p)
	feed := watch(t, url)
	feed.await(t, "log")
	p.Ended(errLost, 3)
	stop()
	var last string
	for name, data := feed.next(); name != ""; name, data = feed.next() {
		if name == "words" {
			last = data
		}
	}
	if !strings.Contains(last, "The slot is lost.") || !strings.Contains(last, `"final":true`) {
		t.Errorf("the last words are %s", last)
	}
	if r := get(t, url+EventsPath); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after the end: %s", r.Status)
	}
}

// A browser that leaves is forgotten, and more than the limit are turned away.
func TestViewersAreBounded(t *testing.T) {
	t.Parallel()
	p := newPage(streamingRelay(time.Now()))
	url, _ := serve(t, p)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	for range maxViewers {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+EventsPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
	}
	if r := get(t, url+EventsPath); r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
		t.Errorf("one too many: %s", r.Status)
	}
	leave()
	deadline := time.After(20 * time.Second)
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for !p.hub.idle() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatal("those who left are not forgotten")
		}
	}
	watch(t, url).await(t, "words")
}

// The page comes with the words of now, keeps foreign text from becoming markup, and shows no secret.
func TestDocument(t *testing.T) {
	t.Parallel()
	f := streamingRelay(time.Now())
	f.set(func(v *pipeline.Present) {
		brokersGone(v, time.Now())
		v.KafkaError = `<script>alert("1")</script>`
		v.Status.Slot = `"><b>x`
	})
	p := newPage(f)
	p.look(time.Now())
	url, _ := serve(t, p)
	r := get(t, url)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	page := string(body)
	for _, want := range []string{`data-tone="bad"`, `<span id="title">Kafka does not answer.</span>`, `&lt;script&gt;alert`, ">sasl.password<", ">***<", "environment variable OUTBOX_RELAY_SASL_PASSWORD",
		"/etc/outbox-relay.conf:3", "4 of 6 are not at their default"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(page, `<script>alert`) || strings.Contains(page, "<b>x") || strings.Count(page, "<script") != 1 {
		t.Error("foreign text became markup")
	}
	for _, elsewhere := range []string{"http://", "https://", "src=", "@import", "url("} {
		if rest := strings.ReplaceAll(strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), script, ""); strings.Contains(rest, elsewhere) {
			t.Errorf("the page needs something from elsewhere: %s", elsewhere)
		}
	}
	if policy := r.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %s", policy)
	}
	if len(page) > 60_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

// Nobody watching, a look costs little.
func BenchmarkLook(b *testing.B) {
	p := newPage(streamingRelay(time.Now()))
	b.ReportAllocs()
	for b.Loop() {
		p.look(time.Now())
	}
}
