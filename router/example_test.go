package router_test

import (
	"fmt"
	"log"

	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// A row becomes a record by the rules of Debezium's Outbox Event Router. The type of an event is not sent by itself;
// additional.placement puts it into a header.
func Example() {
	options := router.DefaultOptions()
	options.AdditionalPlacement = "type:header:eventType"
	r, err := router.New(options)
	if err != nil {
		log.Fatal(err)
	}
	// What the stream says about the table; type OIDs are PostgreSQL's.
	plan, err := r.Bind(&schema.Relation{Namespace: "public", Name: "outbox", Columns: []schema.Column{
		{Name: "id", TypeOID: 2950, Key: true, NotNull: true},
		{Name: "aggregatetype", TypeOID: 1043, NotNull: true},
		{Name: "aggregateid", TypeOID: 1043, NotNull: true},
		{Name: "type", TypeOID: 1043, NotNull: true},
		{Name: "payload", TypeOID: 3802},
	}})
	if err != nil {
		log.Fatal(err)
	}
	var row []schema.Datum
	for _, text := range []string{"59a42efd-b015-44a9-9dde-cb36d9002425", "Order", "10711fa5", "OrderCreated", `{"total": 12.50}`} {
		row = append(row, schema.Datum{Kind: schema.Text, Bytes: []byte(text)})
	}
	var record router.Record
	if err := plan.Route(row, 1556890294484, &record); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("topic %s, key %s, value %s\n", record.Topic, record.Key, record.Value)
	for _, h := range record.Headers {
		fmt.Printf("header %s: %s\n", h.Key, h.Value)
	}
	// Output:
	// topic outbox.event.Order, key 10711fa5, value {"total": 12.50}
	// header id: 59a42efd-b015-44a9-9dde-cb36d9002425
	// header eventType: OrderCreated
}
