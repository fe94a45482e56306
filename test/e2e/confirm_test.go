package e2e_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/load"
)

// soonStatus makes a relay report its position so often that a wrong one shows within a test.
var soonStatus = []string{"-status.update.interval.ms", "100"}

// mustNotConfirm returns a check that fails once the slot is confirmed up to lsn.
func (r *rig) mustNotConfirm(conn *pgx.Conn, lsn string) func(context.Context) error {
	return func(ctx context.Context) error {
		past, err := r.confirmedPast(ctx, conn, lsn)
		if err == nil && past {
			err = fmt.Errorf("the slot is confirmed up to %s, which Kafka has not acknowledged", lsn)
		}
		return err
	}
}

// TestKeepaliveDoesNotConfirmWhatKafkaHasNot holds every acknowledgement while another table makes the server send
// keepalives with ever higher positions. Confirming one of those would lose the held rows in a crash.
func TestKeepaliveDoesNotConfirmWhatKafkaHasNot(t *testing.T) {
	t.Parallel()
	r, cluster := newFakeRig(t, setup{}, 1)
	consumer := r.consume(t)
	conn := r.db.Connect(t)
	run(t, conn, `CREATE TABLE other (filler text)`)
	h := holdProduce(t, cluster, func(int32) bool { return true })

	p := r.stream(t, soonStatus...)
	rows := r.insertEach(t, "a")
	first := walEnd(t, conn)
	rows = append(rows, r.insertEach(t, "b", "a")...)
	renumber(rows)
	h.await(t)
	unconfirmed := r.mustNotConfirm(conn, first)
	throughout(t, 3*time.Second, func(ctx context.Context) error {
		if _, err := conn.Exec(ctx, `INSERT INTO other SELECT repeat('x', 1000) FROM generate_series(1, 100)`); err != nil {
			return err
		}
		return unconfirmed(ctx)
	})
	p.kill(t)
	h.release()
	p = r.stream(t)
	arrived(t, consumer, rows)
	p.stop(t)
	nothingLost(t, r.verdict(t, consumer, rows))
}

// TestReconnectDoesNotConfirmWhatKafkaHasNot ends the connection again and again while the acknowledgements are held. A new
// session must not start from what an earlier one has received.
func TestReconnectDoesNotConfirmWhatKafkaHasNot(t *testing.T) {
	t.Parallel()
	r, cluster := newFakeRig(t, setup{}, 1)
	consumer := r.consume(t)
	conn := r.db.Connect(t)
	h := holdProduce(t, cluster, func(int32) bool { return true })
	p := r.stream(t, soonStatus...)
	rows := r.insertEach(t, "a")
	first := walEnd(t, conn)
	h.await(t)
	for range 2 {
		mark := p.Mark()
		run(t, conn, `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = $1`, r.slot)
		p.await(t, mark, "streaming")
		rows = append(rows, r.insertEach(t, "a", "b")...)
		throughout(t, time.Second, r.mustNotConfirm(conn, first))
	}
	h.release()
	renumber(rows)
	arrived(t, consumer, rows)
	p.stop(t)
	nothingLost(t, r.verdict(t, consumer, rows))
}

// TestReceivedIsNotConfirmed has no broker at all from the start, for several status intervals.
func TestReceivedIsNotConfirmed(t *testing.T) {
	t.Parallel()
	r := newRig(t, setup{bootstrap: deadBroker(t)})
	conn := r.db.Connect(t)
	p := r.stream(t, soonStatus...)
	rows := r.insertEach(t, "a")
	first := walEnd(t, conn)
	rows = append(rows, r.insertEach(t, strings.Fields(strings.Repeat("a b c ", 30))...)...)
	renumber(rows)
	throughout(t, 2*time.Second, r.mustNotConfirm(conn, first))
	p.kill(t)

	port, err := strconv.Atoi(r.bootstrap[strings.LastIndex(r.bootstrap, ":")+1:])
	if err != nil {
		t.Fatal(err)
	}
	kfaketest.New(t, 1, r.topics(), kfake.Ports(port))
	consumer := r.consume(t)
	p = r.stream(t)
	arrived(t, consumer, rows)
	p.stop(t)
	once(t, r.verdict(t, consumer, rows))
}

