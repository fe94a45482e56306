package certs_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"

	"github.com/outbox-relay/outbox-relay/test/certs"
)

func TestIssuedCertificatesVerify(t *testing.T) {
	t.Parallel()
	ours, err := certs.NewAuthority("ours")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := certs.NewAuthority("theirs")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		subject certs.Subject
		host    string
		roots   *x509.CertPool
		valid   bool
	}{
		{"by name", certs.Subject{Name: "a", DNS: []string{"db.internal"}}, "db.internal", ours.Pool(), true},
		{"by address", certs.Subject{Name: "a", IPs: []net.IP{net.IPv4(127, 0, 0, 1)}}, "127.0.0.1", ours.Pool(), true},
		{"another name", certs.Subject{Name: "a", DNS: []string{"db.internal"}}, "other", ours.Pool(), false},
		{"another authority", certs.Subject{Name: "a", DNS: []string{"db.internal"}}, "db.internal", theirs.Pool(), false},
		{"expired", certs.Subject{Name: "a", DNS: []string{"db.internal"}, Expired: true}, "db.internal", ours.Pool(), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			issued, err := ours.Issue(test.subject)
			if err != nil {
				t.Fatal(err)
			}
			pair, err := tls.X509KeyPair(issued.KeyStore(), issued.KeyStore())
			if err != nil {
				t.Fatal(err)
			}
			_, err = pair.Leaf.Verify(x509.VerifyOptions{DNSName: test.host, Roots: test.roots})
			if (err == nil) != test.valid {
				t.Errorf("got %v, want valid: %v", err, test.valid)
			}
		})
	}
}
