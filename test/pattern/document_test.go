package pattern_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/schema"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

// documented finds the SQL of docs/pattern.md that has a name.
var documented = regexp.MustCompile("(?s)<!-- sql: (\\w+) -->\n```sql\n(.*?)```")

// TestDocumentedSQL runs the SQL of docs/pattern.md in its order, with a relay behind it.
func TestDocumentedSQL(t *testing.T) {
	text, err := os.ReadFile("../../docs/pattern.md")
	must(t, "read the document", err)
	tb := newTable(t, schema.DDL+schema.DDLSequence+schema.DDLInbox+`
		CREATE TABLE orders (id text PRIMARY KEY, state text); INSERT INTO orders VALUES ('42', 'placed');
		CREATE TABLE invoices (order_id text PRIMARY KEY, cents bigint, state text); INSERT INTO invoices VALUES ('42', 0, 'placed')`)
	r := startRelay(t, tb.db.DSN, tb.brokers, "-table.fields.additional.placement", "sequence:header", "-topic.creation.enable")
	var names []string
	for _, m := range documented.FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
		tb.db.Exec(t, string(m[2]))
	}
	if want := []string{"write", "constraint", "sequence", "delete", "once", "autovacuum"}; !slices.Equal(names, want) {
		t.Fatalf("the document has %q, want %q", names, want)
	}
	must(t, "wait for the events", tb.seen.WaitIDs(wait.Context(t, patience), 3)) // one of which is in no table any more

	found := tb.lines(t, `SELECT concat_ws(' ', type, aggregateid, sequence, (SELECT state FROM orders)) FROM outbox ORDER BY type`)
	if diff := cmp.Diff([]string{"OrderPaid 42 returned", "OrderShipped 42 1 returned"}, found); diff != "" {
		t.Errorf("outbox: %s", diff)
	}
	found = tb.lines(t, `SELECT concat_ws(' ', cents, state, (SELECT count(*) FROM inbox), (SELECT sequence FROM inbox_position)) FROM invoices`)
	if diff := cmp.Diff([]string{"1250 shipped 1 3"}, found); diff != "" {
		t.Errorf("invoices: %s", diff)
	}
	tb.testConstraint(t)
	r.stop(t) // after it has sent what the constraint has let through
}

// testConstraint looks that the document's constraint takes and refuses what outbox.Write does.
func (tb *table) testConstraint(t *testing.T) {
	const insert = `INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload) VALUES (gen_random_uuid(), `
	tests := []struct {
		values string
		taken  bool
	}{
		{`repeat('a', 236), '1', '', NULL)`, true},
		{`repeat('a', 237), '1', '', NULL)`, false},
		{`'Order.v-2_', '1', '', to_jsonb(repeat('a', 1044477)))`, true}, // with its quotes and the key
		{`'Order.v-2_', '1', '', to_jsonb(repeat('a', 1044478)))`, false},
		{`'', '1', '', NULL)`, false},
		{`'my order', '1', '', NULL)`, false},
		{`E'order\n', '1', '', NULL)`, false},
		{`'order', '', '', NULL)`, false},
	}
	for _, test := range tests {
		if _, err := tb.conn.Exec(wait.Context(t, patience), insert+test.values); (err == nil) != test.taken {
			t.Errorf("%s: %v, want it taken: %v", test.values, err, test.taken)
		}
	}
}

// lines returns what a query for one text column finds.
func (tb *table) lines(t testing.TB, query string) []string {
	t.Helper()
	rows, err := tb.conn.Query(wait.Context(t, patience), query)
	must(t, "query", err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, "query", err)
	return found
}
