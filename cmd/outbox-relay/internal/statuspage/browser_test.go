package statuspage

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/test/browser"
)

var images = flag.String("images", "", "write screenshots into this `folder`")

// shot writes a screenshot if the command line asks for it.
func shot(t *testing.T, tab *browser.Tab, name string, look browser.Look, whole bool) {
	t.Helper()
	if *images == "" {
		return
	}
	tab.Set(t, look)
	if err := os.MkdirAll(*images, 0o755); err != nil {
		t.Fatal(err)
	}
	tab.Screenshot(t, filepath.Join(*images, name+".png"), whole)
}

// seen opens a page, waits until it shows a title, and checks that a person can use it.
func seen(t *testing.T, url, title string) *browser.Tab {
	t.Helper()
	tab := browser.Open(t)
	tab.Set(t, browser.Light)
	tab.Go(t, url)
	tab.Await(t, `document.querySelector("#title").textContent === "`+title+`" && document.querySelector("#lag").textContent !== "–"`)
	for _, look := range []browser.Look{browser.Light, browser.Dark, browser.Mobile} {
		tab.Set(t, look)
		for _, problem := range browser.Audit(t, tab) {
			t.Errorf("%+v: %s", look, problem)
		}
	}
	if c := tab.Complaints(); len(c) > 0 {
		t.Errorf("the browser complains: %q", c)
	}
	return tab
}

func text(t *testing.T, tab *browser.Tab, selector string) string {
	t.Helper()
	return browser.Eval[string](t, tab, `document.querySelector("`+selector+`").innerText`)
}

func TestHealthyInABrowser(t *testing.T) {
	now := time.Now()
	p := newPage(streamingRelay(now))
	remember(p, now, func(ago int) bool { return ago > 520 && ago < 560 })
	url, _ := serve(t, p)
	tab := seen(t, url, "Streaming.")
	tab.Await(t, `document.querySelectorAll("#topics tr").length == 4 && Number(document.querySelector("#topics td.n").textContent) > 100`)
	shot(t, tab, "status-light", browser.Light, false)
	shot(t, tab, "status-whole", browser.Light, true)
	shot(t, tab, "status-dark", browser.Dark, false)
	shot(t, tab, "status-mobile", browser.Mobile, false)
	shot(t, tab, "status-mobile-whole", browser.Mobile, true)
}

func TestBrokersGoneInABrowser(t *testing.T) {
	now := time.Now()
	f := streamingRelay(now)
	f.step, f.oldest = nil, 72*time.Second
	f.set(func(v *pipeline.Present) { brokersGone(v, now.Add(-72*time.Second)) })
	p := newPage(f)
	remember(p, now, func(ago int) bool { return ago < 72 })
	write(t, p.cfg.Log)
	url, _ := serve(t, p)
	tab := seen(t, url, "Kafka does not answer.")
	shot(t, tab, "status-kafka-down", browser.Light, false)
	shot(t, tab, "status-kafka-down-whole", browser.Dark, true)
}

func TestSlotLostInABrowser(t *testing.T) {
	now := time.Now()
	f := streamingRelay(now)
	p := newPage(f)
	remember(p, now, nil)
	write(t, p.cfg.Log)
	url, stop := serve(t, p)
	tab := seen(t, url, "Streaming.")
	f.set(slotLost)
	tab.Await(t, `document.querySelector("#title").textContent === "The slot is lost."`)
	p.Ended(errLost, 3)
	stop()
	tab.Await(t, `document.querySelector("#detail").textContent.includes("exit code 3")`)
	tab.Await(t, `document.querySelector("#reason").textContent.includes("-slot.create")`)
	for _, problem := range browser.Audit(t, tab) {
		t.Error(problem)
	}
	shot(t, tab, "status-slot-lost", browser.Dark, false)
}

func TestSnapshotInABrowser(t *testing.T) {
	now := time.Now()
	f := streamingRelay(now)
	f.set(func(v *pipeline.Present) {
		v.State, v.Ready = pipeline.PhaseSnapshot, false
		v.Snapshot = &pipeline.Snapshot{Since: now.Add(-22 * time.Second), Rows: 1_210_368, RowsExpected: 4_000_000, RowsPerSecond: 55_017, SecondsLeft: 50.7}
	})
	p := newPage(f)
	remember(p, now, nil)
	url, _ := serve(t, p)
	tab := seen(t, url, "Relaying a snapshot.")
	if got := browser.Eval[float64](t, tab, `document.querySelector("#progress").value`); got < 0.30 || got > 0.31 {
		t.Errorf("progress is %v", got)
	}
	shot(t, tab, "status-snapshot", browser.Light, false)
}

