package main

import (
	"fmt"
	"strings"
	"time"
)

// columns are the widths of the table that live prints; the heading has them too.
const columns = "%-12s  %9s  %-20s  %5s  %s\n"

// printParts says what runs where, with a command line that can be copied.
func (d *demo) printParts(relayArgs []string) {
	fmt.Fprintf(d.out, `
PostgreSQL %-5d   %s
broker (kfake)     %s
outbox-relay       pid %d, started as
  outbox-relay %s
status page        http://%s/
metrics            http://%[6]s/metrics

`, d.database.Major(), d.database.DSN("shop"), strings.Join(d.broker.ListenAddrs(), ","), d.relay.Pid(),
		commandLine(relayArgs), d.relay.addr)
}

// commandLine puts each argument on a line of its own, quoted if a shell would read it differently.
func commandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		if quoted[i] = arg; strings.ContainsAny(arg, "?&*'\"$ ") {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " \\\n    ")
}

func (d *demo) printHeading() {
	fmt.Fprint(d.out, "The shop does one transaction a second; the time is from its commit to the consumer. Ctrl-C ends it.\n\n")
	fmt.Fprintf(d.out, columns, "arrived", "after", "topic/partition", "order", "event")
}

func (d *demo) printEvent(e event, delay time.Duration) {
	fmt.Fprintf(d.out, columns, e.arrived.Format("15:04:05.000"), milliseconds(delay),
		fmt.Sprintf("%s/%d", e.topic, e.partition), e.key, e.value)
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}
