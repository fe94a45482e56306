package prune_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/replication"
)

// Rows that are in no WAL are never relayed.
func TestTablesThatAreNotLogged(t *testing.T) {
	t.Parallel()
	const partitioned = `CREATE TABLE outbox (id bigint PRIMARY KEY, payload text) PARTITION BY RANGE (id); `
	tests := []struct{ name, ddl, want string }{
		{"table", `CREATE UNLOGGED TABLE outbox (id bigint PRIMARY KEY, payload text)`, "public.outbox is unlogged"},
		{"partition", partitioned + `CREATE UNLOGGED TABLE low PARTITION OF outbox FOR VALUES FROM (0) TO (100)`, "public.low is unlogged"},
		{"partition of a partition", partitioned + `CREATE TABLE low PARTITION OF outbox FOR VALUES FROM (0) TO (100) PARTITION BY RANGE (id); CREATE UNLOGGED TABLE lower PARTITION OF low DEFAULT`, "public.lower is unlogged"},
		{"foreign partition", `CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER far FOREIGN DATA WRAPPER nowhere; CREATE TABLE outbox (id bigint NOT NULL, payload text) PARTITION BY RANGE (id);
			CREATE FOREIGN TABLE low PARTITION OF outbox FOR VALUES FROM (0) TO (100) SERVER far`, "neither a primary key"}, // which PostgreSQL lets it not have then,
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, `CREATE TABLE outbox (id int)`)
			r.exec(`DROP PUBLICATION pub; DROP TABLE outbox; CREATE PUBLICATION pub FOR ALL TABLES`)
			r.exec(tt.ddl)
			r.createSlot(r.slot)
			r.refused(r.pass(impatient), replication.Configuration, tt.want)
		})
	}
}
