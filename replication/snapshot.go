package replication

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pglogrepl"
	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/schema"
)

// Snapshot is the rows that the outbox tables held at one moment, to be relayed
// before the stream. Its transaction holds back vacuum for as long as it lasts.
type Snapshot struct {
	cfg    *Config
	conn   *pgx.Conn // in the transaction
	tables []table
	lsn    pglogrepl.LSN
}

// LSN is the slot's position: from there the stream goes on.
func (s *Snapshot) LSN() pglogrepl.LSN { return s.lsn }

// beginSnapshot opens the transaction, on an exported snapshot or on one of now.
// The rows come in the order in which they are stored: no parallel workers, and no
// scan that joins another in its middle. Row security would hide rows, so it is
// an error instead.
func beginSnapshot(ctx context.Context, conn *pgx.Conn, exported string) error {
	sql := []string{"BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"}
	if major(conn.PgConn().ParameterStatus("server_version")) >= 17 {
		sql = append([]string{"SET transaction_timeout = 0"}, sql...) // which came with 17
	}
	if exported != "" {
		sql = append(sql, "SET TRANSACTION SNAPSHOT "+quoteLiteral(exported))
	}
	sql = append(sql, "SET LOCAL synchronize_seqscans = off", "SET LOCAL max_parallel_workers_per_gather = 0", "SET LOCAL row_security = off")
	if _, err := conn.PgConn().Exec(ctx, strings.Join(sql, "; ")).ReadAll(); err != nil {
		return fmt.Errorf("begin a snapshot: %w", err)
	}
	return nil
}

// snapshotRows is how many rows make up one transaction as the Handler sees it.
const snapshotRows = 1000

// Run hands every row to h: a Relation for each table, completed as Describe does
// it, and its rows as inserts in transactions that end at LSN. Values are the text
// that the stream would carry; memory does not grow with the table. It returns
// when all is read, h returns an error, or ctx is done, after which the Snapshot is
// of no more use.
func (s *Snapshot) Run(ctx context.Context, h Handler) error {
	for i := range s.tables {
		if err := s.table(ctx, &s.tables[i], h); err != nil {
			if errors.Is(err, context.Canceled) && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
	}
	h.Flush()
	return nil
}

func (s *Snapshot) table(ctx context.Context, t *table, h Handler) error {
	rel, err := describeTable(ctx, s.conn, s.cfg.Publication, t)
	if err != nil {
		return fmt.Errorf("read the rows of %s: %w", t.quoted(), err)
	}
	wanted, err := h.Relation(rel)
	if err != nil || !wanted {
		return err
	}
	return s.rows(ctx, t, rel, h)
}

// rows streams a table. The simple protocol gives text, and nothing on either
// side collects the rows.
func (s *Snapshot) rows(ctx context.Context, t *table, rel *schema.Relation, h Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	result := s.conn.PgConn().Exec(ctx, selectRows(t, rel, &s.cfg.Shard))
	values := make([]schema.Datum, len(rel.Columns))
	chunk := chunk{h: h, lsn: s.lsn}
	var err error
	for err == nil && result.NextResult() {
		rows := result.ResultReader()
		for err == nil && rows.NextRow() {
			for i, b := range rows.Values() {
				values[i] = schema.Datum{Kind: schema.Text, Bytes: b}
				if b == nil {
					values[i].Kind = schema.Null
				}
			}
			err = chunk.row(rel, values)
		}
	}
	if err != nil {
		cancel()       // what is still coming must not be read to its end
		result.Close() //nolint:errcheck // it says that it was canceled
		return err
	}
	if err := result.Close(); err != nil {
		return fmt.Errorf("read the rows of %s: %w%s", t.quoted(), err, snapshotHint(err))
	}
	return chunk.end()
}

func snapshotHint(err error) string {
	if Reason(err) == "privilege" {
		return "; row-level security would hide rows of the snapshot: let the role BYPASSRLS, or own the table"
	}
	return ""
}

// selectRows names the columns, because the stream may have fewer of them, and leaves
// the rows of other shards out, as the publication does.
// Children that inherit are tables of their own to the stream.
func selectRows(t *table, rel *schema.Relation, shard *Shard) string {
	names := make([]string, len(rel.Columns))
	for i := range rel.Columns {
		names[i] = quoteIdent(rel.Columns[i].Name)
	}
	return "SELECT " + strings.Join(names, ", ") + " FROM " + t.only() + t.where(shard)
}

// only is the table as FROM takes it, without its children.
func (t *table) only() string {
	if t.kind == "p" {
		return t.quoted()
	}
	return "ONLY " + t.quoted()
}

// chunk groups rows into transactions.
type chunk struct {
	h    Handler
	lsn  pglogrepl.LSN
	rows int
}

func (c *chunk) row(rel *schema.Relation, values []schema.Datum) error {
	if c.rows == 0 {
		if err := c.h.Begin(Begin{CommitLSN: c.lsn, CommitTime: time.Now()}); err != nil {
			return err
		}
	}
	c.rows++
	if err := c.h.Insert(rel, values); err != nil {
		return err
	}
	if c.rows == snapshotRows {
		return c.end()
	}
	return nil
}

func (c *chunk) end() error {
	if c.rows == 0 {
		return nil
	}
	c.rows = 0
	return c.h.Commit(Commit{CommitLSN: c.lsn, EndLSN: c.lsn})
}

// describeTable makes the Relation that pgoutput would announce for a table: the
// columns that the publication carries.
func describeTable(ctx context.Context, conn *pgx.Conn, publication string, t *table) (*schema.Relation, error) {
	rel := &schema.Relation{Namespace: t.schema, Name: t.name}
	var identity string
	err := conn.QueryRow(ctx, `SELECT c.oid, c.relreplident::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relname = $2`, t.schema, t.name).Scan(&rel.OID, &identity)
	if err != nil {
		return nil, err
	}
	rel.ReplicaIdentity = identity[0]
	// pg_publication_tables has attnames since 15. Without them the stream carries
	// all columns but generated ones, which it never carries before 18.
	rows, err := conn.Query(ctx, `SELECT a.attname::text, a.atttypid, a.atttypmod,
			CASE WHEN a.atttypid >= $2::oid THEN (SELECT n.nspname || '.' || y.typname FROM pg_catalog.pg_type y JOIN pg_catalog.pg_namespace n ON n.oid = y.typnamespace WHERE y.oid = a.atttypid) ELSE '' END
		FROM pg_catalog.pg_attribute a LEFT JOIN LATERAL (
			SELECT to_jsonb(p) -> 'attnames' AS names FROM pg_catalog.pg_publication_tables p
			WHERE p.pubname = $3 AND p.schemaname = $4 AND p.tablename = $5) published ON true
		WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
			AND CASE WHEN jsonb_typeof(published.names) = 'array' THEN published.names ? a.attname::text AND (a.attgenerated = '' OR current_setting('server_version_num')::int >= 180000) ELSE a.attgenerated = '' END
		ORDER BY a.attnum`, rel.OID, uint32(firstUserOID), publication, t.schema, t.name)
	if err != nil {
		return nil, err
	}
	var c schema.Column
	if _, err := pgx.ForEachRow(rows, []any{&c.Name, &c.TypeOID, &c.TypeMod, &c.TypeName}, func() error {
		rel.Columns = append(rel.Columns, c)
		return nil
	}); err != nil {
		return nil, err
	}
	return rel, describe(ctx, conn, rel)
}
