package pattern_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/outbox-relay/outbox-relay/examples/orders/billing"
	"github.com/outbox-relay/outbox-relay/examples/orders/service"
	"github.com/outbox-relay/outbox-relay/test/faultproxy"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/judge"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

const (
	partitions = 4 // more than one, so that order is a matter of keys
	slot       = "pattern"
)

// stand is what one test needs. The relay reaches both servers through proxies; service, billing and judge reach them
// directly.
type stand struct {
	db       *pgtest.DB
	conn     *pgx.Conn // for queries of the test
	cluster  *kafkaserver.Cluster
	postgres *faultproxy.Proxy
	kafka    *faultproxy.Proxy
	seen     *judge.Consumer // everything that the topic holds
}

// newStand starts a broker for one test, and makes a database on server.
func newStand(t *testing.T, server *pgserver.Server) *stand {
	t.Helper()
	s := &stand{db: pgtest.CreateDB(t, server), kafka: newProxy(t, ""), postgres: newProxy(t, net.JoinHostPort("127.0.0.1", port(t, server)))}
	s.cluster = kafkatest.New(t, kafkaserver.Config{Advertised: []string{s.kafka.Addr()}})
	s.kafka.Forward(s.cluster.Behind()[0])
	must(t, "create the topic", s.cluster.CreateTopic(wait.Context(t, patience), service.Topic, partitions, 1, nil))
	s.conn = s.db.Connect(t)
	must(t, "create tables", service.CreateTables(wait.Context(t, patience), s.conn))
	must(t, "create tables", billing.CreateTables(wait.Context(t, patience), s.open(t)))
	s.seen = newJudge(t, s.cluster.Addrs())
	return s
}

// flowing starts billing and the relay on a new stand and lets first events through. It returns how many.
func flowing(t *testing.T, server *pgserver.Server) (*stand, *biller, *relay, int) {
	t.Helper()
	s := newStand(t, server)
	b := bill(t, s.cluster.Addrs(), s.open(t))
	r := s.relay(t)
	n := trade(t, s.db, "first-")
	must(t, "wait for the first events", s.seen.WaitIDs(wait.Context(t, patience), n))
	r.awaitUnacked(t, 0)
	return s, b, r, n
}

func newProxy(t *testing.T, target string) *faultproxy.Proxy {
	t.Helper()
	proxy, err := faultproxy.Listen(target)
	must(t, "start a proxy", err)
	t.Cleanup(func() {
		if err := proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	return proxy
}

func newJudge(t testing.TB, brokers []string) *judge.Consumer {
	t.Helper()
	consumer, err := judge.NewConsumer(judge.ConsumerConfig{Brokers: brokers, Topics: []string{service.Topic}})
	must(t, "read the topic", err)
	t.Cleanup(consumer.Close)
	return consumer
}

// open opens billing's database, which is that of the orders.
func (s *stand) open(t testing.TB) *sql.DB {
	t.Helper()
	return open(t, s.db.DSN)
}

func open(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	must(t, "open billing's database", err)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// proxied is the connection string by which the relay reaches the database.
func (s *stand) proxied(t testing.TB) string {
	t.Helper()
	u, err := url.Parse(s.db.DSN)
	must(t, "read the connection string", err)
	u.Host = s.postgres.Addr()
	return u.String()
}

func port(t testing.TB, server *pgserver.Server) string {
	t.Helper()
	u, err := url.Parse(server.DSN("postgres"))
	must(t, "read the connection string", err)
	return u.Port()
}

// records is how many the topic holds, as far as they have been read.
func (s *stand) records() int {
	n, _ := s.seen.Count()
	return n
}

// one runs a query for one value.
func one[T any](ctx context.Context, conn *pgx.Conn, query string, args ...any) (T, error) {
	var v T
	err := conn.QueryRow(ctx, query, args...).Scan(&v)
	return v, err
}

// resetBilling makes billing forget everything.
func (s *stand) resetBilling(t testing.TB) {
	t.Helper()
	s.db.Exec(t, `TRUNCATE inbox, inbox_position, invoices`)
}

// awaitRecords waits until the topic holds at least n records.
func (s *stand) awaitRecords(t testing.TB, n int) {
	t.Helper()
	wait.Until(t, patience, fmt.Sprintf("the topic holds %d records", n), func(context.Context) error {
		if got := s.records(); got < n {
			return fmt.Errorf("it holds %d", got)
		}
		return nil
	})
}
