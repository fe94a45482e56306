package security_test

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/test/internal/wait"
)

// peerCertificate is the server's certificate on a connection, in PEM.
func peerCertificate(conn *pgx.Conn) (string, error) {
	secured, ok := conn.PgConn().Conn().(*tls.Conn)
	if !ok {
		return "", errors.New("the connection has no TLS")
	}
	der := secured.ConnectionState().PeerCertificates[0].Raw
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), nil
}

// TestPasswordIsRotated changes the password at the server first, which ends nothing; the relay meets it when its
// sessions are cut, keeps trying, and goes on when its file says the new one.
func TestPasswordIsRotated(t *testing.T) {
	t.Parallel()
	d := newDatabase(t)
	secret := file(t, "password", []byte(password+"\n"))
	pgpass := func(password string) []byte {
		return fmt.Appendf(nil, "127.0.0.1:%d:%s:%s:%s\n", d.Server.Port(), d.Name, scramRole, escapePgpass(password))
	}
	passfile := file(t, "pgpass", pgpass(password))
	tests := []struct {
		name   string
		args   []string
		env    []string
		rotate func(password string)
	}{
		{"password file", []string{"-database.password.file", secret}, nil, func(password string) { write(t, secret, []byte(password+"\n")) }},
		{".pgpass", nil, []string{"PGPASSFILE=" + passfile}, func(password string) { write(t, passfile, pgpass(password)) }},
	}
	events, current := int64(0), password
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.rotate(current)
			r := stream(t, test.env, d.args(scramRole, "127.0.0.1", append(test.args, "-database.sslmode", "verify-full", "-database.sslrootcert", d.trust)...)...)
			current += "2"
			d.Exec(t, fmt.Sprintf("ALTER ROLE %s PASSWORD '%s'", scramRole, current))
			mark := r.Mark()
			d.cutOff(t, scramRole)
			d.insert(t, "{}")
			if _, err := r.WaitLog(wait.Context(t, within), mark, contains("password authentication failed")); err != nil {
				t.Fatal(err)
			}
			test.rotate(current)
			r.await(t, mark, "streaming")
			events++
			d.arrived(t, events)
			r.stop(t)
		})
	}
}
