package catalog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Size is what a table takes, with its partitions, indexes and TOAST.
type Size struct {
	Bytes   int64
	Live    int64 // rows, as PostgreSQL's statistics estimate them
	Dead    int64 // dead rows that vacuum has not taken away yet, likewise
	Updates int64 // UPDATEs since the statistics were reset
}

// Size asks for it.
func (t *Table) Size(ctx context.Context, conn *pgx.Conn) (Size, error) {
	var s Size
	err := conn.QueryRow(ctx, `SELECT coalesce(sum(pg_catalog.pg_total_relation_size(l.oid)), 0)::int8, coalesce(sum(s.n_live_tup), 0)::int8,
			coalesce(sum(s.n_dead_tup), 0)::int8, coalesce(sum(s.n_tup_upd), 0)::int8
		FROM (SELECT $1::oid UNION SELECT relid FROM pg_catalog.pg_partition_tree($1::oid::regclass)) l(oid)
		LEFT JOIN pg_catalog.pg_stat_all_tables s ON s.relid = l.oid`, t.OID).Scan(&s.Bytes, &s.Live, &s.Dead, &s.Updates)
	if err != nil {
		return s, fmt.Errorf("ask for the size of %s: %w", t.Name, err)
	}
	return s, nil
}
