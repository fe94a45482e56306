package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	transactionTimeout = time.Minute            // also the longest that ctx has to wait for a writer
	reconnectPause     = 100 * time.Millisecond // between attempts while the server is down
)

// writer is one connection's worth of load. It belongs to one goroutine.
type writer struct {
	load   *Load
	random *rand.Rand
	conn   *pgx.Conn
	due    time.Time // when the next transaction may start
}

func (w *writer) run(ctx context.Context) error {
	defer w.disconnect()
	w.due = time.Now()
	for ctx.Err() == nil && !w.load.done() {
		if err := w.pace(ctx); err != nil {
			return nil // ctx has ended
		}
		if w.conn == nil {
			if err := w.connect(ctx); err != nil {
				return err
			}
			continue // ctx may have ended meanwhile
		}
		if err := w.transact(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pace waits until the next transaction is due.
func (w *writer) pace(ctx context.Context) error {
	wait := time.Until(w.due)
	if w.load.config.RowsPerSecond == 0 || wait <= 0 {
		return ctx.Err()
	}
	return pause(ctx, wait)
}

// spend moves the due time by what rows cost. A writer that is late does not hurry to make up for more than a second.
func (w *writer) spend(rows int) {
	if rate := w.load.config.RowsPerSecond; rate > 0 {
		cost := time.Duration(float64(rows*w.load.config.Writers) / rate * float64(time.Second))
		w.due = later(w.due.Add(cost), time.Now().Add(-time.Second))
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// connect tries until it succeeds or ctx ends, which is no error here. A server that refuses the login as such is.
func (w *writer) connect(ctx context.Context) error {
	for ctx.Err() == nil {
		conn, err := pgx.Connect(ctx, w.load.config.DSN)
		if err == nil {
			w.conn = conn
			return nil
		}
		if !transient(err) && ctx.Err() == nil {
			return fmt.Errorf("connect a writer: %w", err)
		}
		if pause(ctx, reconnectPause) != nil {
			return nil
		}
	}
	return nil
}

func (w *writer) disconnect() {
	if w.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = w.conn.Close(ctx) // the account is made by COMMIT's answer alone
	w.conn = nil
}

// transact runs one transaction to its end and notes the outcome. It is not cut short by ctx, because that would only
// turn good transactions into unknown ones.
func (w *writer) transact(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), transactionTimeout)
	defer cancel()
	tx := w.plan()
	outcome, err := tx.execute(ctx, w.conn)
	w.load.note(tx, outcome)
	w.spend(len(tx.rows))
	if err == nil {
		return nil
	}
	w.disconnect()
	if !transient(err) {
		return fmt.Errorf("write outbox rows: %w", err)
	}
	return nil
}

// transient reports whether a statement or login failed because of the state of server or network and not because of
// what was asked: any error without an answer of the server, and the classes 08 (connection), 53 (resources), 57
// (shutdown, start-up) and 40 (serialization, deadlock).
func transient(err error) bool {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return true
	}
	for _, class := range []string{"08", "53", "57", "40"} {
		if strings.HasPrefix(pgErr.Code, class) {
			return true
		}
	}
	return false
}

// pause waits for d; it returns the error of ctx if that ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
