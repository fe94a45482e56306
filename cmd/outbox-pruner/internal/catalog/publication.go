package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Publication is what one publishes of a table.
type Publication struct {
	Name    string
	Ground  string // identifies what it publishes: changes when somebody changes that, or makes the publication anew
	Inserts bool
	Deletes bool // publishes deletes or truncates: pruning is sent to the readers
	Carries bool // the table is in it, and of a kind that can be published
	Filter  string
}

// schemaVersion is the first server version whose publications can name schemas.
const schemaVersion = 150000

// ReadPublication looks a publication up. The identity of what it publishes is that of its catalog rows and the table's: any change
// writes a new version of a row, which has another xmin.
func ReadPublication(ctx context.Context, conn *pgx.Conn, server Server, name string, t *Table) (Publication, error) {
	p := Publication{Name: name}
	schema := `''`
	if server.Version >= schemaVersion {
		schema = `coalesce((SELECT 's' || n.oid || '/' || n.xmin::text FROM pg_catalog.pg_publication_namespace n
			JOIN pg_catalog.pg_class c ON c.relnamespace = n.pnnspid WHERE n.pnpubid = p.oid AND c.oid = $2), '')`
	}
	var all bool
	var table, namespace string
	err := conn.QueryRow(ctx, `SELECT p.oid || '/' || p.xmin::text, p.pubinsert, p.pubdelete OR p.pubtruncate, p.puballtables,
			coalesce((SELECT 't' || r.oid || '/' || r.xmin::text FROM pg_catalog.pg_publication_rel r WHERE r.prpubid = p.oid AND r.prrelid = $2), ''), `+schema+`
		FROM pg_catalog.pg_publication p WHERE p.pubname = $1`, name, t.OID).
		Scan(&p.Ground, &p.Inserts, &p.Deletes, &all, &table, &namespace)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, configuration("no_publication", "publication %q does not exist; name the one that the relay reads with -publication.name", name)
	}
	if err != nil {
		return p, fmt.Errorf("look up publication %q: %w", name, err)
	}
	ground, publishable, err := t.ground(ctx, conn)
	if err != nil {
		return p, err
	}
	p.Ground = strings.Join([]string{p.Ground, table, namespace, ground}, " ")
	p.Carries = publishable && (all || table != "" || namespace != "")
	return p, p.readFilter(ctx, conn, t)
}

// readFilter finds a row filter of the table or of one of its partitions (15 and later, hence the JSON).
func (p *Publication) readFilter(ctx context.Context, conn *pgx.Conn, t *Table) error {
	var filters []string
	err := conn.QueryRow(ctx, `SELECT coalesce(array_agg(DISTINCT coalesce(to_jsonb(v)->>'rowfilter', '')), '{}') FROM pg_catalog.pg_publication_tables v
		JOIN pg_catalog.pg_namespace n ON n.nspname = v.schemaname JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = v.tablename
		WHERE v.pubname = $1 AND (c.oid = $2 OR c.oid IN (SELECT relid FROM pg_catalog.pg_partition_tree($2::oid::regclass)))`, p.Name, t.OID).Scan(&filters)
	if err != nil {
		return fmt.Errorf("look up the tables of publication %q: %w", p.Name, err)
	}
	p.Filter = strings.Join(filters, " or ") // several, if one leaf has another: that is no filter of a shard
	return nil
}

// Check refuses a publication through which rows of the table may not have been sent, by its shard's relay if it has one.
// CheckShards then looks at the rest.
func (p *Publication) Check(t *Table) error {
	_, shard := p.shard()
	switch {
	case !p.Carries:
		return configuration("publication_shape", "publication %q does not name %s, so nothing shows that its rows are relayed; name the relay's publication with -publication.name, or run: ALTER PUBLICATION %s ADD TABLE %s",
			p.Name, t.Name, Quote(p.Name), t.SQL())
	case !p.Inserts:
		return configuration("publication_shape", "publication %q does not publish inserts, so no row of %s is relayed; run: ALTER PUBLICATION %s SET (publish = 'insert')", p.Name, t.Name, Quote(p.Name))
	case p.Filter != "" && !shard:
		return configuration("publication_shape", "publication %q hides rows of %s: it has the filter %s; rows that it hides are not relayed, and cannot be told from the others", p.Name, t.Name, p.Filter)
	}
	return nil
}

// Carriers returns the names of all publications that carry the inserts of the table.
func Carriers(ctx context.Context, conn *pgx.Conn, t *Table) (map[string]bool, error) {
	names := map[string]bool{}
	var name string
	err := each(ctx, conn, []any{&name}, func() error { names[name] = true; return nil },
		`SELECT DISTINCT v.pubname::text FROM pg_catalog.pg_publication_tables v JOIN pg_catalog.pg_publication p USING (pubname)
		JOIN pg_catalog.pg_namespace n ON n.nspname = v.schemaname JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = v.tablename
		WHERE p.pubinsert AND (c.oid = $1 OR c.oid IN (SELECT relid FROM pg_catalog.pg_partition_tree($1::oid::regclass)))`, t.OID)
	if err != nil {
		return nil, fmt.Errorf("look up the publications of %s: %w", t.Name, err)
	}
	return names, nil
}
