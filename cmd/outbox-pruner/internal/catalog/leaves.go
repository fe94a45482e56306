package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/proof"
)

// leavesSQL walks from each leaf up to the table.
//
// A relation was made as a partition, and has been one since, if a column's row in pg_attribute says that it is inherited
// and was written by the command that wrote those of the system columns, which nothing changes later: attaching and
// detaching count in attinhcount, and so write new versions. A row with an xmax is not trusted, because its cmin is then
// overwritten; that of pg_inherits is written a command later. A relation that was never rewritten has its OID as file node,
// and one that never changed its name has its first row in pg_class, under a schema whose row is older.
const leavesSQL = `WITH RECURSIVE up(leaf, rel, print, ground, born) AS (
		SELECT l.relid::oid, l.relid::oid, '', '', true FROM pg_catalog.pg_partition_tree($1::oid::regclass) l WHERE l.isleaf
	UNION ALL
		SELECT up.leaf, i.inhparent, up.print || i.inhparent || '/' || i.xmin::text || ' ', up.ground || 'c' || c.xmin::text || '/' || n.xmin::text || ' ',
			up.born AND i.xmin = a.xmin AND i.xmax::text = '0' AND a.xmax::text = '0' AND i.cmin::text::int8 > a.cmin::text::int8
				AND EXISTS (SELECT FROM pg_catalog.pg_attribute u WHERE u.attrelid = up.rel AND u.attnum > 0 AND u.attinhcount = 1 AND NOT u.attislocal
					AND u.xmin = a.xmin AND u.cmin = a.cmin AND u.xmax::text = '0')
		FROM up JOIN pg_catalog.pg_inherits i ON i.inhrelid = up.rel
		JOIN pg_catalog.pg_class c ON c.oid = up.rel JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_catalog.pg_attribute a ON a.attrelid = up.rel AND a.attname = 'tableoid' AND a.attnum < 0
	)
	SELECT up.leaf, n.nspname::text, c.relname::text, c.relkind::text || c.relpersistence::text, up.print, up.ground, coalesce(pg_catalog.pg_relation_filenode(up.leaf), 0),
		CASE WHEN up.born AND c.xmin = a.xmin AND pg_catalog.age(n.xmin) >= pg_catalog.age(a.xmin) AND pg_catalog.pg_relation_filenode(up.leaf) = up.leaf THEN a.xmin::text::int8 ELSE 0 END
	FROM up JOIN pg_catalog.pg_class c ON c.oid = up.leaf JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	JOIN pg_catalog.pg_attribute a ON a.attrelid = up.leaf AND a.attname = 'tableoid' AND a.attnum < 0
	WHERE up.rel = $1`

// plainSQL is leavesSQL for a table that is not partitioned. It is itself the leaf, and its name is a part of a publication's ground.
const plainSQL = `SELECT c.oid, n.nspname::text, c.relname::text, c.relkind::text || c.relpersistence::text, '', '', coalesce(pg_catalog.pg_relation_filenode(c.oid), 0), 0::int8
	FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1`

// Leaves returns the relations that hold the table's rows: itself, or its partitions that have none of their own. One
// whose rows do not go through the WAL is an error.
func (t *Table) Leaves(ctx context.Context, conn *pgx.Conn) (map[uint32]proof.Leaf, error) {
	leaves := map[uint32]proof.Leaf{}
	var oid uint32
	var name Name
	var kind string
	var leaf proof.Leaf
	var born int64 // 0 or a transaction of 32 bits
	sql := plainSQL
	if t.Partitioned {
		sql = leavesSQL
	}
	var unlogged error
	err := each(ctx, conn, []any{&oid, &name.Schema, &name.Table, &kind, &leaf.Print, &leaf.Ground, &leaf.Node, &born}, func() error {
		if unlogged == nil {
			unlogged = checkLogged(name, kind)
		}
		leaf.Print += fmt.Sprint("node ", leaf.Node)
		leaf.Born = uint32(born)
		leaves[oid] = leaf
		return nil
	}, sql, t.OID)
	if err != nil {
		return nil, fmt.Errorf("look up what holds the rows of %s: %w", t.Name, err)
	}
	return leaves, unlogged
}

// checkLogged refuses a relation whose rows are in no WAL. kind is relkind and relpersistence.
func checkLogged(name Name, kind string) error {
	switch kind {
	case "rp":
		return nil
	case "fp":
		return configuration("table_kind", "%s is a foreign table: its rows are not in this server's WAL and never relayed, so none is deleted; take it out of the table first (ALTER TABLE … DETACH PARTITION)", name)
	case "ru":
		return configuration("table_kind", "%s is unlogged: its rows are not in the WAL and never relayed, so none is deleted; relay by other means what is in it, then run: ALTER TABLE %s SET LOGGED", name, name.SQL())
	}
	return configuration("table_kind", "%s is not a permanent table: its rows are not in the WAL and never relayed, so none is deleted", name)
}
