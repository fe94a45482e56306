package pattern_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/outbox-relay/outbox-relay/examples/orders/service"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
)

// differing is an order and an invoice that do not say the same: one of them lacks, or costs, state or number of events
// differ.
const differing = `SELECT coalesce(o.id, i.order_id), coalesce(o.cents, 0), coalesce(i.cents, 0), coalesce(o.version, 0), coalesce(i.events, 0),
		coalesce(o.state, ''), coalesce(i.state, '')
	FROM orders o FULL JOIN invoices i ON i.order_id = o.id
	WHERE (o.cents, o.version, o.state) IS DISTINCT FROM (i.cents, i.events, i.state) LIMIT 1`

// agree waits until all committed events have arrived and billing has handled every record. Then it looks that billing
// has what the service has, and judges what the topic holds: all committed events, nothing else, unchanged, the first
// appearance of each in the order of its order's changes.
func (s *stand) agree(t testing.TB) judge.Report {
	t.Helper()
	rows := s.committed(t)
	must(t, "wait for the committed events", s.seen.WaitFor(wait.Context(t, patience), rows))
	s.awaitBilled(t)
	if err := s.difference(wait.Context(t, patience)); err != nil {
		t.Error(err)
	}
	report := judge.Judge(rows, nil, s.seen.Records())
	if err := report.AtLeastOnce(); err != nil {
		t.Error(err)
	}
	t.Log(report)
	const effects = `SELECT (SELECT count(*) FROM inbox) - (SELECT count(*) FROM outbox)`
	if extra, err := one[int](wait.Context(t, patience), s.conn, effects); err != nil || extra != 0 {
		t.Errorf("%d effects more than events (%v)", extra, err)
	}
	return report
}

// awaitBilled waits until billing has committed the offset of every record. A partition that the group has not
// committed yet counts as one where nothing is handled: between two lives of billing the group has no offsets at all.
func (s *stand) awaitBilled(t testing.TB) {
	t.Helper()
	admin := kadm.NewClient(kafkatest.NewClient(t, s.cluster))
	wait.Until(t, patience, "billing has handled every record", func(ctx context.Context) error {
		ends, err := admin.ListEndOffsets(ctx, service.Topic)
		if err == nil {
			err = ends.Error()
		}
		if err != nil {
			return err
		}
		committed, err := admin.FetchOffsets(ctx, "billing")
		if err != nil {
			return err
		}
		var left int64
		ends.Each(func(end kadm.ListedOffset) {
			done, _ := committed.Lookup(end.Topic, end.Partition)
			left += end.Offset - max(done.At, 0)
		})
		if left != 0 {
			return fmt.Errorf("%d are not", left)
		}
		return nil
	})
}

// difference tells an order that does not agree with its invoice.
func (s *stand) difference(ctx context.Context) error {
	var id, ordered, billed string
	var total, sum, version, events int64
	err := s.conn.QueryRow(ctx, differing).Scan(&id, &total, &sum, &version, &events, &ordered, &billed)
	if err == pgx.ErrNoRows {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("order %s: %d cents, %d changes, %q; its invoice: %d cents, %d events, %q", id, total, version, ordered, sum, events, billed)
	}
	return err
}

// committed reads what must arrive from the outbox.
func (s *stand) committed(t testing.TB) []judge.Committed {
	t.Helper()
	rows, err := s.conn.Query(wait.Context(t, patience), `SELECT id::text, aggregateid, sequence, payload::text FROM outbox`)
	must(t, "read the outbox", err)
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (judge.Committed, error) {
		c := judge.Committed{Topic: service.Topic}
		var payload []byte
		err := row.Scan(&c.ID, &c.Key, &c.Seq, &payload)
		c.Hash = judge.Hash(payload)
		return c, err
	})
	must(t, "read the outbox", err)
	return all
}
