package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/proof"
)

// leavesSQL walks from each leaf up to the table. A table that was made as a partition has its row in pg_inherits from
// the command that made it, as its system columns have theirs in pg_attribute, which nothing changes later; the number
// of that command rises by three in between. One that was attached, in the same transaction or later, or detached and
// attached again, is further apart. A relation that was never rewritten has its OID as file node.
const leavesSQL = `WITH RECURSIVE up(leaf, rel, print, born) AS (
		SELECT l.relid::oid, l.relid::oid, '', true FROM pg_catalog.pg_partition_tree($1::oid::regclass) l WHERE l.isleaf
	UNION ALL
		SELECT up.leaf, i.inhparent, up.print || i.inhparent || '/' || i.xmin::text || ' ',
			up.born AND i.xmin = a.xmin AND i.cmin::text::int8 - a.cmin::text::int8 BETWEEN 0 AND 3
		FROM up JOIN pg_catalog.pg_inherits i ON i.inhrelid = up.rel
		JOIN pg_catalog.pg_attribute a ON a.attrelid = up.rel AND a.attname = 'tableoid' AND a.attnum < 0
	)
	SELECT up.leaf, up.print, CASE WHEN up.born AND pg_catalog.pg_relation_filenode(up.leaf) = up.leaf THEN a.xmin::text::int8 ELSE 0 END,
		coalesce(pg_catalog.pg_relation_filenode(up.leaf), 0)
	FROM up JOIN pg_catalog.pg_attribute a ON a.attrelid = up.leaf AND a.attname = 'tableoid' AND a.attnum < 0
	WHERE up.rel = $1`

// Leaves returns the relations that hold the table's rows: itself, or its partitions that have none of their own.
func (t *Table) Leaves(ctx context.Context, conn *pgx.Conn) (map[uint32]proof.Leaf, error) {
	leaves := map[uint32]proof.Leaf{}
	if !t.Partitioned {
		var node uint32
		if err := conn.QueryRow(ctx, `SELECT coalesce(pg_catalog.pg_relation_filenode($1::oid), 0)`, t.OID).Scan(&node); err != nil {
			return nil, fmt.Errorf("look up the file of %s: %w", t.Name, err)
		}
		leaves[t.OID] = proof.Leaf{Print: fmt.Sprint("node ", node), Node: node}
		return leaves, nil
	}
	var oid, node uint32
	var print string
	var born int64 // 0 or a transaction of 32 bits
	err := each(ctx, conn, []any{&oid, &print, &born, &node}, func() error {
		leaves[oid] = proof.Leaf{Print: fmt.Sprint(print, "node ", node), Node: node, Born: uint32(born)}
		return nil
	}, leavesSQL, t.OID)
	if err != nil {
		return nil, fmt.Errorf("look up the partitions of %s: %w", t.Name, err)
	}
	return leaves, nil
}
