package replication

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A row filter may call built-in immutable functions only, and may not cast through
// text (observed on 15 to 18), so each type of key has its own hash function. Those of
// the integers agree for equal numbers. NULL counts as hash 0: its rows go to shard 0
// and not nowhere.

// keyHashes are the hash functions by the OID of the key's type.
var keyHashes = map[uint32]string{
	20:   "hashint8",     // bigint
	21:   "hashint2",     // smallint
	23:   "hashint4",     // integer
	25:   "hashtext",     // text
	1042: "hashbpchar",   // char(n)
	1043: "hashtext",     // varchar, which is text to it
	1700: "hash_numeric", // numeric
	2950: "uuid_hash",    // uuid
}

// varcharOID is shown by the catalog with the cast that it does not need.
const varcharOID = 1043

// keyTypes names the types for messages.
const keyTypes = "text, varchar, char(n), uuid, smallint, integer, bigint and numeric"

// shardKeys notes, in each table, how to tell a row's shard, and refuses tables of
// which that cannot be told.
func shardKeys(ctx context.Context, conn *pgx.Conn, cfg *Config, tables []table) error {
	if !cfg.Shard.divided() || len(tables) == 0 {
		return nil
	}
	byOID := make(map[uint32]*table, len(tables))
	oids := make([]uint32, len(tables))
	for i := range tables {
		byOID[tables[i].oid], oids[i] = &tables[i], tables[i].oid
	}
	var oid, kind uint32
	var shown, name string
	var errs []error
	err := eachRow(ctx, conn, []any{&oid, &kind, &shown, &name}, func() error {
		t := byOID[oid]
		delete(byOID, oid)
		if keyHashes[kind] == "" {
			errs = append(errs, fmt.Errorf("column %q of %s.%s has the type %s, by which PostgreSQL cannot filter the rows of a shard: shard.count works with keys of type %s", cfg.Shard.Key, t.schema, t.name, name, keyTypes))
			return nil
		}
		if kind == varcharOID {
			shown = "(" + shown + ")::text"
		}
		t.hash, t.hashShown = fmt.Sprintf("pg_catalog.%s(%s)", keyHashes[kind], quoteIdent(cfg.Shard.Key)), fmt.Sprintf("%s(%s)", keyHashes[kind], shown)
		return nil
	}, `SELECT a.attrelid, a.atttypid, pg_catalog.quote_ident(a.attname), pg_catalog.format_type(a.atttypid, a.atttypmod)
		FROM pg_catalog.pg_attribute a WHERE a.attrelid = ANY ($1) AND a.attname = $2 AND a.attnum > 0 AND NOT a.attisdropped`, oids, cfg.Shard.Key)
	if err != nil {
		return fmt.Errorf("look for column %q of the outbox table: %w", cfg.Shard.Key, err)
	}
	for _, t := range byOID {
		errs = append(errs, fmt.Errorf("%s.%s has no column %q, by which shard.count divides its rows; name the column with -table.field.event.key", t.schema, t.name, cfg.Shard.Key))
	}
	if err := errors.Join(errs...); err != nil {
		return configuration("shard_key", err)
	}
	return nil
}

// filter is the shard's row filter for the table, "" without shards.
func (t *table) filter(s *Shard) string {
	if !s.divided() {
		return ""
	}
	return fmt.Sprintf("(coalesce(%s, 0) & 2147483647) %% %d = %d", t.hash, s.Count, s.Index)
}

// where is the filter behind a table's name in a publication or a SELECT.
func (t *table) where(s *Shard) string {
	if !s.divided() {
		return ""
	}
	return " WHERE (" + t.filter(s) + ")"
}

// shownFilter is the filter as the catalog shows it.
func (t *table) shownFilter(s *Shard) string {
	if !s.divided() {
		return ""
	}
	return fmt.Sprintf("(((COALESCE(%s, 0) & 2147483647) %% %d) = %d)", t.hashShown, s.Count, s.Index)
}

// checkFilter refuses a table in the publication with another filter than the shard's
// own, or with any if there are no shards.
func (t *table) checkFilter(cfg *Config) error {
	want := t.shownFilter(&cfg.Shard)
	switch got := strings.ReplaceAll(t.rowFilter, "pg_catalog.", ""); {
	case got == want:
		return nil
	case want == "":
		if s, ok := ParseShardFilter(got); ok {
			return fmt.Errorf("publication %q hides rows of %s.%s: it is that of shard %d of %d, counted from 0, and this relay has no -shard.count; give it, or name another publication", cfg.Publication, t.schema, t.name, s.Index, s.Count)
		}
		return remedy(fmt.Errorf("publication %q hides rows of %s.%s: it has the filter %s", cfg.Publication, t.schema, t.name, t.rowFilter), republish(cfg, t)...)
	case got == "":
		return remedy(fmt.Errorf("publication %q carries all rows of %s.%s, and %s must carry its own only, with the filter %s", cfg.Publication, t.schema, t.name, cfg.Shard.title(), want), republish(cfg, t)...)
	}
	return remedy(fmt.Errorf("publication %q does not carry the rows of %s.%s that belong to %s: it has the filter %s and needs %s", cfg.Publication, t.schema, t.name, cfg.Shard.title(), t.rowFilter, want), republish(cfg, t)...)
}

// ShardFilter is what the catalog's text of a shard's row filter says.
type ShardFilter struct {
	Hash         string // of the key, as the catalog shows it
	Index, Count int
}

// shownShard has the form of table.shownFilter. Nothing but one call for one column is
// let through, so that filters with the same Hash and all Indexes show every row once.
var shownShard = regexp.MustCompile(`^\(\(\(COALESCE\(((?:hashint8|hashint2|hashint4|hashtext|hashbpchar|hash_numeric|uuid_hash)\((?:[a-z_][a-z0-9_$]*|"(?:[^"]|"")+"|\((?:[a-z_][a-z0-9_$]*|"(?:[^"]|"")+")\)::text)\)), 0\) & 2147483647\) % ([0-9]{1,9})\) = ([0-9]{1,9})\)$`)

// ParseShardFilter reads the row filter of a shard's publication, as pg_publication_tables
// shows it; false for any other.
func ParseShardFilter(text string) (ShardFilter, bool) {
	m := shownShard.FindStringSubmatch(strings.ReplaceAll(text, "pg_catalog.", ""))
	if m == nil {
		return ShardFilter{}, false
	}
	count, err := strconv.Atoi(m[2])
	index, indexErr := strconv.Atoi(m[3])
	return ShardFilter{Hash: m[1], Index: index, Count: count}, err == nil && indexErr == nil && index < count
}
