package prune_test

import "testing"

// A table that was elsewhere, or went by another name, between two passes has rows that were not published, or that the relay did not
// ask for. What was proven before stays proven.
func TestTableAwayForAWhile(t *testing.T) {
	t.Parallel()
	insert := ` (id, payload) VALUES (2, 'x')`
	tests := []struct{ name, away string }{
		{"other schema", `CREATE SCHEMA attic; ALTER TABLE outbox SET SCHEMA attic; INSERT INTO attic.outbox` + insert + `; ALTER TABLE attic.outbox SET SCHEMA public`},
		{"other name", `ALTER TABLE outbox RENAME TO away; INSERT INTO away` + insert + `; ALTER TABLE away RENAME TO outbox`},
		{"other name of the schema", `ALTER SCHEMA public RENAME TO attic; INSERT INTO attic.outbox` + insert + `; ALTER SCHEMA attic RENAME TO public`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, publication := range []string{`TABLES IN SCHEMA public`, `ALL TABLES`} {
				r, old := proven(t)
				r.exec(`DROP PUBLICATION pub`)
				r.dropSlot(r.slot)
				r.exec(`CREATE PUBLICATION pub FOR ` + publication + ` WITH (publish = 'insert')`)
				r.createSlot(r.slot)
				r.mustPass(old)
				r.insert(11)
				r.mustPass(old)
				r.exec(tt.away)
				r.insert(3)
				r.mustPass(old)
				r.insert(4)
				r.mustPass()
				r.want("2 3")
			}
		})
	}
}

// A partition's own name and schema count as the table's do: without publish_via_partition_root they are what is sent.
func TestPartitionAwayForAWhile(t *testing.T) {
	t.Parallel()
	const ddl = `CREATE TABLE outbox (id bigint PRIMARY KEY, payload text) PARTITION BY RANGE (id); CREATE TABLE low PARTITION OF outbox FOR VALUES FROM (0) TO (100)`
	tests := []struct{ name, away, want string }{
		{"known", `ALTER TABLE low RENAME TO away; INSERT INTO away VALUES (2); ALTER TABLE away RENAME TO low`, "2"},
		{"unknown", `CREATE TABLE high PARTITION OF outbox FOR VALUES FROM (100) TO (200); ALTER TABLE high RENAME TO away; INSERT INTO away VALUES (102); ALTER TABLE away RENAME TO high`, "102"},
		{"of the table, and its known partitions dropped", `ALTER TABLE outbox RENAME TO away; CREATE TABLE high PARTITION OF away FOR VALUES FROM (100) TO (200); INSERT INTO away VALUES (102); DROP TABLE low; ALTER TABLE away RENAME TO outbox`, "102"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := started(t, ddl)
			r.insert(1)
			for _, statement := range splitSQL(tt.away) { // each in a transaction of its own
				r.exec(statement)
			}
			r.exec(`DELETE FROM outbox WHERE id = 1`)
			r.mustPass()
			r.mustPass()
			r.want(tt.want)
		})
	}
}

// What is done to a table every day is no move, and costs no proof.
func TestMaintenanceKeepsTheProof(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, ddl, sql string }{
		{"vacuum", tableDDL, `VACUUM (FREEZE, ANALYZE) outbox`},
		{"analyze", tableDDL, `ANALYZE outbox`},
		{"index", tableDDL, `CREATE INDEX ON outbox (created_at)`},
		{"index, concurrently", tableDDL, `CREATE INDEX CONCURRENTLY ON outbox (created_at)`},
		{"vacuum of partitions", partitionedDDL, `VACUUM (FREEZE, ANALYZE) outbox`},
		{"new partition", partitionedDDL, `CREATE TABLE later PARTITION OF outbox FOR VALUES FROM (current_date + 5) TO (current_date + 6)`},
		{"index of partitions", partitionedDDL, `CREATE INDEX ON outbox (created_at)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := started(t, tt.ddl)
			r.insert(1)
			r.exec(tt.sql)
			r.mustPass()
			r.want("")
		})
	}
}
