package browser_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/browser"
)

const faulty = `<!doctype html><html><head><meta name="viewport" content="width=device-width"></head><body style="background:#fff">
<main><h1>One</h1><h3 id="twice">Three</h3><p id="twice" style="color:#aaa">pale</p>
<p style="color:#767676">just enough</p><p style="color:#999;font-size:30px">large and pale enough? no</p>
<button style="height:10px;padding:0;line-height:8px;font-size:8px"></button><input><a href="/x" tabindex="3">last first</a>
<section aria-labelledby="nowhere">text</section><table><thead><tr><th>no scope</th></tr></thead></table>
<div style="width:3000px">wide</div></main></body></html>`

// The audit finds what it is there to find, and nothing else.
func TestAudit(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(faulty))
	}))
	defer server.Close()
	tab := browser.Open(t)
	tab.Set(t, browser.Light)
	tab.Go(t, server.URL)
	got := browser.Audit(t, tab)
	for _, want := range []string{"names no language", "has no title", "level 3 behind one of level 1", "p#twice: its id is not unique", "p#twice: contrast is 2.32",
		"contrast is 2.85", "button: it has no name", "button: it is only 10 high", "input: it has no name", "out of the order of the tab key", "there is no #nowhere",
		"a column without a heading", "wide in a window of 1200"} {
		if !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("not found: %s", want)
		}
	}
	if strings.Contains(strings.Join(got, "\n"), "just enough") || len(got) != 13 {
		t.Errorf("%d problems:\n%s", len(got), strings.Join(got, "\n"))
	}
}
