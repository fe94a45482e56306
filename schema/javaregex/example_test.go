package javaregex_test

import (
	"fmt"
	"log"

	"github.com/outbox-relay/outbox-relay/schema/javaregex"
)

// Debezium's table.include.list compares the whole name, without regard to case. A look-ahead is nothing for Go's regexp.
func ExampleCompileFold() {
	tables, err := javaregex.CompileFold(`public\.(?!old_)\w*outbox`)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"public.outbox", "PUBLIC.Orders_Outbox", "public.old_outbox", "public.outbox_archive"} {
		matches, err := tables.Matches(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, matches)
	}
	// Output:
	// public.outbox true
	// PUBLIC.Orders_Outbox true
	// public.old_outbox false
	// public.outbox_archive false
}

// The router's route.topic.regex and route.topic.replacement.
func ExampleRegexp_ReplaceFirst() {
	route, err := javaregex.Compile(`(?<routedByValue>.*)`)
	if err != nil {
		log.Fatal(err)
	}
	topic, err := route.ParseReplacement(`outbox.event.${routedByValue}`)
	if err != nil {
		log.Fatal(err)
	}
	name, err := route.ReplaceFirst("Order", topic)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(name)
	// Output: outbox.event.Order
}