// TestFastPartitionDoesNotConfirmForASlowOne has one partition on each of two brokers and holds the first: later
// transactions are acknowledged before earlier ones.
func TestFastPartitionDoesNotConfirmForASlowOne(t *testing.T) {
	t.Parallel()
	r, cluster := newSpreadRig(t)
	consumer := r.consume(t)
	conn := r.db.Connect(t)
	h := holdProduce(t, cluster, func(partition int32) bool { return partition == 0 })

	placement := []string{"-table.fields.additional.placement", "part:partition"}
	p := r.stream(t, append(soonStatus, placement...)...)
	slow := r.insertInto(t, conn, 0)
	first := walEnd(t, conn)
	fast := r.insertInto(t, conn, 1)
	h.await(t)
	arrived(t, consumer, []judge.Committed{fast})
	throughout(t, 2*time.Second, r.mustNotConfirm(conn, first))
	p.kill(t)
	h.release()
	p = r.stream(t, placement...)
	rows := []judge.Committed{slow, fast}
	arrived(t, consumer, rows)
	p.stop(t)
	nothingLost(t, r.verdict(t, consumer, rows))
}

// newSpreadRig has two brokers, each of which leads one partition of each topic, and a table whose rows say which.
func newSpreadRig(t testing.TB) (*rig, *kfake.Cluster) {
	t.Helper()
	const table = `CREATE TABLE outbox (id uuid PRIMARY KEY, aggregatetype text, aggregateid text, type text, payload text, part int)`
	r, cluster := newFakeRig(t, setup{table: table}, 2, kfake.NumBrokers(2))
	for _, topic := range r.topics() {
		for partition := range int32(2) {
			if err := cluster.MoveTopicPartition(topic, partition, partition); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r, cluster
}

// insertInto commits a row for a partition, with the partition's number as key.
func (r *rig) insertInto(t testing.TB, conn *pgx.Conn, partition int) judge.Committed {
	t.Helper()
	c := judge.Committed{ID: newID(), Key: strconv.Itoa(partition), Topic: load.Topic(r.types[0]), Hash: judge.Hash([]byte("x"))}
	run(t, conn, `INSERT INTO outbox VALUES ($1, $2, $3, 'Changed', 'x', $4)`, c.ID, r.types[0], c.Key, partition)
	return c
}

// TestStopWithHeldAcknowledgementsConfirmsNothing stops a relay whose broker takes requests and does not answer.
func TestStopWithHeldAcknowledgementsConfirmsNothing(t *testing.T) {
	t.Parallel()
	r, cluster := newFakeRig(t, setup{}, 1)
	consumer := r.consume(t)
	h := holdProduce(t, cluster, func(int32) bool { return true })
	p := r.stream(t, "-shutdown.timeout", "1s")
	rows := r.insertEach(t, "a", "b")
	h.await(t)
	p.signal(t, syscall.SIGTERM)
	p.mustEnd(t, exitRestart, "shutdown.timeout")
	h.release()
	p = r.stream(t)
	arrived(t, consumer, rows)
	p.stop(t)
	nothingLost(t, r.verdict(t, consumer, rows))
}

// TestSlowBrokerDoesNotCostTheConnection holds a big transaction for longer than wal_sender_timeout, with the relay's
// memory full. Without status updates meanwhile the server would cut the connection, and all would begin anew.
func TestSlowBrokerDoesNotCostTheConnection(t *testing.T) {
	t.Parallel()
	const size = 20_000
	r, cluster := newFakeRig(t, setup{}, 1)
	r.db.Exec(t, `ALTER DATABASE `+r.db.Name+` SET wal_sender_timeout = '2s'`)
	consumer := r.consume(t)
	h := holdProduce(t, cluster, func(int32) bool { return true })
	p := r.stream(t, "-max.queue.size.in.bytes", "1M", "-status.update.interval.ms", "500")
	conn := r.db.Connect(t)
	pid := r.slotNow(t, conn).pid

	err := load.Backlog(wait.Context(t, trafficTimeout), load.BacklogConfig{DSN: r.db.DSN, Rows: size, RowsPerTxn: size, AggregateTypes: r.types})
	if err != nil {
		t.Fatal(err)
	}
	h.await(t)
	throughout(t, 6*time.Second, func(ctx context.Context) error {
		s, err := r.slotState(ctx, conn)
		if err == nil && s.pid != pid {
			err = fmt.Errorf("the slot is read by pid %d, was %d", s.pid, pid)
		}
		return err
	})
	h.release()
	if err := consumer.WaitIDs(wait.Context(t, arriveTimeout), size); err != nil {
		t.Fatal(err)
	}
	p.stop(t)
	once(t, r.verdict(t, consumer, r.committed(t)))
}
