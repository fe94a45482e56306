package judge_test

import (
	"fmt"

	"github.com/outbox-relay/outbox-relay/test/judge"
)

// One of three committed events is missing, the others came in the wrong order, and one of them twice.
func ExampleJudge() {
	committed := []judge.Committed{
		{ID: "a", Key: "order-1", Seq: 1},
		{ID: "b", Key: "order-1", Seq: 2},
		{ID: "c", Key: "order-2", Seq: 1},
	}
	records := []judge.Record{
		{ID: "b", Key: "order-1", Topic: "orders", Offset: 0},
		{ID: "a", Key: "order-1", Topic: "orders", Offset: 1},
		{ID: "a", Key: "order-1", Topic: "orders", Offset: 2},
	}
	report := judge.Judge(committed, nil, records)
	fmt.Println(report)
	fmt.Println("at least once:", report.AtLeastOnce() == nil)
	// Output:
	// 3 committed, 3 records: 1 missing, 1 repeated (1 records too many), 1 inversions, 0 foreign, 0 changed
	//   missing: id c, key "order-2", seq 1
	//   repeated: id a, 2 times
	//   inversion: id a, key "order-1", seq 1 at orders/0@1, after seq 2 (id b)
	// at least once: false
}
