package load

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/judge"
)

// aggregate is what a version belongs to.
type aggregate struct{ kind, id string }

// transaction is planned by chance first and executed then. rows and discarded are filled by execute.
type transaction struct {
	table    string
	parts    []part
	rollback bool

	rows      []judge.Committed // what a COMMIT makes visible
	discarded int               // rows in savepoints that were rolled back
}

const (
	maxParts = 4
	// maxKeys bounds the keys of one transaction, so that large transactions do not lock most of the keys and make the
	// writers take turns: transactions that overlap in the WAL are what the relay has to cope with.
	maxKeys = 8
)

// plan chooses rows, keys, savepoints and fate of a transaction.
func (w *writer) plan() *transaction {
	c, r := w.load.config, w.random
	tx := &transaction{table: c.Table, rollback: r.Float64() < c.RollbackShare}
	rows := 1 + r.IntN(c.MaxRows)
	if r.Float64() < c.HugeShare {
		rows = 1 + r.IntN(c.HugeRows)
	}
	keys := make([]aggregate, 1+r.IntN(min(rows, maxKeys)))
	for i := range keys {
		keys[i] = aggregate{c.AggregateTypes[r.IntN(len(c.AggregateTypes))], fmt.Sprintf("key-%d", r.IntN(c.Keys))}
	}
	parts := 1 + r.IntN(min(rows, maxParts))
	for i := range parts {
		n := rows*(i+1)/parts - rows*i/parts
		p := w.planPart(n, keys)
		tx.parts = append(tx.parts, p)
	}
	return tx
}

// execute runs the transaction. The outcome is unknown from the moment COMMIT is sent until the server has answered.
func (t *transaction) execute(ctx context.Context, conn *pgx.Conn) (outcome, error) {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return interrupted, err
	}
	if err := t.write(ctx, tx); err != nil {
		return interrupted, err // the connection is given up, and the server rolls back
	}
	if t.rollback {
		return rolledBack, tx.Rollback(ctx)
	}
	sent := time.Now()
	for i := range t.rows {
		t.rows[i].At = sent
	}
	err = tx.Commit(ctx)
	switch {
	case err == nil:
		return committed, nil
	case errors.Is(err, pgx.ErrTxCommitRollback):
		return interrupted, err
	default:
		return unknown, err
	}
}

// write locks the counters of all keys, inserts the parts and stores the new versions. The locks are held until the
// end of the transaction, so for each key the versions are committed in the order in which they are given out; they
// are taken in one order by all writers, so there is no deadlock.
func (t *transaction) write(ctx context.Context, tx pgx.Tx) error {
	versions, err := t.lock(ctx, tx)
	if err != nil {
		return fmt.Errorf("lock the counters: %w", err)
	}
	for i, p := range t.parts {
		kept, err := t.writePart(ctx, tx, fmt.Sprintf("part_%d", i), p, versions)
		if err != nil {
			return err
		}
		t.rows = append(t.rows, kept...)
	}
	var kinds, ids []string
	var last []int64
	for a, v := range versions {
		kinds, ids, last = append(kinds, a.kind), append(ids, a.id), append(last, v)
	}
	_, err = tx.Exec(ctx, `UPDATE `+counters(t.table)+` c SET version = n.version
		FROM unnest($1::text[], $2::text[], $3::bigint[]) n (aggregatetype, aggregateid, version)
		WHERE c.aggregatetype = n.aggregatetype AND c.aggregateid = n.aggregateid`, kinds, ids, last)
	if err != nil {
		return fmt.Errorf("store the counters: %w", err)
	}
	return nil
}

// lock returns the last version of each aggregate of the transaction.
func (t *transaction) lock(ctx context.Context, tx pgx.Tx) (map[aggregate]int64, error) {
	var kinds, ids []string
	asked := map[aggregate]bool{}
	for _, p := range t.parts {
		for _, a := range p.all() {
			if !asked[a] {
				asked[a] = true
				kinds, ids = append(kinds, a.kind), append(ids, a.id)
			}
		}
	}
	found, err := tx.Query(ctx, `SELECT aggregatetype, aggregateid, version FROM `+counters(t.table)+`
		WHERE (aggregatetype, aggregateid) IN (SELECT * FROM unnest($1::text[], $2::text[]))
		ORDER BY aggregatetype, aggregateid FOR UPDATE`, kinds, ids)
	if err != nil {
		return nil, err
	}
	versions := make(map[aggregate]int64, len(ids))
	var a aggregate
	var version int64
	_, err = pgx.ForEachRow(found, []any{&a.kind, &a.id, &version}, func() error {
		versions[a] = version
		return nil
	})
	if err == nil && len(versions) != len(ids) {
		err = fmt.Errorf("%d counters found for %d keys", len(versions), len(ids))
	}
	return versions, err
}

func (t *transaction) insert(ctx context.Context, tx pgx.Tx, p part, rows []judge.Committed, payloads []string) error {
	ids, kinds, keys := make([]string, len(rows)), make([]string, len(rows)), make([]string, len(rows))
	for i, r := range rows {
		ids[i], kinds[i], keys[i] = r.ID, p.aggregates[i].kind, r.Key
	}
	_, err := tx.Exec(ctx, `INSERT INTO `+identifier(t.table)+` (id, aggregatetype, aggregateid, type, payload)
		SELECT id, aggregatetype, aggregateid, 'Changed', payload::jsonb
		FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY r (id, aggregatetype, aggregateid, payload, n)
		ORDER BY n`, ids, kinds, keys, payloads)
	if err != nil {
		return fmt.Errorf("insert %d rows: %w", len(rows), err)
	}
	return nil
}

// alphabet is what payloads are padded with: random text, so that compression does not make a load look small.
const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"

// Payload returns a JSON document of about size bytes with the version in it, in the very form in which PostgreSQL
// prints it as jsonb (members by length of their names, then by name; one space after colon and comma), so that its
// hash is that of the value to arrive.
func Payload(version int64, size int) string {
	frame := fmt.Sprintf(`{"pad": "", "version": %d}`, version)
	pad := make([]byte, max(0, size-len(frame)))
	rand.Read(pad)
	for i, b := range pad {
		pad[i] = alphabet[int(b)%len(alphabet)]
	}
	return strings.Replace(frame, `""`, `"`+string(pad)+`"`, 1)
}

// newUUID returns a random UUID (version 4) as PostgreSQL prints it.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
