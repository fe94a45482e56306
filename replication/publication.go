package replication

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A publication that the relay makes carries a comment. It proves a first start:
// as long as the comment says that no slot was made yet, none can have been
// lost, whatever happened in between.
const (
	commentNoSlot = "outbox-relay: no slot yet"
	commentSlot   = "outbox-relay: read through slot "
)

type publication struct {
	inserts bool
	others  bool // publishes updates or deletes too
	viaRoot bool
	comment string
}

// table is a table that Config.Tables chooses.
type table struct {
	oid          uint32
	schema, name string
	kind         string // pg_class.relkind, or u if it is unlogged
	identity     bool   // it has a replica identity, so that it may publish updates
	published    bool
	rowFilter    string

	hash, hashShown string // of the key, for a row filter and as the catalog shows it; empty without shards
}

func (t *table) quoted() string { return quoteIdent(t.schema) + "." + quoteIdent(t.name) }

// ensurePublication finds or makes the publication and checks that it carries
// the inserts of every outbox table. firstStart tells that the relay made it and
// that no slot was made after it.
func ensurePublication(ctx context.Context, conn *pgx.Conn, cfg *Config) (firstStart bool, err error) {
	tables, err := findTables(ctx, conn, cfg)
	if err != nil {
		return false, err
	}
	pub, err := readPublication(ctx, conn, cfg.Publication)
	if errors.Is(err, pgx.ErrNoRows) {
		return true, createPublication(ctx, conn, cfg, tables)
	}
	if err != nil {
		return false, fmt.Errorf("look up publication %q: %w", cfg.Publication, err)
	}
	if err := markPublished(ctx, conn, cfg.Publication, tables); err != nil {
		return false, err
	}
	return pub.comment == commentNoSlot, checkPublication(cfg, pub, cfg.Autocreate.needed(tables))
}

func readPublication(ctx context.Context, conn *pgx.Conn, name string) (publication, error) {
	var p publication
	err := conn.QueryRow(ctx, `SELECT pubinsert, pubupdate OR pubdelete, pubviaroot, coalesce(obj_description(oid, 'pg_publication'), '')
		FROM pg_catalog.pg_publication WHERE pubname = $1`, name).
		Scan(&p.inserts, &p.others, &p.viaRoot, &p.comment)
	return p, err
}

// findTables lists the tables that match, partitions left out: those are
// published under their root's name.
func findTables(ctx context.Context, conn *pgx.Conn, cfg *Config) ([]table, error) {
	var tables []table
	var t table
	err := eachRow(ctx, conn, []any{&t.oid, &t.schema, &t.name, &t.kind, &t.identity}, func() error {
		if cfg.Tables.Match(t.schema, t.name) {
			if cfg.Found != nil {
				cfg.Found(t.oid, t.schema, t.name)
			}
			tables = append(tables, t)
		}
		return nil
	}, `SELECT c.oid, n.nspname::text, c.relname::text, CASE c.relpersistence WHEN 'u' THEN 'u' ELSE c.relkind::text END,
			c.relreplident = 'f' AND c.relkind = 'r' OR EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid
				AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident AND c.relkind = 'r' ELSE false END)
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
			AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_t(emp|oast)'
		ORDER BY 2, 3`)
	if err != nil {
		return nil, fmt.Errorf("look for the outbox table: %w", err)
	}
	if err := checkTables(cfg, conn.Config().Database, tables); err != nil {
		return tables, err
	}
	if err := checkPartitions(ctx, conn, tables); err != nil {
		return tables, err
	}
	return tables, shardKeys(ctx, conn, cfg, tables)
}

// markPublished notes which tables the publication carries, and with which row
// filter (a column that 15 brought, hence the JSON).
func markPublished(ctx context.Context, conn *pgx.Conn, name string, tables []table) error {
	var schema, tableName, filter string
	err := eachRow(ctx, conn, []any{&schema, &tableName, &filter}, func() error {
		for i := range tables {
			if t := &tables[i]; t.schema == schema && t.name == tableName {
				t.published, t.rowFilter = true, filter
			}
		}
		return nil
	}, `SELECT schemaname::text, tablename::text, coalesce(to_jsonb(p)->>'rowfilter', '')
		FROM pg_catalog.pg_publication_tables p WHERE pubname = $1`, name)
	if err != nil {
		return fmt.Errorf("look up the tables of publication %q: %w", name, err)
	}
	return nil
}

// mayLackTables reports whether there may be no outbox table: the events are
// messages, and the publication does not depend on tables.
func (c *Config) mayLackTables() bool {
	return c.Tables.None || c.Messages.Enabled() && c.Autocreate != Filtered && c.Autocreate != ""
}

func checkTables(cfg *Config, database string, tables []table) error {
	if len(tables) == 0 && !cfg.mayLackTables() {
		return configuration("no_table", fmt.Errorf("no table of database %q matches %s; create it (outbox-relay -print-ddl shows how) or name it as schema.table", database, cfg.Tables))
	}
	kinds := map[string]string{"v": "a view", "m": "a materialized view", "f": "a foreign table", "u": "unlogged (ALTER TABLE … SET LOGGED)"}
	for i := range tables {
		if kind, bad := kinds[tables[i].kind]; bad {
			return configuration("table_kind", fmt.Errorf("%s.%s is %s, which PostgreSQL does not replicate; the outbox must be a table", tables[i].schema, tables[i].name, kind))
		}
	}
	return nil
}

