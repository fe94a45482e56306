package main

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/outbox-relay/outbox-relay/test/faultproxy"
)

// way names directions for kinds.
var ways = []struct {
	name  string
	apply func(p *faultproxy.Proxy, f faultproxy.Faults)
}{
	{"both", func(p *faultproxy.Proxy, f faultproxy.Faults) { p.SetBoth(f) }},
	{"out", func(p *faultproxy.Proxy, f faultproxy.Faults) { p.Set(faultproxy.ToServer, f) }},
	{"in", func(p *faultproxy.Proxy, f faultproxy.Faults) { p.Set(faultproxy.ToClient, f) }},
}

// linkKinds are the faults of the network between the relay and both sides.
func linkKinds() []*kind {
	var kinds []*kind
	for _, side := range []struct{ name, uses string }{{"pg", databaseLink}, {"kafka", brokerLink}} {
		add := func(name string, weight int, do func(context.Context, []*faultproxy.Proxy, fault) error) *kind {
			k := &kind{name: side.name + "-" + name, uses: side.uses, weight: weight, do: onLinks(do)}
			kinds = append(kinds, k)
			return k
		}
		add("cut-rst", 3, cut(faultproxy.RST))
		add("cut-fin", 3, cut(faultproxy.FIN))
		add("refuse", 2, refuse)
		add("truncate-in", 4, truncate(faultproxy.ToClient))
		add("truncate-out", 3, truncate(faultproxy.ToServer))
		add("lost-answers", 4, loseAnswers)
		add("dead-link", 1, deadLink)
		for _, way := range ways {
			stall := add("stall-"+way.name, 2, bad(way.apply, stalled))
			stall.stops, stall.gentle = true, true
			add("delay-"+way.name, 1, bad(way.apply, delayed)).gentle = true
		}
		add("throttle", 2, bad(ways[0].apply, throttled)).gentle = true
	}
	return kinds
}

// onLinks lets a fault work on the link to PostgreSQL, or on those to all brokers or to one of them.
func onLinks(do func(context.Context, []*faultproxy.Proxy, fault) error) func(context.Context, *round, fault) error {
	return func(ctx context.Context, r *round, f fault) error {
		proxies := []*faultproxy.Proxy{r.stand.toPostgres}
		if f.kind.uses == brokerLink {
			proxies = r.stand.toBrokers
			if n := int(f.lot % uint64(2*len(proxies))); n < len(proxies) && f.lasts < longFault {
				proxies = proxies[n : n+1]
			}
		}
		defer func() {
			for _, p := range proxies {
				p.Heal()
			}
		}()
		return do(ctx, proxies, f)
	}
}

// bad makes links bad in the way that the lot says, for as long as the fault lasts.
func bad(apply func(*faultproxy.Proxy, faultproxy.Faults), draw func(*rand.Rand) faultproxy.Faults) func(context.Context, []*faultproxy.Proxy, fault) error {
	return func(ctx context.Context, proxies []*faultproxy.Proxy, f fault) error {
		faults := draw(f.random())
		for _, p := range proxies {
			apply(p, faults)
		}
		pause(ctx, f.lasts)
		return nil
	}
}

func stalled(*rand.Rand) faultproxy.Faults { return faultproxy.Faults{Stall: true} }

func delayed(r *rand.Rand) faultproxy.Faults {
	return faultproxy.Faults{Delay: time.Duration(5+r.IntN(300)) * time.Millisecond}
}

func throttled(r *rand.Rand) faultproxy.Faults {
	return faultproxy.Faults{BytesPerSecond: 2000 + r.IntN(200_000)}
}

// cut ends all connections, several times within the fault.
func cut(end faultproxy.End) func(context.Context, []*faultproxy.Proxy, fault) error {
	return func(ctx context.Context, proxies []*faultproxy.Proxy, f fault) error {
		times := 1 + int(f.lot%3)
		for range times {
			for _, p := range proxies {
				p.Cut(end)
			}
			pause(ctx, f.lasts/time.Duration(times))
		}
		return nil
	}
}

// refuse is a server that is down: what is there ends, and nothing new begins.
func refuse(ctx context.Context, proxies []*faultproxy.Proxy, f fault) error {
	for _, p := range proxies {
		p.Refuse(true)
		p.Cut(faultproxy.RST)
	}
	pause(ctx, f.lasts)
	return nil
}

// truncate ends a connection in the middle of what it carries, at a byte drawn by lot: small ones hit the beginning of
// a session or request, large ones rows.
func truncate(way faultproxy.Direction) func(context.Context, []*faultproxy.Proxy, fault) error {
	return func(ctx context.Context, proxies []*faultproxy.Proxy, f fault) error {
		random := f.random()
		end := time.Now().Add(f.lasts)
		for time.Now().Before(end) && ctx.Err() == nil {
			how := faultproxy.End(random.IntN(2))
			most := int64(1) << (4 + random.IntN(16))
			var happened <-chan struct{}
			for _, p := range proxies {
				happened = p.Truncate(way, random.Int64N(most), how)
			}
			wait(ctx, happened, time.Until(end))
		}
		return nil
	}
}

// loseAnswers cuts connections when the next answer arrives: what was asked for has happened.
func loseAnswers(ctx context.Context, proxies []*faultproxy.Proxy, f fault) error {
	end := time.Now().Add(f.lasts)
	for range 1 + f.lot%4 {
		for _, p := range proxies {
			wait(ctx, p.Truncate(faultproxy.ToClient, 0, faultproxy.RST), time.Until(end))
		}
	}
	return nil
}

// deadLink swallows everything for a while; then the old connections are half-open: gone for the servers, and the relay
// is not told.
func deadLink(ctx context.Context, proxies []*faultproxy.Proxy, f fault) error {
	for _, p := range proxies {
		p.SetBoth(faultproxy.Faults{Stall: true})
	}
	pause(ctx, f.lasts/2)
	for _, p := range proxies {
		p.Forget()
	}
	pause(ctx, f.lasts/2)
	return nil
}

// random is the fault's own source of chance.
func (f fault) random() *rand.Rand { return rand.New(rand.NewPCG(f.lot, 1)) }

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) { wait(ctx, nil, d) }

// wait is pause that ends when ch is readable, too.
func wait(ctx context.Context, ch <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ch:
	case <-ctx.Done():
	}
}
