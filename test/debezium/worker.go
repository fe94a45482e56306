// Package debezium runs the real Debezium, the PostgreSQL connector with its Outbox Event Router, in a standalone Kafka
// Connect worker, as the one the relay is compared and measured with. It promises that the worker's REST interface
// answers when Start returns and that no process outlives the program that started it. It returns errors and knows
// nothing of testing.
package debezium

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/outbox-relay/outbox-relay/test/internal/freeport"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/procs"
)

const (
	readyTimeout = 3 * time.Minute // about 4 s on an idle machine with 2 cores; tests share it
	readyPoll    = 100 * time.Millisecond
)

// Worker is a Connect worker. The methods of its process stop it (Stop, in order, with a last commit of offsets), kill
// it and tell what it has logged and used. The caller must call Close.
type Worker struct {
	*procs.Proc
	config Config
	addr   string // of the REST interface
}

// Start fetches the jars if needed, starts a worker with its connectors and waits until its REST interface answers;
// connectors need some more time. ctx bounds the start alone, not the life of the worker.
func Start(ctx context.Context, config Config) (*Worker, error) {
	config = config.withDefaults()
	java, err := exec.LookPath("java")
	if err != nil {
		return nil, kafkaserver.ErrNoJava
	}
	jars, err := Fetch(ctx)
	if err != nil {
		return nil, err
	}
	ports, err := freeport.Pick(1)
	if err != nil {
		return nil, err
	}
	if err := config.write(ports[0]); err != nil {
		return nil, err
	}
	proc, err := procs.Start(procs.Config{Path: java, Dir: config.Dir, Args: config.arguments(jars)})
	if err != nil {
		return nil, fmt.Errorf("start a Connect worker: %w", err)
	}
	w := &Worker{Proc: proc, config: config, addr: fmt.Sprintf("127.0.0.1:%d", ports[0])}
	if err := w.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// awaitReady waits until the worker lists its connectors.
func (w *Worker) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("not ready within %v", readyTimeout))
	defer cancel()
	err := w.poll(ctx, func(ctx context.Context) error {
		_, err := w.request(ctx, http.MethodGet, "/connectors", nil)
		return err
	})
	if err != nil {
		return fmt.Errorf("start a Connect worker: %w", err)
	}
	return nil
}

// poll repeats check until it succeeds, and gives up when the worker ends.
func (w *Worker) poll(ctx context.Context, check func(context.Context) error) error {
	var ended error
	err := poll.Until(ctx, readyPoll, func(ctx context.Context) error {
		if !w.Running() {
			ended = errors.New("the Connect worker has ended")
			return nil
		}
		return check(ctx)
	})
	if err = errors.Join(err, ended); err != nil {
		return fmt.Errorf("%w; its last lines:\n%s", err, strings.TrimSpace(w.Tail(30)))
	}
	return nil
}

// Addr is host:port of the REST interface.
func (w *Worker) Addr() string { return w.addr }

// PropertiesFile is the file with the worker's properties.
func (w *Worker) PropertiesFile() string { return w.config.PropertiesFile() }