// refuseCreation is for a publication that is missing and is not to be made.
func refuseCreation(cfg *Config, tables []table) error {
	if cfg.Autocreate != Disabled {
		return nil
	}
	return configuration("no_publication", remedy(fmt.Errorf("publication %q does not exist and -publication.autocreate.mode is disabled", cfg.Publication), creationSQL(cfg, tables)...))
}

// createPublication makes the publication, or those of all shards: a shard whose
// relay is not started yet must miss nothing. They publish no deletes: cleaning the
// table up then costs nothing on the wire.
func createPublication(ctx context.Context, conn *pgx.Conn, cfg *Config, tables []table) error {
	if err := refuseCreation(cfg, tables); err != nil {
		return err
	}
	tx, err := conn.Begin(ctx)
	if err != nil {
		return fmt.Errorf("create publication %q: %w", cfg.Publication, err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // after a commit there is nothing to roll back
	for _, shard := range cfg.shards() {
		for _, sql := range []string{createPublicationSQL(shard, tables), commentSQL(shard.Publication, commentNoSlot)} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return fmt.Errorf("create publication %q: %w; this role needs CREATE on the database and must own the table (all_tables takes a superuser), or somebody who may runs: %s", shard.Publication, err, strings.Join(creationSQL(cfg, tables), "; "))
			}
		}
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("create publication %q: %w", cfg.Publication, err)
	}
	return nil
}

// creationSQL makes the publication, or those of all shards.
func creationSQL(cfg *Config, tables []table) []string {
	var all []string
	for _, shard := range cfg.shards() {
		all = append(all, createPublicationSQL(shard, tables))
	}
	return all
}

// createPublicationSQL publishes inserts only, unless updates are asked for. But
// never those of a table without replica identity: PostgreSQL would refuse the
// application's updates of it.
func createPublicationSQL(cfg *Config, tables []table) string {
	names := make([]string, len(tables))
	viaRoot, updates := "", ""
	if cfg.PublishUpdates {
		updates = ", update"
	}
	for i := range tables {
		names[i] = tables[i].quoted() + tables[i].where(&cfg.Shard)
		if !tables[i].identity {
			updates = ""
		}
		if tables[i].kind == "p" {
			viaRoot = ", publish_via_partition_root = true"
		}
	}
	scope := " FOR TABLE " + strings.Join(names, ", ")
	switch {
	case cfg.Autocreate == AllTables:
		scope, updates = " FOR ALL TABLES", ""
	case cfg.Autocreate == NoTables || len(tables) == 0:
		scope, updates = "", ""
	}
	return fmt.Sprintf("CREATE PUBLICATION %s%s WITH (publish = 'insert%s'%s)", quoteIdent(cfg.Publication), scope, updates, viaRoot)
}

func commentSQL(name, text string) string {
	return fmt.Sprintf("COMMENT ON PUBLICATION %s IS %s", quoteIdent(name), quoteLiteral(text))
}

// noteSlot ends the first start: from now on a missing slot is an alarm. The
// comment is the relay's own where it made the publication; elsewhere it is
// left alone.
func noteSlot(ctx context.Context, conn *pgx.Conn, cfg *Config) error {
	if _, err := conn.Exec(ctx, commentSQL(cfg.Publication, commentSlot+cfg.Slot)); err != nil {
		return fmt.Errorf("note on publication %q that slot %q was made: %w", cfg.Publication, cfg.Slot, err)
	}
	return nil
}

func checkPublication(cfg *Config, p publication, tables []table) error {
	name := cfg.Publication
	alter := "ALTER PUBLICATION " + quoteIdent(name) + " "
	if !p.inserts {
		return configuration("publication_shape", remedy(fmt.Errorf("publication %q does not publish inserts", name), alter+"SET (publish = 'insert')"))
	}
	if p.others && cfg.Shard.divided() {
		return configuration("publication_shape", remedy(fmt.Errorf("publication %q is that of a shard and publishes more than inserts: an update that moves a row to another shard would arrive there as a new event, and PostgreSQL refuses updates and deletes of the table", name), alter+"SET (publish = 'insert')"))
	}
	var errs []error
	for i := range tables {
		t := &tables[i]
		switch {
		case t.kind == "p" && !p.viaRoot:
			errs = append(errs, remedy(fmt.Errorf("%s.%s is partitioned, and publication %q sends its rows under the names of the partitions", t.schema, t.name, name), alter+"SET (publish_via_partition_root = true)"))
		case !t.published:
			errs = append(errs, remedy(fmt.Errorf("publication %q does not carry %s.%s, and rows inserted before it does are not sent", name, t.schema, t.name), alter+"ADD TABLE "+t.quoted()+t.where(&cfg.Shard)))
		default:
			errs = append(errs, t.checkFilter(cfg))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return configuration("publication_shape", err)
	}
	return nil
}
