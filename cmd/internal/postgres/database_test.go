package postgres_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/outbox-relay/outbox-relay/cmd/internal/postgres"
)

func TestConnectionString(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                       string
		d                          postgres.Database
		host, user, dbname, secret string
		port                       uint16
	}{
		{"a URL", postgres.Database{URL: "postgres://u:p@h:1/d?sslmode=disable"}, "h", "u", "d", "p", 1},
		{"keywords", postgres.Database{URL: "host=h port=1 user=u dbname=d password='p q' sslmode=disable"}, "h", "u", "d", "p q", 1},
		{"options alone", postgres.Database{Hostname: "h", Port: 1, User: "u", DBName: "d", Password: `p'\ "`, SSLMode: "disable"}, "h", "u", "d", `p'\ "`, 1},
		{"options beat the URL", postgres.Database{URL: "postgres://x:y@z:2/w?sslmode=disable", Hostname: "h", Port: 1, User: "u", DBName: "d", Password: "p &=+?"}, "h", "u", "d", "p &=+?", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := tt.d.Connect()
			if err != nil {
				t.Fatal(err)
			}
			if c.Host != tt.host || c.User != tt.user || c.Database != tt.dbname || c.Password != tt.secret || c.Port != tt.port {
				t.Errorf("got %s@%s:%d/%s, or another password", c.User, c.Host, c.Port, c.Database)
			}
		})
	}
}

// The password file is read at each connect, so that a rotated password is found.
func TestPasswordFileIsReadAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "password")
	d := postgres.Database{URL: "postgres://u@h/d", PasswordFile: file}
	for _, password := range []string{"first", "second"} {
		if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if c, err := d.Connect(); err != nil || c.Password != password {
			t.Errorf("connect did not take %q from the file: %v", password, err)
		}
	}
}
