package pipeline

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/cmd/internal/logging"
	"github.com/outbox-relay/outbox-relay/replication"
)

// actionTimeout bounds one run of heartbeat.action.query, so that one that waits
// for a lock does not keep its lock request for ever.
const actionTimeout = 10 * time.Second

// action runs heartbeat.action.query on a connection of its own. A failure is
// logged and never ends the relay, whose events do not depend on it.
type action struct {
	query    string
	database *replication.Config
	due      chan struct{} // a beat that has not been followed yet
	failed   *logging.Repeated
	failures prometheus.Counter
	conn     *pgx.Conn
}

func (r *Relay) newAction() *action {
	return &action{
		query: r.cfg.Heartbeat.Query, database: &r.cfg.Replication, due: make(chan struct{}, 1), failures: r.cfg.Metrics.actionErrors,
		failed: logging.NewRepeated(r.log, "heartbeat.action.query failed", "heartbeat.action.query works again", time.Now),
	}
}

// start runs the query after each beat until stop is called, which waits.
func (a *action) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer a.close()
		for {
			select {
			case <-ctx.Done():
				return
			case <-a.due:
				a.run(ctx)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// beat asks for a run. Beats that come while one goes on are followed by one.
func (a *action) beat() { signal(a.due) }

func (a *action) run(ctx context.Context) {
	err := a.exec(ctx)
	switch {
	case err == nil:
		a.failed.Recovered()
	case ctx.Err() == nil:
		a.failures.Inc()
		a.failed.Failed(err, func(e *zerolog.Event) { e.Str("reason", replication.Reason(err)) })
	}
	if err != nil && a.conn != nil && a.conn.IsClosed() {
		a.conn = nil
	}
}

// exec uses the simple protocol, so that several statements may be given, as in
// Debezium.
func (a *action) exec(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, actionTimeout)
	defer cancel()
	if a.conn == nil {
		if a.conn, err = a.database.Dial(ctx); err != nil {
			return err
		}
	}
	_, err = a.conn.PgConn().Exec(ctx, a.query).ReadAll()
	return err
}

func (a *action) close() {
	if a.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), farewellTimeout)
	defer cancel()
	a.conn.Close(ctx) //nolint:errcheck // nothing depends on it
}
