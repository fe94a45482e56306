package security_test

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/test/certs"
	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kfaketest"
	"github.com/outbox-relay/outbox-relay/test/pgserver"
	"github.com/outbox-relay/outbox-relay/test/pgtest"

	"context"
	"strings"
	"time"
)

// database is a PostgreSQL server that wants TLS from everybody but the tests themselves, with one database that is
// ready for a relay, and brokers that let everybody in.
type database struct {
	*pgtest.DB
	own, other  *certs.Authority
	trust       string // PEM file with own
	wrongTrust  string
	bootstrap   string
	cluster     *kfake.Cluster
	slot, topic string
}

// The roles of the server.
const (
	scramRole = "scram_relay"
	certRole  = "cert_relay"
	password  = "a:pass/word@with?all#of%it"
)

var loopback = []net.IP{net.IPv4(127, 0, 0, 1)}

func newDatabase(t *testing.T) *database {
	t.Helper()
	d := &database{own: authority(t, "own"), other: authority(t, "other"), slot: unique("slot_"), topic: "outbox.event.Order"}
	d.trust, d.wrongTrust = file(t, "own.pem", d.own.Certificate()), file(t, "other.pem", d.other.Certificate())
	certificate := issue(t, d.own, certs.Subject{Name: "server", IPs: loopback})
	server := pgtest.New(t, pgserver.Config{
		Settings: map[string]string{"ssl": "on", "ssl_ca_file": "root.crt", "password_encryption": "scram-sha-256"},
		Files: map[string][]byte{
			"server.crt": certificate.Certificate, "server.key": certificate.Key, "root.crt": d.own.Certificate(),
			"pg_hba.conf": []byte("host all postgres 127.0.0.1/32 trust\n" +
				"hostssl all " + scramRole + " all scram-sha-256\n" +
				"hostssl all " + certRole + " all cert\n"),
		},
	})
	d.DB = pgtest.CreateDB(t, server)
	for _, sql := range []string{
		fmt.Sprintf("CREATE ROLE %s LOGIN REPLICATION PASSWORD '%s'", scramRole, password),
		"CREATE ROLE " + certRole + " LOGIN REPLICATION", schema.DDL,
		"CREATE PUBLICATION outbox_relay FOR TABLE outbox WITH (publish = 'insert')",
	} {
		d.Exec(t, sql)
	}
	d.bootstrap, d.cluster = kfaketest.New(t, 1, []string{d.topic})
	return d
}

// args are a relay's, for a role on a host.
func (d *database) args(role, host string, extra ...string) []string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Host: fmt.Sprintf("%s:%d", host, d.Server.Port()), Path: "/" + d.Name}
	return append([]string{"-database.url", u.String(), "-slot.name", d.slot, "-bootstrap.servers", d.bootstrap}, extra...)
}

func (d *database) insert(t testing.TB, payload string) {
	t.Helper()
	d.Exec(t, "INSERT INTO outbox VALUES (gen_random_uuid(), 'Order', '1', 'Created', $1)", payload)
}

