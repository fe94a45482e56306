package e2e_test

import (
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/test/kfaketest"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

// newFakeRig is newRig with a broker inside the test, whose answers can be held back.
func newFakeRig(t testing.TB, s setup, partitions int32, options ...kfake.Opt) (*rig, *kfake.Cluster) {
	t.Helper()
	s.bootstrap = deadBroker(t) // until the names of the topics are known
	r := newRig(t, s)
	bootstrap, cluster := kfaketest.New(t, partitions, r.topics(), options...)
	r.bootstrap = bootstrap
	return r, cluster
}

// held keeps produce requests of chosen partitions from being appended and answered.
type held struct {
	release func()
	arrived <-chan struct{} // readable once a request is held
}

// holdProduce holds produce requests for which match is true, until release is called or the test ends.
func holdProduce(t testing.TB, cluster *kfake.Cluster, match func(partition int32) bool) held {
	t.Helper()
	released, arrived := make(chan struct{}), make(chan struct{}, 1)
	h := held{release: sync.OnceFunc(func() { close(released) }), arrived: arrived}
	t.Cleanup(h.release)
	cluster.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		if !touches(req.(*kmsg.ProduceRequest), match) {
			return nil, nil, false
		}
		cluster.SleepControl(func() {
			select {
			case arrived <- struct{}{}:
			default:
			}
			<-released
		})
		return nil, nil, false
	})
	return h
}

func touches(req *kmsg.ProduceRequest, match func(partition int32) bool) bool {
	for _, topic := range req.Topics {
		for _, p := range topic.Partitions {
			if match(p.Partition) {
				return true
			}
		}
	}
	return false
}

func (h held) await(t testing.TB) {
	t.Helper()
	select {
	case <-h.arrived:
	case <-wait.Context(t, startTimeout).Done():
		t.Fatal("no produce request has arrived")
	}
}
