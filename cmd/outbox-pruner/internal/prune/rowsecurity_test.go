package prune_test

import (
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/prune"
	"github.com/outbox-relay/outbox-relay/replication"
)

// What a partition holds that a policy hides from everybody may not have been relayed.
func TestPartitionUnderForcedRowSecurity(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{"forced": `FORCE`, "not forced": `NO FORCE`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, partitionedDDL)
			r.createSlot(r.slot)
			role, owner := r.role(), "owner_"+r.db.Name[5:]
			user := "role_" + r.db.Name[5:]
			r.exec(`CREATE ROLE ` + owner + `; GRANT CREATE, USAGE ON SCHEMA public TO ` + owner + `; GRANT ` + owner + ` TO ` + user + `; GRANT EXECUTE ON FUNCTION pg_stat_reset_replication_slot(text) TO ` + user)
			r.exec(`INSERT INTO outbox VALUES (1, current_date - 10)`)
			r.exec(`DO $$ DECLARE leaf regclass; BEGIN FOR leaf IN SELECT relid FROM pg_partition_tree('outbox') LOOP
				EXECUTE 'ALTER TABLE ' || leaf || ' OWNER TO ` + owner + `'; EXECUTE 'ALTER TABLE ' || leaf || ' ENABLE ROW LEVEL SECURITY, ` + sql + ` ROW LEVEL SECURITY'; END LOOP; END $$`)
			stop := r.follow()
			err := r.pass(r.aged(role, func(c *prune.Config) { c.Partitions = prune.Drop }))
			stop()
			if name == "forced" {
				r.refused(err, replication.Configuration, "NO FORCE ROW LEVEL SECURITY")
			} else if err != nil {
				t.Error(err)
			}
			r.want("1")
			if told := contains(r.log.String(), "row-level security applies to this role"); told != (name == "forced") { // the role has the owner's rights
				t.Errorf("told that rows may be hidden: %v\n%s", told, r.log)
			}
			r.exec(`DROP TABLE outbox; REVOKE ALL ON SCHEMA public FROM ` + owner + `; DROP ROLE ` + owner)
		})
	}
}
