package e2e_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/load"
)

// seedVariable repeats a run of a test that draws lots.
const seedVariable = "OUTBOX_TEST_SEED"

// lots returns a source of random numbers whose seed is in the test's log.
func lots(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", seedVariable, err)
		}
	}
	t.Logf("%s=%d", seedVariable, seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// TestKillAtRandomPointsLosesNothing ends the relay with SIGKILL twenty times while rows are written, at points drawn by
// lot: some right after its start, some once it has sent a number of records.
func TestKillAtRandomPointsLosesNothing(t *testing.T) {
	random := lots(t)
	r := newRig(t, setup{})
	consumer := r.consume(t)
	p := r.stream(t)
	w := r.traffic(t, load.Config{Writers: 4, MaxRows: 100, RowsPerSecond: 4000, RollbackShare: 0.1, SavepointShare: 0.1, Seed: random.Uint64()})
	for range 20 {
		p.awaitLot(t, random, w, consumer)
		p.kill(t)
		p = r.launch(t)
	}
	w.stop(t)
	rows := r.committed(t)
	arrived(t, consumer, rows)
	p.stop(t)
	nothingLost(t, r.verdict(t, consumer, rows))
}

// longestLot is how many records may pass between two faults: at the rate of the tests about two seconds' worth, so that
// some faults come before the relay has confirmed anything, and some after.
const longestLot = 8000

// awaitLot waits for a random number of rows to be committed, from none on, or of records to arrive, which the relay
// must live to see.
func (p *relay) awaitLot(t testing.TB, random *rand.Rand, w *traffic, consumer *judge.Consumer) {
	t.Helper()
	if random.IntN(4) == 0 {
		w.awaitMore(t, random.IntN(longestLot/4))
		return
	}
	_, ids := consumer.Count()
	if err := consumer.WaitIDs(p.whileRunning(t, arriveTimeout), ids+1+random.IntN(longestLot)); err != nil {
		t.Fatal(err)
	}
}
