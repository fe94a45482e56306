package kafka_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/outbox-relay/outbox-relay/router/kafka"
	"github.com/outbox-relay/outbox-relay/test/certs"
)

// authority signs certificates for tests.
type authority struct{ *certs.Authority }

func newAuthority(t *testing.T) authority {
	t.Helper()
	a, err := certs.NewAuthority("test authority")
	if err != nil {
		t.Fatal(err)
	}
	return authority{a}
}

// issue returns key and certificate as Kafka's PEM key store holds them.
func (a authority) issue(t *testing.T, s certs.Subject) []byte {
	t.Helper()
	issued, err := a.Issue(s)
	if err != nil {
		t.Fatal(err)
	}
	return issued.KeyStore()
}

// issueEncrypted is a key store with the encrypted key of testdata/keys.
func (a authority) issueEncrypted(t *testing.T, name string) []byte {
	t.Helper()
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join("testdata", "keys", name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	block, _ := pem.Decode(read("public.pem"))
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := a.Sign(certs.Subject{Name: name}, public)
	if err != nil {
		t.Fatal(err)
	}
	return append(read("aes256-sha256.pem"), cert...)
}

// apart splits a key store into key and chain.
func apart(t *testing.T, store []byte) (key, chain string) {
	t.Helper()
	block, rest := pem.Decode(store)
	return string(pem.EncodeToMemory(block)), string(rest)
}

// broker is the subject of a broker's certificate, client that of the relay's.
var (
	broker = certs.Subject{Name: "broker", IPs: []net.IP{net.IPv4(127, 0, 0, 1)}}
	client = certs.Subject{Name: "relay"}
)

func writeFile(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func serverTLS(t *testing.T, a authority, keyStore []byte) *tls.Config {
	t.Helper()
	pair, err := tls.X509KeyPair(keyStore, keyStore)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: a.Pool(), ClientAuth: tls.VerifyClientCertIfGiven}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	trust, wrongTrust := writeFile(t, "trust.pem", ours.Certificate()), writeFile(t, "other.pem", theirs.Certificate())
	ownStore := writeFile(t, "client.pem", ours.issue(t, client))
	named, unnamed := ours.issue(t, broker), ours.issue(t, certs.Subject{Name: "elsewhere", DNS: []string{"elsewhere.example"}})
	key, chain := apart(t, ours.issue(t, client))
	encrypted := writeFile(t, "encrypted.pem", ours.issueEncrypted(t, "relay"))
	for _, c := range []struct {
		name     string
		broker   []byte
		mutual   bool
		security kafka.Security
		option   string // of the expected ConfigError
	}{
		{"trusted", named, false, kafka.Security{SSLTruststoreLocation: trust}, ""},
		{"client certificate", named, true, kafka.Security{SSLTruststoreLocation: trust, SSLKeystoreLocation: ownStore}, ""},
		{"other authority", named, false, kafka.Security{SSLTruststoreLocation: wrongTrust}, "ssl.truststore.location"},
		{"other name", unnamed, false, kafka.Security{SSLTruststoreLocation: trust}, "ssl.endpoint.identification.algorithm"},
		{"expired", ours.issue(t, certs.Subject{Name: "broker", IPs: broker.IPs, Expired: true}), false, kafka.Security{SSLTruststoreLocation: trust}, "ssl.truststore.location"},
		{"stores as text", named, true, kafka.Security{SSLTruststoreCertificates: string(ours.Certificate()), SSLKeystoreKey: password(key), SSLKeystoreCertificateChain: chain}, ""},
		{"no certificate in text", named, false, kafka.Security{SSLTruststoreCertificates: "none"}, "ssl.truststore.certificates"},
		{"key that is none", named, true, kafka.Security{SSLTruststoreLocation: trust, SSLKeystoreKey: password("none"), SSLKeystoreCertificateChain: chain}, "ssl.keystore.key"},
		{"encrypted key", named, true, kafka.Security{SSLTruststoreLocation: trust, SSLKeystoreLocation: encrypted, SSLKeyPassword: password("open-sesame")}, ""},
		{"encrypted key without its password", named, true, kafka.Security{SSLTruststoreLocation: trust, SSLKeystoreLocation: encrypted}, "ssl.key.password"},
		{"encrypted key with another password", named, true, kafka.Security{SSLTruststoreLocation: trust, SSLKeystoreLocation: encrypted, SSLKeyPassword: password("geheim")}, "ssl.key.password"},
		{"name not compared", unnamed, false, kafka.Security{SSLTruststoreLocation: trust, SSLEndpointIdentificationAlgorithm: "none"}, ""},
		{"authority still compared", unnamed, false, kafka.Security{SSLTruststoreLocation: wrongTrust, SSLEndpointIdentificationAlgorithm: "none"}, "ssl.truststore.location"},
		{"client certificate missing", named, true, kafka.Security{SSLTruststoreLocation: trust}, "ssl.keystore.location"},
		{"missing file", named, false, kafka.Security{SSLTruststoreLocation: trust + ".missing"}, "ssl.truststore.location"},
		{"no certificate in file", named, false, kafka.Security{SSLTruststoreLocation: writeFile(t, "empty.pem", nil)}, "ssl.truststore.location"},
		{"key store without a key", named, false, kafka.Security{SSLTruststoreLocation: trust, SSLKeystoreLocation: trust}, "ssl.keystore.location"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conf := serverTLS(t, ours, c.broker)
			if c.mutual {
				conf.ClientAuth = tls.RequireAndVerifyClientCert
			}
			cl := newCluster(t, kfake.TLS(conf), kfake.SeedTopics(1, "a"))
			cfg := cl.config()
			c.security.Protocol = "SSL"
			cfg.Security = c.security
			r := newRig(t, cfg)
			src := newSource(messages("a", 10, 3)...)
			src.close()
			err := r.start(t, src).wait()
			if c.option != "" {
				checkConfigError(t, err, c.option)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if n := cl.end("a"); n != 10 {
				t.Errorf("the log holds %d records", n)
			}
		})
	}
}

func TestSASLOverTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	c := newCluster(t, kfake.TLS(serverTLS(t, a, a.issue(t, broker))), kfake.EnableSASL(),
		kfake.Superuser("SCRAM-SHA-512", "relay", "password"), kfake.SeedTopics(1, "a"))
	cfg := c.config()
	cfg.Security = kafka.Security{
		Protocol: "SASL_SSL", SASLMechanism: "SCRAM-SHA-512", SASLUsername: "relay", SASLPassword: password("password"),
		SSLTruststoreLocation: writeFile(t, "trust.pem", a.Certificate()),
	}
	src := newSource(messages("a", 10, 3)...)
	newRig(t, cfg).runAll(t, src)
	if n := c.end("a"); n != 10 {
		t.Errorf("the log holds %d records", n)
	}
}

