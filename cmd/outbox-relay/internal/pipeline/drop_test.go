package pipeline_test

import "testing"

func TestDropSlotOnStop(t *testing.T) {
	t.Parallel()
	r := newRig(t, outboxTable)
	r.relay.DropSlot, r.replication.CreateSlot = true, true
	for round := 1; round <= 2; round++ {
		run := r.start(t)
		run.log.await(t, "slot.drop.on.stop is on")
		run.streaming(t)
		r.insert(t, "outbox", round)
		r.records(t, r.topic, round)
		run.stop(t)
		run.log.await(t, "slot dropped")
		if r.slotExists(t, r.db.Name) {
			t.Error("the slot is still there")
		}
		r.insert(t, "outbox", 10+round)
	}
	if n := r.held(r.topic); n != 2 {
		t.Errorf("%d records, want 2: nothing from between the slots", n)
	}
}
