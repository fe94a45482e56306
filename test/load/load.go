// Package load writes outbox rows as applications do (concurrent transactions of several sizes, some rolled back,
// savepoints, several keys in one transaction) and keeps account of what was committed, in the terms of package judge.
// It promises that the version in each payload rises in commit order per aggregate type and key, and that the account
// is right also when the server stops or crashes in the middle.
package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/outbox-relay/outbox-relay/test/judge"
)

// Config says what to write.
type Config struct {
	DSN   string
	Table string // with schema if needed. Defaults to "outbox"; created if missing

	Writers int // concurrent transactions. Defaults to 4
	MaxRows int // a transaction has 1 to MaxRows rows. Defaults to 20
	Rows    int // the writers stop when so many rows are committed; 0 = only with ctx
	Keys    int // aggregate ids per type. Defaults to 1000

	AggregateTypes []string // Defaults to "order" and "customer"
	PayloadBytes   int      // about the size of a payload. Defaults to 100
	LargestPayload int      // sizes are drawn from PayloadBytes to this, each order of magnitude alike; 0 = all PayloadBytes

	RollbackShare  float64 // of transactions, 0 to 1
	SavepointShare float64 // of the parts of a transaction (1 to 4), and of the halves of such parts, 0 to 1; half of these savepoints are rolled back
	HugeShare      float64 // of transactions, 0 to 1: these have up to HugeRows rows
	HugeRows       int     // defaults to 100 times MaxRows

	RowsPerSecond float64 // of all writers together; 0 = as fast as they can
	Seed          uint64  // makes the choices repeatable, not the interleaving
}

func (c Config) withDefaults() Config {
	if c.Table == "" {
		c.Table = DefaultTable
	}
	if c.Writers == 0 {
		c.Writers = 4
	}
	if c.MaxRows == 0 {
		c.MaxRows = 20
	}
	if c.Keys == 0 {
		c.Keys = 1000
	}
	if c.HugeRows == 0 {
		c.HugeRows = 100 * c.MaxRows
	}
	if len(c.AggregateTypes) == 0 {
		c.AggregateTypes = []string{"order", "customer"}
	}
	if c.PayloadBytes == 0 {
		c.PayloadBytes = 100
	}
	return c
}

// Account is what became of the rows.
type Account struct {
	Committed []judge.Committed // COMMIT was answered with success
	Unknown   []judge.Committed // COMMIT was sent and the connection broke: they may be there or not

	Transactions   int // committed
	RolledBack     int // transactions rolled back on purpose
	RolledBackRows int // rows in them and in savepoints that were rolled back
	Interrupted    int // transactions that ended with an error before COMMIT was sent
}

// Load is a set of writers. Run may be called once; the other methods may be called at any time by several goroutines.
type Load struct {
	config  Config
	rows    atomic.Int64 // committed
	mu      sync.Mutex
	account Account
}

// New makes writers; nothing happens before Run.
func New(config Config) *Load { return &Load{config: config.withDefaults()} }

// Rows is the number of rows committed so far.
func (l *Load) Rows() int { return int(l.rows.Load()) }

// Account returns a copy of the account so far.
func (l *Load) Account() Account {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.account
	a.Committed = append([]judge.Committed(nil), a.Committed...)
	a.Unknown = append([]judge.Committed(nil), a.Unknown...)
	return a
}

// Run creates the table and writes until Config.Rows rows are committed or ctx ends, neither of which is an error. A
// connection that breaks is replaced, again and again, so that the load survives a restart of the server; statements
// that the server refuses for another reason than its own state are returned as errors. A transaction that has begun
// when ctx ends is completed.
func (l *Load) Run(ctx context.Context) error {
	if err := prepare(ctx, l.config); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for i := range l.config.Writers {
		w := &writer{load: l, random: rand.New(rand.NewPCG(l.config.Seed, uint64(i)))}
		group.Go(func() error { return w.run(ctx) })
	}
	return group.Wait()
}

// done reports whether the wanted number of rows is committed.
func (l *Load) done() bool { return l.config.Rows > 0 && l.Rows() >= l.config.Rows }

// note adds the outcome of one transaction to the account.
func (l *Load) note(tx *transaction, outcome outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := &l.account
	switch outcome {
	case committed:
		a.Committed = append(a.Committed, tx.rows...)
		a.Transactions++
		a.RolledBackRows += tx.discarded
		l.rows.Add(int64(len(tx.rows)))
	case unknown:
		a.Unknown = append(a.Unknown, tx.rows...)
	case rolledBack:
		a.RolledBack++
		a.RolledBackRows += len(tx.rows) + tx.discarded
	case interrupted:
		a.Interrupted++
	}
}

// WaitRows waits until n rows are committed. It looks every 10 ms: writers should not have to signal.
func (l *Load) WaitRows(ctx context.Context, n int) error {
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for l.Rows() < n {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for %d committed rows, %d are: %w", n, l.Rows(), context.Cause(ctx))
		}
	}
	return nil
}

// outcome of a transaction.
type outcome int

const (
	committed outcome = iota
	unknown
	rolledBack
	interrupted
)