// A client without TLS before a listener with it: a hint, not a riddle.
func TestPlaintextToTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	c := newCluster(t, kfake.TLS(serverTLS(t, a, a.issue(t, broker))))
	r := newRig(t, c.config())
	r.start(t, newSource())
	eventually(t, "trouble", func() bool { return strings.Contains(r.Status().LastError, "security.protocol PLAINTEXT") })
}

// The authority is replaced under a running relay; the file is read anew.
func TestCertificateRotation(t *testing.T) {
	t.Parallel()
	first, second := newAuthority(t), newAuthority(t)
	var serving atomic.Pointer[tls.Config]
	serving.Store(serverTLS(t, first, first.issue(t, broker)))
	c := newCluster(t, kfake.SeedTopics(1, "a"), kfake.TLS(&tls.Config{
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return serving.Load(), nil },
	}))
	trust := writeFile(t, "trust.pem", first.Certificate())
	cfg := c.config()
	cfg.Security = kafka.Security{Protocol: "SSL", SSLTruststoreLocation: trust}
	r := newRig(t, cfg)
	src := newSource(messages("a", 10, 3)...)
	run := r.start(t, src)
	src.await(t, 10)
	serving.Store(serverTLS(t, second, second.issue(t, broker)))
	c.wire.cut()
	src.give(messages("a", 20, 3)[10:]...)
	eventually(t, "the new certificate refused", func() bool { return !r.Status().Connected })
	if err := os.WriteFile(trust, second.Certificate(), 0o600); err != nil {
		t.Fatal(err)
	}
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if n := c.end("a"); n != 20 {
		t.Errorf("the log holds %d records, want 20", n)
	}
}
