// Package browser opens pages in a real headless Chromium, as a person would see them.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// names are the programs that Chromium is installed as. Debian's package chromium-headless-shell is the smallest.
var names = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "headless_shell"}

// patience bounds every action in the browser.
const patience = 30 * time.Second

// find returns the path of a Chromium.
func find() (string, error) {
	if path := os.Getenv("OUTBOX_TEST_CHROMIUM"); path != "" {
		return path, nil
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium found: install Debian's package chromium-headless-shell, or name one in OUTBOX_TEST_CHROMIUM")
}

// Tab is one page in a browser of its own.
type Tab struct {
	ctx context.Context

	mu         sync.Mutex
	complaints []string
}

// Open starts a Chromium that ends with the test. The test is skipped where there is none.
func Open(t *testing.T) *Tab {
	t.Helper()
	path, err := find()
	if err != nil {
		t.Skip(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(filepath.Join(t.TempDir(), "profile")), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("font-render-hinting", "none"))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	tab := &Tab{ctx: ctx}
	// The first action starts the browser, which would end with a deadline of its own.
	err = chromedp.Listen(ctx, tab.listen)
	if err == nil {
		_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	}
	if err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return tab
}

// listen keeps what the browser complains about: exceptions, failed loads, and violations of the page's policy.
func (tab *Tab) listen(event any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		tab.complaints = append(tab.complaints, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			tab.complaints = append(tab.complaints, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	}
}

// Complaints returns what the browser complained about since the last call.
func (tab *Tab) Complaints() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	out := tab.complaints
	tab.complaints = nil
	return out
}

// Do runs actions, each of which must end within half a minute.
func (tab *Tab) Do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	for _, action := range actions {
		ctx, cancel := context.WithTimeout(tab.ctx, patience)
		err := chromedp.Do(ctx, action)
		cancel()
		if err != nil {
			t.Fatalf("in the browser: %v", err)
		}
	}
}

// Go opens an address and waits until it has loaded.
func (tab *Tab) Go(t *testing.T, url string) {
	t.Helper()
	tab.Do(t, chromedp.Navigate(url))
}

// Press types a key as package kb names it.
func (tab *Tab) Press(t *testing.T, key string) {
	t.Helper()
	tab.Do(t, chromedp.KeyEvent(key))
}

// Eval returns what an expression of JavaScript comes to, which may be a promise.
func Eval[T any](t *testing.T, tab *Tab, expression string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, patience)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("evaluate %s: %v", expression, err)
	}
	return out
}

// Await waits until an expression of JavaScript is true.
func (tab *Tab) Await(t *testing.T, expression string) {
	t.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	timeout := time.After(patience)
	for !Eval[bool](t, tab, "Boolean("+expression+")") {
		select {
		case <-ticker.C:
		case <-timeout:
			text := Eval[string](t, tab, `document.body.innerText.slice(0, 1000)`)
			t.Fatalf("%s does not come true; complaints: %q; the page says:\n%s", expression, tab.Complaints(), text)
		}
	}
}

// Look is how a page is looked at.
type Look struct {
	Width, Height int64
	Dark          bool
}

// The looks that matter.
var (
	Light  = Look{Width: 1200, Height: 800}
	Dark   = Look{Width: 1200, Height: 800, Dark: true}
	Mobile = Look{Width: 390, Height: 844}
)

// Set changes how the page is looked at.
func (tab *Tab) Set(t *testing.T, l Look) {
	t.Helper()
	scheme := "light"
	if l.Dark {
		scheme = "dark"
	}
	call(t, tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.Width, Height: l.Height, DeviceScaleFactor: 1, Mobile: l.Width < 600})
	call(t, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// Screenshot writes the page as a PNG: all of it, or what fits into the look.
func (tab *Tab) Screenshot(t *testing.T, path string, whole bool) {
	t.Helper()
	shot := call(t, tab, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng, CaptureBeyondViewport: &whole})
	if err := os.WriteFile(path, shot.Data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// call runs one command of the protocol.
func call[P, R any](t *testing.T, tab *Tab, command cdp.Command[P, R], params P) R {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, patience)
	defer cancel()
	result, err := chromedp.Call(ctx, command, params)
	if err != nil {
		t.Fatalf("in the browser: %v", err)
	}
	return result
}
