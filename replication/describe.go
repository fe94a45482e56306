package replication

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/schema"
)

// firstUserOID is where the OIDs of what users and extensions create begin
// (PostgreSQL: FirstNormalObjectId).
const firstUserOID = 16384

// describeTimeout bounds a look into the catalog: the stream stands meanwhile.
const describeTimeout = 10 * time.Second

// Describe completes a Relation with what pgoutput does not send: which columns
// are NOT NULL or in the primary key, their defaults, and types that are not
// built in. As in Debezium this is the catalog's state now, which may be newer
// than the rows; a column or table that is gone keeps its zero values. It must be
// called from the Stream's goroutine.
func (s *Stream) Describe(ctx context.Context, rel *schema.Relation) error {
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	err := s.describe(ctx, rel)
	if err != nil {
		s.closeSQL()
		return fmt.Errorf("look up the columns of %s: %w", rel, err)
	}
	return nil
}

func (s *Stream) describe(ctx context.Context, rel *schema.Relation) error {
	if err := s.dial(ctx); err != nil {
		return err
	}
	return describe(ctx, s.sql, rel)
}

// dial opens the ordinary connection again if it was given up.
func (s *Stream) dial(ctx context.Context) (err error) {
	if s.sql == nil {
		s.sql, err = s.cfg.Dial(ctx)
	}
	return err
}

// NameNow returns the present schema and name of a table, which may have been renamed
// since its rows were written; both are empty if it is gone. It must be called from the
// Stream's goroutine.
func (s *Stream) NameNow(ctx context.Context, oid uint32) (namespace, name string, err error) {
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	if err = s.dial(ctx); err == nil {
		err = s.sql.QueryRow(ctx, `SELECT n.nspname::text, c.relname::text FROM pg_catalog.pg_class c
			JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1`, oid).Scan(&namespace, &name)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return "", "", nil
	}
	if err != nil {
		s.closeSQL()
		return "", "", fmt.Errorf("look up the name of table %d: %w", oid, err)
	}
	return namespace, name, nil
}

// NamedByPublication reports whether the publication names the table or a root of it,
// and not only all tables, or those of a schema: somebody wanted its rows to be sent. A
// table keeps its place in the publication when it is renamed. Of a table that is gone
// nobody knows; it counts as named unless the publication is of all tables. It must be
// called from the Stream's goroutine.
func (s *Stream) NamedByPublication(ctx context.Context, oid uint32) (named bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	if err = s.dial(ctx); err == nil {
		err = s.sql.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_catalog.pg_publication p WHERE p.pubname = $1
			AND (EXISTS (SELECT FROM pg_catalog.pg_publication_rel r WHERE r.prpubid = p.oid AND (r.prrelid = $2 OR r.prrelid IN (SELECT pg_catalog.pg_partition_ancestors($2))))
				OR NOT p.puballtables AND NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = $2)))`, s.cfg.Publication, oid).Scan(&named)
	}
	if err != nil {
		s.closeSQL()
		return false, fmt.Errorf("look up whether publication %q names table %d: %w", s.cfg.Publication, oid, err)
	}
	return named, nil
}

func describe(ctx context.Context, conn *pgx.Conn, rel *schema.Relation) error {
	if err := describeColumns(ctx, conn, rel); err != nil {
		return err
	}
	types := catalogTypes{conn: conn, known: make(map[uint32]*catalogType)}
	for i := range rel.Columns {
		if err := types.fill(ctx, &rel.Columns[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stream) closeSQL() {
	closeSQL(s.sql)
	s.sql = nil
}

func describeColumns(ctx context.Context, conn *pgx.Conn, rel *schema.Relation) error {
	rows, err := conn.Query(ctx, `SELECT a.attname::text, a.attnotnull,
			CASE WHEN a.attgenerated = '' THEN coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), '') ELSE '' END,
			EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey))
		FROM pg_catalog.pg_attribute a LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped`, rel.OID)
	if err != nil {
		return err
	}
	type attribute struct {
		notNull bool
		def     string
		primary bool
	}
	attributes := make(map[string]attribute)
	var name string
	var a attribute
	if _, err := pgx.ForEachRow(rows, []any{&name, &a.notNull, &a.def, &a.primary}, func() error {
		attributes[name] = a
		return nil
	}); err != nil {
		return err
	}
	for i := range rel.Columns {
		col := &rel.Columns[i]
		found := attributes[col.Name]
		col.Primary, col.NotNull, col.Default = found.primary, found.notNull, schema.DefaultText(col, found.def)
	}
	return nil
}

// catalogType is a row of pg_type.
type catalogType struct {
	name   string
	kind   byte
	elem   uint32 // of an array; 0 otherwise
	base   uint32 // of a domain; 0 otherwise
	mod    int32  // modifier of a domain's base type
	labels []string
}

// catalogTypes looks types up, each once.
type catalogTypes struct {
	conn  *pgx.Conn
	known map[uint32]*catalogType
}

// fill sets the column's Type if it has one of the catalog's.
func (c *catalogTypes) fill(ctx context.Context, col *schema.Column) error {
	if col.TypeOID < firstUserOID {
		return nil
	}
	t, err := c.find(ctx, col.TypeOID)
	if err != nil || t == nil {
		return err
	}
	info := &schema.TypeInfo{Name: t.name, Kind: t.kind, Labels: t.labels}
	if t.elem != 0 {
		info.Elem = &schema.Column{Name: col.Name, TypeOID: t.elem, TypeMod: col.TypeMod}
		err = c.fill(ctx, info.Elem)
	}
	if t.base != 0 && err == nil {
		info.Base = &schema.Column{Name: col.Name, TypeOID: t.base, TypeMod: t.mod}
		err = c.fill(ctx, info.Base)
	}
	col.Type = info
	return err
}

func (c *catalogTypes) find(ctx context.Context, oid uint32) (*catalogType, error) {
	if t, ok := c.known[oid]; ok {
		return t, nil
	}
	t := new(catalogType)
	var kind string
	err := c.conn.QueryRow(ctx, `SELECT typname::text, typtype::text, CASE WHEN typcategory = 'A' THEN typelem ELSE 0 END, typbasetype, typtypmod,
			coalesce((SELECT array_agg(enumlabel::text ORDER BY enumsortorder) FROM pg_catalog.pg_enum WHERE enumtypid = t.oid), '{}')
		FROM pg_catalog.pg_type t WHERE oid = $1`, oid).Scan(&t.name, &kind, &t.elem, &t.base, &t.mod, &t.labels)
	if errors.Is(err, pgx.ErrNoRows) {
		t, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	if t != nil {
		t.kind = kind[0]
	}
	c.known[oid] = t
	return t, nil
}