// arrived waits until the topic holds so many events.
func (d *database) arrived(t testing.TB, events int64) {
	t.Helper()
	err := poll.Until(wait.Context(t, within), 20*time.Millisecond, func(context.Context) error {
		if got := d.cluster.PartitionInfo(d.topic, 0).HighWatermark; got != events {
			return fmt.Errorf("%d events have arrived, want %d", got, events)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// cutOff ends the sessions of a role.
func (d *database) cutOff(t testing.TB, role string) {
	t.Helper()
	d.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", role)
}

func TestPostgreSQLTLS(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	byPassword := []string{"PGPASSWORD=" + password}
	cert := issue(t, d.own, certs.Subject{Name: certRole})
	foreign := issue(t, d.other, certs.Subject{Name: certRole})
	somebody := issue(t, d.own, certs.Subject{Name: "somebody"})
	client := func(i certs.Issued) []string {
		return []string{"-database.sslmode", "verify-full", "-database.sslrootcert", d.trust,
			"-database.sslcert", file(t, "client.crt", i.Certificate), "-database.sslkey", file(t, "client.key", i.Key)}
	}
	tests := []struct {
		name, role, host string
		args             []string
		option           string // that is to be changed; "" if there is nothing wrong
	}{
		{"disable", scramRole, "127.0.0.1", []string{"-database.sslmode", "disable"}, "-database.sslmode"},
		{"allow", scramRole, "127.0.0.1", []string{"-database.sslmode", "allow"}, ""},
		{"prefer", scramRole, "127.0.0.1", []string{"-database.sslmode", "prefer"}, ""},
		{"require", scramRole, "127.0.0.1", []string{"-database.sslmode", "require"}, ""},
		{"verify-ca", scramRole, "localhost", []string{"-database.sslmode", "verify-ca", "-database.sslrootcert", d.trust}, ""},
		{"verify-full", scramRole, "127.0.0.1", []string{"-database.sslmode", "verify-full", "-database.sslrootcert", d.trust}, ""},
		{"another name", scramRole, "localhost", []string{"-database.sslmode", "verify-full", "-database.sslrootcert", d.trust}, "-database.hostname"},
		{"another authority, verify-full", scramRole, "127.0.0.1", []string{"-database.sslmode", "verify-full", "-database.sslrootcert", d.wrongTrust}, "-database.sslrootcert"},
		{"another authority, verify-ca", scramRole, "127.0.0.1", []string{"-database.sslmode", "verify-ca", "-database.sslrootcert", d.wrongTrust}, "-database.sslrootcert"},
		{"the system's authorities", scramRole, "127.0.0.1", []string{"-database.sslmode", "verify-full", "-database.sslrootcert", "system"}, "-database.sslrootcert"},
		{"authority missing", scramRole, "127.0.0.1", []string{"-database.sslrootcert", d.trust + ".none"}, "database.sslrootcert"},
		{"key missing", certRole, "127.0.0.1", []string{"-database.sslmode", "require", "-database.sslcert", d.trust, "-database.sslkey", d.trust + ".none"}, "database.sslkey"},
		{"channel binding", scramRole, "127.0.0.1", []string{"-database.sslmode", "verify-full", "-database.sslrootcert", d.trust}, ""},
		{"client certificate", certRole, "127.0.0.1", client(cert), ""},
		{"no client certificate", certRole, "127.0.0.1", []string{"-database.sslmode", "require"}, "-database.sslcert"},
		{"client certificate of another authority", certRole, "127.0.0.1", client(foreign), "-database.sslcert"},
		{"client certificate of somebody else", certRole, "127.0.0.1", client(somebody), "-database.sslcert"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			env, args := byPassword, d.args(test.role, test.host, test.args...)
			if test.role == certRole {
				env = nil
			}
			if test.name == "channel binding" {
				env = append(env, "PGCHANNELBINDING=require")
			}
			if test.option == "" {
				accepted(t, env, args...)
				return
			}
			refused(t, env, test.option, args...)
		})
	}
}

// Channel binding cannot be had without TLS, nor TLS from a server without it.
func TestPostgreSQLWithoutTLS(t *testing.T) {
	t.Parallel()
	server := pgtest.New(t, pgserver.Config{Password: password})
	dsn := server.DSN("postgres")
	refused(t, []string{"PGCHANNELBINDING=require"}, "channel binding required", "-database.url", dsn, "-bootstrap.servers", "127.0.0.1:1")
	refused(t, nil, "-database.sslmode prefer", "-database.url", strings.Replace(dsn, "disable", "require", 1), "-bootstrap.servers", "127.0.0.1:1")
}

// An expired certificate is refused, and a renewed one taken without a restart.
func TestServerCertificateExpiresAndIsRenewed(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	args := d.args(scramRole, "127.0.0.1", "-database.sslmode", "verify-full", "-database.sslrootcert", d.trust)
	env := []string{"PGPASSWORD=" + password}
	r := stream(t, env, args...)
	d.certify(t, certs.Subject{Name: "server", IPs: loopback, Expired: true})
	refused(t, env, "renew the server's certificate", args...)
	mark := r.Mark()
	d.cutOff(t, scramRole)
	r.await(t, mark, "replication session lost, connecting again")
	d.certify(t, certs.Subject{Name: "server", IPs: loopback})
	r.await(t, mark, "streaming")
	d.insert(t, "{}")
	d.arrived(t, 1)
	r.stop(t)
}

// certify replaces the server's certificate and waits until it is in use.
func (d *database) certify(t testing.TB, s certs.Subject) {
	t.Helper()
	i := issue(t, d.own, s)
	for name, content := range map[string][]byte{"server.crt": i.Certificate, "server.key": i.Key} {
		if err := d.Server.WriteFile(name, content); err != nil {
			t.Fatal(err)
		}
	}
	d.Exec(t, "SELECT pg_reload_conf()")
	config, err := pgx.ParseConfig(strings.Replace(d.DSN, "disable", "require", 1))
	if err != nil {
		t.Fatal(err)
	}
	err = poll.Until(wait.Context(t, within), 20*time.Millisecond, func(ctx context.Context) error {
		conn, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		var serving string
		if serving, err = peerCertificate(conn); err != nil {
			return err
		}
		if serving != string(i.Certificate) {
			return os.ErrNotExist
		}
		return nil
	})
	if err != nil {
		t.Fatalf("wait for the new certificate: %v", err)
	}
}
