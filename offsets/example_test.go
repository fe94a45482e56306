package offsets_test

import (
	"fmt"

	"github.com/outbox-relay/outbox-relay/offsets"
)

// Two transactions go to two partitions. The second is acknowledged first, and is confirmed with the first: were it confirmed
// at once, a crash would lose what the first still waits for.
func Example() {
	tracker := offsets.New(100) // the slot's confirmed_flush_lsn

	first := tracker.Begin()
	tracker.Add(2)
	tracker.Commit(200)
	second := tracker.Begin()
	tracker.Add(1)
	tracker.Commit(300)

	tracker.Ack(second, 1)
	fmt.Println("the second is acknowledged:", tracker.Confirmed())
	tracker.Ack(first, 1)
	fmt.Println("half of the first:", tracker.Confirmed())
	tracker.Ack(first, 1)
	fmt.Println("all:", tracker.Confirmed())
	// Output:
	// the second is acknowledged: 100
	// half of the first: 100
	// all: 300
}

// A keepalive's position frees the WAL that other tables have written, but only behind what is acknowledged.
func ExampleTracker_Pass() {
	tracker := offsets.New(100)
	txn := tracker.Begin()
	tracker.Add(1)
	tracker.Commit(200)

	tracker.Pass(5000)
	fmt.Println("an event is on its way:", tracker.Confirmed())
	tracker.Ack(txn, 1)
	fmt.Println("it has arrived:", tracker.Confirmed())
	// Output:
	// an event is on its way: 100
	// it has arrived: 5000
}
