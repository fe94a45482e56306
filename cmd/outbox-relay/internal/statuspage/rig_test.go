package statuspage

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/cmd/internal/buildinfo"
	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-relay/internal/pipeline"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a relay that says what a test wants.
type fake struct {
	mu     sync.Mutex
	now    pipeline.Present
	topics map[string]uint64
	step   map[string]uint64 // added to topics at each look
	recent []pipeline.Event
	oldest time.Duration // age of the oldest event, as it stays
}

func (f *fake) Present() pipeline.Present {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now
	if f.oldest > 0 {
		now.Oldest = time.Now().Add(-f.oldest)
	}
	return now
}

func (f *fake) Recent() []pipeline.Event {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.recent
}

func (f *fake) Topics() map[string]uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make(map[string]uint64)
	for name := range f.topics {
		f.topics[name] += f.step[name]
		out[name] = f.topics[name]
	}
	return out
}

func (f *fake) Delays() (uint64, time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return sum(f.topics), time.Duration(sum(f.topics)) * 14 * time.Millisecond
}

// set changes what the relay says.
func (f *fake) set(change func(*pipeline.Present)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.now)
}

// streaming is a relay that does well.
func streamingRelay(now time.Time) *fake {
	safe := int64(9_876_543_210)
	f := &fake{
		oldest: 12 * time.Millisecond,
		topics: map[string]uint64{"outbox.event.Order": 1_204_511, "outbox.event.Payment": 618_220, "outbox.event.Shipment": 240_118, "outbox.event.Customer": 31_402},
		step:   map[string]uint64{"outbox.event.Order": 412, "outbox.event.Payment": 208, "outbox.event.Shipment": 77, "outbox.event.Customer": 6},
	}
	f.now = pipeline.Present{
		Status: pipeline.Status{
			State: pipeline.PhaseStreaming, Since: now.Add(-3 * time.Hour), Ready: true, Slot: "outbox_relay", Publication: "outbox_relay",
			SystemID: "7423981204556127081", Timeline: 3, ReceivedLSN: "5/A2F00128", ConfirmedLSN: "5/A2EFFD60",
			Lag:          &pipeline.Lag{ReceivedBytes: 0, ConfirmedBytes: 968, RetainedBytes: 23_068_672, SampledAt: now},
			Unacked:      pipeline.Unacked{Events: 3, Bytes: 91_000},
			KafkaConnect: true, LastReceived: now, LastAck: now,
		},
		ReadyMaxAge: time.Minute, Limits: pipeline.Limits{Records: 65536, Bytes: 8 << 20},
		Kafka:    kafka.Status{Connected: true, LastAck: now, Requests: 1, InFlight: 3},
		SlotView: pipeline.SlotView{State: "active", WALStatus: "reserved", RetainedBytes: 23_068_672, SafeBytes: &safe, At: now},
	}
	for i, name := range []string{"Order", "Order", "Payment", "Order", "Shipment", "Payment", "Order", "Customer", "Order", "Payment", "Order", "Shipment", "Order", "Order", "Payment", "Order", "Order", "Payment"} {
		f.recent = append(f.recent, pipeline.Event{
			ID:    fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", 0x59a42efd-i*0x1357bd, 0x91c4^i*77, 0x2f1+i, 0x7c1-i*9, 0x3fd20c6b91a7-int64(i)*0x2b4c8f1d3),
			Topic: "outbox.event." + name, Acked: now.Add(-time.Duration(i) * 170 * time.Millisecond), Delay: time.Duration(9+i*7%13) * time.Millisecond,
		})
	}
	return f
}

var someOptions = []options.Setting{
	{Name: "database.url", Value: "postgres://outbox_relay@db.internal:5432/shop?sslmode=verify-full", Source: options.Source{Kind: options.Flag}},
	{Name: "database.password.file", Value: "/run/secrets/outbox-relay", Source: options.Source{Kind: options.Environment, Where: "OUTBOX_RELAY_DATABASE_PASSWORD_FILE"}},
	{Name: "slot.name", Value: "outbox_relay"},
	{Name: "bootstrap.servers", Value: "kafka-1:9092,kafka-2:9092", Source: options.Source{Kind: options.File, Where: "/etc/outbox-relay.conf", Line: 3}},
	{Name: "sasl.password", Value: "***", Source: options.Source{Kind: options.Environment, Where: "OUTBOX_RELAY_SASL_PASSWORD"}},
	{Name: "log.level", Value: "info"},
}

// newPage makes a page of a relay, with nothing in the past.
func newPage(f *fake) *Page {
	return New(Config{
		Relay: f, Log: &logging.Recent{}, Build: buildinfo.Info{Version: "1.0.0", Revision: "0123456789ab", GoVersion: "go1.26.0"},
		Database: "outbox_relay@db.internal:5432/shop", Brokers: []string{"kafka-1:9092", "kafka-2:9092"}, Options: someOptions,
	})
}

// remember fills the past of a page that does not run yet; bad says for which seconds ago the relay was not ready.
func remember(p *Page, now time.Time, bad func(ago int) bool) {
	p.began = now.Add(-3 * time.Hour)
	down := 0.0
	for ago := points; ago > 0; ago-- {
		x := float64(points - ago)
		at := now.Add(-time.Duration(ago) * time.Second)
		wave := 0.5 + 0.5*math.Sin(x/97) + 0.35*math.Sin(x/31+1)
		noise := math.Abs(math.Sin(x*12.9898)*43758.5453) - math.Floor(math.Abs(math.Sin(x*12.9898)*43758.5453))
		y := point{at: at, lag: int64(9000 + 7000*noise + 4000*wave), events: uint32(420 + 260*wave + 60*noise), retained: int64(16<<20 + int(x*90000)%(14<<20)), ready: true}
		if bad != nil && bad(ago) {
			down++
			y.lag, y.events, y.ready, y.retained = int64(down*1e6), 0, down < 6, y.retained+int64(down*600_000)
		} else if down > 0 {
			down *= 0.86
			y.lag, y.events = y.lag+int64(down*1e6), y.events+uint32(900*min(1, down/20))
			if down < 0.01 {
				down = 0
			}
		}
		p.past.add(y)
	}
	p.before.events = sum(p.cfg.Relay.Topics())
	p.before.delayed, p.before.delays = p.cfg.Relay.Delays()
}

// serve runs a page until the function it returns is called, or the test ends.
func serve(t *testing.T, p *Page, middle ...func(http.Handler) http.Handler) (url string, stop func()) {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", p)
	mux.Handle("GET "+EventsPath, p.Events())
	var h http.Handler = mux
	for _, m := range middle {
		h = m(h)
	}
	server := httptest.NewUnstartedServer(h)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 500*time.Millisecond, 500*time.Millisecond // shorter than a stream
	server.Start()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { p.Run(ctx) })
	end := sync.OnceFunc(func() {
		cancel()
		wg.Wait()
	})
	t.Cleanup(func() {
		end()
		server.Close()
	})
	return server.URL, end
}
