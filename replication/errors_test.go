package replication_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outbox-relay/outbox-relay/replication"
)

func sqlState(code string) error {
	return fmt.Errorf("somewhere: %w", &pgconn.PgError{Code: code, Message: "m"})
}

func TestClassOf(t *testing.T) {
	t.Parallel()
	_, badDSN := pgx.ParseConfig("postgres://h:port/")
	tests := []struct {
		name   string
		err    error
		class  replication.Class
		reason string
	}{
		{"no error", nil, replication.Transient, ""},
		{"admin kill", sqlState("57P01"), replication.Transient, "admin_shutdown"},
		{"crash", sqlState("57P02"), replication.Transient, "crash_shutdown"},
		{"starting up", sqlState("57P03"), replication.Transient, "cannot_connect_now"},
		{"slot in use", sqlState("55006"), replication.Transient, "slot_active"},
		{"no walsender free", sqlState("53300"), replication.Transient, "too_many_connections"},
		{"disk full", sqlState("53100"), replication.Transient, "resources"},
		{"connection failure", sqlState("08006"), replication.Transient, "connection"},
		{"internal", sqlState("XX000"), replication.Transient, "internal"},
		{"of no known class", sqlState("P0001"), replication.Transient, "other"},
		{"no slot free", sqlState("53400"), replication.Configuration, "no_free_slot"},
		{"wrong password", sqlState("28P01"), replication.Configuration, "auth"},
		{"pg_hba.conf", sqlState("28000"), replication.Configuration, "auth"},
		{"no such database", sqlState("3D000"), replication.Configuration, "no_database"},
		{"not allowed", sqlState("42501"), replication.Configuration, "privilege"},
		{"standby", sqlState("25006"), replication.Configuration, "read_only"},
		{"lost slot, among others", sqlState("55000"), replication.Human, "object_state"},
		{"missing slot, among others", sqlState("42704"), replication.Human, "undefined_object"},
		{"bytes that are no UTF-8", sqlState("22021"), replication.Human, "data"},
		{"end of the connection", fmt.Errorf("read: %w", io.ErrUnexpectedEOF), replication.Transient, "eof"},
		{"deadline", fmt.Errorf("read: %w", os.ErrDeadlineExceeded), replication.Transient, "timeout"},
		{"context", context.DeadlineExceeded, replication.Transient, "timeout"},
		{"name not found", &net.DNSError{Name: "db"}, replication.Transient, "dns"},
		{"refused", &net.OpError{Op: "dial", Err: errors.New("refused")}, replication.Transient, "network"},
		{"unknown authority", fmt.Errorf("tls: %w", x509.UnknownAuthorityError{}), replication.Configuration, "tls"},
		{"server without TLS", errors.New("server refused TLS connection"), replication.Configuration, "tls"},
		{"no channel binding", errors.New("channel binding required but server does not support SCRAM-SHA-256-PLUS"), replication.Configuration, "tls"},
		{"certificate refused by the server", fmt.Errorf("read: %w", &net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")}), replication.Configuration, "tls"},
		{"bad connection string", badDSN, replication.Configuration, "connection_string"},
		{"silence", fmt.Errorf("read: %w", replication.ErrServerSilent), replication.Transient, "silent"},
		{"orderly end", replication.ErrStreamEnded, replication.Transient, "stream_ended"},
		{"found where it arose", &replication.Problem{Class: replication.Human, Reason: "x", Err: sqlState("57P01")}, replication.Human, "x"},
		{"anything else", errors.New("?"), replication.Transient, "other"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if class, reason := replication.ClassOf(tt.err), replication.Reason(tt.err); class != tt.class || reason != tt.reason {
				t.Errorf("got class %d, reason %q; want class %d, reason %q", class, reason, tt.class, tt.reason)
			}
		})
	}
}

// A password that stops working under a running relay is being rotated; one that
// never worked is a mistake (pain D03).
func TestRetryableAuthentication(t *testing.T) {
	t.Parallel()
	err := sqlState("28P01")
	if replication.Retryable(err, false) || !replication.Retryable(err, true) {
		t.Error("want a wrong password to be retried only after the relay has streamed")
	}
	if replication.Retryable(sqlState("55000"), true) {
		t.Error("a lost slot is not mended by trying again")
	}
}