// The page is used with the keyboard alone: first the way past the head, then the parts in their order.
func TestKeyboardInABrowser(t *testing.T) {
	now := time.Now()
	p := newPage(streamingRelay(now))
	remember(p, now, func(ago int) bool { return ago > 290 && ago < 310 })
	url, _ := serve(t, p)
	tab := seen(t, url, "Streaming.")
	tab.Set(t, browser.Light)
	var got []string
	for range 10 {
		tab.Press(t, kb.Tab)
		got = append(got, browser.Eval[string](t, tab, `(() => { const e = document.activeElement; return e.id || e.className || e.tagName + " " + e.textContent.trim().slice(0, 20) })()`))
		if outline := browser.Eval[string](t, tab, `getComputedStyle(document.activeElement).outlineStyle`); outline != "solid" {
			t.Errorf("%s: the focus does not show: outline %s", got[len(got)-1], outline)
		}
	}
	want := []string{"skip", "charts", "SUMMARY As a table", "scroll", "scroll", "SUMMARY Show the options", "A /status", "A /metrics", "A /readyz", "A /livez"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order of the tab key: %s", diff)
	}
	browser.Eval[bool](t, tab, `(document.querySelector("#charts").focus(), true)`)
	for range 5 {
		tab.Press(t, kb.PageDown)
	}
	spoken := browser.Eval[string](t, tab, `document.querySelector("#charts").getAttribute("aria-valuetext")`)
	if !strings.Contains(spoken, "lag") || !strings.Contains(spoken, "not ready") || !strings.Contains(spoken, "of WAL kept") {
		t.Errorf("five minutes back it says %q", spoken)
	}
	shot(t, tab, "status-moment", browser.Light, false)
	tab.Press(t, kb.End)
	if got := text(t, tab, "#moment"); got != "" {
		t.Errorf("at the end it still shows %q", got)
	}
	browser.Eval[bool](t, tab, `(document.querySelectorAll("details").forEach((d) => d.open = true), true)`)
	if n := browser.Eval[int](t, tab, `document.querySelectorAll("#minutes tr").length`); n < 15 || n > 17 {
		t.Errorf("the table has %d minutes", n)
	}
	if n := browser.Eval[int](t, tab, `[...document.querySelectorAll("#options tr")].filter((r) => r.checkVisibility()).length`); n != 4 {
		t.Errorf("%d options are shown", n)
	}
	browser.Eval[bool](t, tab, `(document.querySelector("#defaults").click(), true)`)
	if n := browser.Eval[int](t, tab, `[...document.querySelectorAll("#options tr")].filter((r) => r.checkVisibility()).length`); n != len(someOptions) {
		t.Errorf("%d options are shown with the defaults", n)
	}
	for _, problem := range browser.Audit(t, tab) {
		t.Error(problem)
	}
	tab.Set(t, browser.Look{Width: 320, Height: 640})
	for _, problem := range browser.Audit(t, tab) {
		t.Errorf("320 pixels wide, all open: %s", problem)
	}
}

// Text from the database stays text, and what the policy forbids does not run.
func TestForeignTextInABrowser(t *testing.T) {
	f := streamingRelay(time.Now())
	const evil = `<img src=x onerror="window.evil=1">`
	f.topics, f.step = map[string]uint64{evil: 1}, nil
	f.recent[0].ID, f.recent[0].Topic = evil, evil
	url, _ := serve(t, newPage(f))
	tab := seen(t, url, "Streaming.")
	if got := text(t, tab, "#topics td"); got != evil {
		t.Errorf("the topic is shown as %q", got)
	}
	browser.Eval[bool](t, tab, `(document.body.insertAdjacentHTML("beforeend", '<a id="trap" onclick="window.evil=1">x</a>'), document.querySelector("#trap").click(), true)`)
	if browser.Eval[bool](t, tab, `window.evil === 1`) {
		t.Error("foreign text was run")
	}
	if c := tab.Complaints(); len(c) != 1 || !strings.Contains(c[0], "Content Security Policy") {
		t.Errorf("the browser complains: %q", c)
	}
}

// Behind a password the page and its events both work, and a relay that went away is told of until it is back.
func TestAwayAndBackInABrowser(t *testing.T) {
	var away atomic.Bool
	gate := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user, password, _ := r.BasicAuth(); user != "ops" || password != "s3cret" {
				w.Header().Set("WWW-Authenticate", `Basic realm="relay"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			if away.Load() {
				panic(http.ErrAbortHandler) // the connection breaks
			}
			next.ServeHTTP(w, r)
		})
	}
	p := newPage(streamingRelay(time.Now()))
	url, _ := serve(t, p, gate)
	tab := browser.Open(t)
	tab.Go(t, strings.Replace(url, "http://", "http://ops:s3cret@", 1))
	tab.Await(t, `document.querySelector("#title").textContent === "Streaming." && document.querySelector("#lag").textContent !== "–"`)
	away.Store(true)
	p.hub.mu.Lock()
	for v := range p.hub.viewers {
		p.hub.drop(v)
	}
	p.hub.mu.Unlock()
	tab.Await(t, `document.querySelector("#title").textContent === "No answer from the relay."`)
	if got := text(t, tab, "#detail"); !strings.Contains(got, "It last said: Streaming.") {
		t.Errorf("got %q", got)
	}
	for _, problem := range browser.Audit(t, tab) {
		t.Error(problem)
	}
	away.Store(false)
	tab.Await(t, `document.querySelector("#title").textContent === "Streaming." && !("stale" in document.body.dataset)`)
}
