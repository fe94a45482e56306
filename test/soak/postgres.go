package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/pgserver"
)

// postgresKinds are the faults of the database server and of the process that serves the relay.
func postgresKinds() []*kind {
	return []*kind{
		{name: "pg-restart-fast", uses: database, weight: 3, do: restart(pgserver.Fast)},
		{name: "pg-restart-immediate", uses: database, weight: 4, do: restart(pgserver.Immediate)},
		{name: "postmaster-kill", uses: database, weight: 4, do: killPostmaster},
		{name: "pg-freeze", uses: database, weight: 3, stops: true, gentle: true, do: freezePostgres},
		{name: "walsender-terminate", uses: database, weight: 5, do: terminateWalsender},
		{name: "walsender-kill", uses: database, weight: 4, do: onWalsender(syscall.SIGKILL, 0)},
		{name: "walsender-freeze", uses: database, weight: 4, stops: true, gentle: true, do: onWalsender(syscall.SIGSTOP, syscall.SIGCONT)},
	}
}

// restartTimeout is longer than a fast shutdown waits for a relay whose brokers are away.
const restartTimeout = time.Minute

// restart takes the server away for as long as the fault lasts.
func restart(mode pgserver.Mode) func(context.Context, *round, fault) error {
	return func(ctx context.Context, r *round, f fault) error {
		s := r.stand.postgres
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restartTimeout)
		defer cancel()
		if err := s.Stop(ctx, mode); err != nil {
			return fmt.Errorf("stop PostgreSQL: %w", err)
		}
		pause(ctx, f.lasts/2)
		return s.Start(ctx)
	}
}

func killPostmaster(ctx context.Context, r *round, f fault) error {
	s := r.stand.postgres
	if err := s.Kill(); err != nil {
		return fmt.Errorf("kill the postmaster: %w", err)
	}
	pause(ctx, f.lasts/2)
	return s.Start(context.WithoutCancel(ctx))
}

func freezePostgres(ctx context.Context, r *round, f fault) error {
	s := r.stand.postgres
	if err := s.Pause(); err != nil {
		return fmt.Errorf("freeze PostgreSQL: %w", err)
	}
	pause(ctx, f.lasts)
	return s.Resume()
}

// terminateWalsender is what an operator or a failover does, several times.
func terminateWalsender(ctx context.Context, r *round, f fault) error {
	times := 1 + int(f.lot%3)
	for range times {
		err := r.withConn(ctx, func(conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, `SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = $1 AND active_pid IS NOT NULL`, r.slot)
			return err
		})
		if err != nil {
			return fmt.Errorf("terminate the walsender: %w", err)
		}
		pause(ctx, f.lasts/time.Duration(times))
	}
	return nil
}

// onWalsender sends a signal to the process that serves the relay, and another one when the fault is over; it may have
// gone by then. SIGKILL makes the postmaster end all sessions and recover as after a crash.
func onWalsender(begin, end syscall.Signal) func(context.Context, *round, fault) error {
	return func(ctx context.Context, r *round, f fault) error {
		pid, err := r.walsender(ctx)
		if err != nil || pid == 0 {
			return err
		}
		if err := signalProcess(pid, begin); err != nil {
			return err
		}
		pause(ctx, f.lasts)
		if end == 0 {
			return nil
		}
		return signalProcess(pid, end)
	}
}

func signalProcess(pid int, sig syscall.Signal) error {
	if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("send %v to process %d: %w", sig, pid, err)
	}
	return nil
}

// walsender is the process that reads the round's slot; 0 if there is none now.
func (r *round) walsender(ctx context.Context) (pid int, err error) {
	err = r.withConn(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT coalesce(max(active_pid), 0) FROM pg_replication_slots WHERE slot_name = $1`, r.slot).Scan(&pid)
	})
	if err != nil {
		return 0, fmt.Errorf("look for the walsender: %w", err)
	}
	return pid, nil
}
