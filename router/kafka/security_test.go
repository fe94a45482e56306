package kafka_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

func password(p string) func() (string, error) {
	return func() (string, error) { return p, nil }
}

func TestSASL(t *testing.T) {
	t.Parallel()
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, kfake.EnableSASL(), kfake.Superuser(mechanism, "relay", "pässword"), kfake.SeedTopics(1, "a"))
			cfg := c.config()
			cfg.Security = kafka.Security{
				Protocol: "SASL_PLAINTEXT", SASLMechanism: mechanism, SASLUsername: "relay", SASLPassword: password("pässword"),
			}
			r := newRig(t, cfg)
			src := newSource(messages("a", 100, 3)...)
			r.runAll(t, src)
			if n := c.end("a"); n != 100 {
				t.Errorf("the log holds %d records", n)
			}
		})
	}
}

// refusesSASL answers every authentication as a real broker does to a wrong
// password (kfake hangs up instead).
func refusesSASL(c *cluster) {
	c.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		resp.ErrorCode = 58
		return resp, nil, true
	})
}

// A password that never worked is an error of the configuration, and not shown.
func TestWrongPassword(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "relay", "right"), kfake.SeedTopics(1, "a"))
	refusesSASL(c)
	cfg := c.config()
	cfg.Security = kafka.Security{
		Protocol: "SASL_PLAINTEXT", SASLMechanism: "PLAIN", SASLUsername: "relay", SASLPassword: password("top-secret"),
	}
	r := newRig(t, cfg)
	err := r.start(t, newSource()).wait()
	checkConfigError(t, err, "sasl.username, sasl.password", "SASL_AUTHENTICATION_FAILED")
	if text := err.Error() + r.log.String() + r.Status().LastError; strings.Contains(text, "top-secret") {
		t.Errorf("the password shows: %s", text)
	}
}

// A broker that hangs up instead of answering leaves a hint in the log.
func TestHungUpWhileAuthenticating(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "relay", "right"))
	cfg := c.config()
	cfg.Security = kafka.Security{
		Protocol: "SASL_PLAINTEXT", SASLMechanism: "PLAIN", SASLUsername: "relay", SASLPassword: password("wrong"),
	}
	r := newRig(t, cfg)
	r.start(t, newSource())
	eventually(t, "trouble", func() bool { return strings.Contains(r.Status().LastError, "sasl.mechanism PLAIN") })
}

func checkConfigError(t *testing.T, err error, option string, texts ...string) {
	t.Helper()
	var got *kafka.ConfigError
	if !errors.As(err, &got) {
		t.Fatalf("Run returned %v, want a ConfigError", err)
	}
	if got.Option != option {
		t.Errorf("the error is about %s, want %s: %v", got.Option, option, err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error does not say %q: %v", text, err)
		}
	}
}

// The password changes at the broker, later in our file: reconnecting goes on
// until it fits, with no restart and nothing lost.
func TestPasswordRotation(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.EnableSASL(), kfake.SeedTopics(1, "a"),
		kfake.Superuser("PLAIN", "admin", "admin"), kfake.Superuser("SCRAM-SHA-256", "relay", "old"))
	var current atomic.Value
	current.Store("old")
	cfg := c.config()
	cfg.Security = kafka.Security{
		Protocol: "SASL_PLAINTEXT", SASLMechanism: "SCRAM-SHA-256", SASLUsername: "relay",
		SASLPassword: func() (string, error) { return current.Load().(string), nil },
	}
	r := newRig(t, cfg)
	src := newSource(messages("a", 10, 3)...)
	run := r.start(t, src)
	src.await(t, 10)

	admin, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.SASL(plain.Auth{User: "admin", Pass: "admin"}.AsMechanism()))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if _, err := admin.Request(t.Context(), newPassword(t, "relay", "new")); err != nil {
		t.Fatal(err)
	}
	c.wire.cut()
	src.give(messages("a", 20, 3)[10:]...)
	eventually(t, "the old password refused", func() bool { s := r.Status(); return !s.Connected && !s.RetryingSince.IsZero() })
	current.Store("new")
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if n := c.end("a"); n != 20 {
		t.Errorf("the log holds %d records, want 20", n)
	}
}

func newPassword(t *testing.T, user, pass string) kmsg.Request {
	t.Helper()
	const iterations = 4096
	salt := []byte("0123456789abcdef")
	salted, err := pbkdf2.Key(sha256.New, pass, salt, iterations, sha256.Size)
	if err != nil {
		t.Fatal(err)
	}
	req := kmsg.NewPtrAlterUserSCRAMCredentialsRequest()
	up := kmsg.NewAlterUserSCRAMCredentialsRequestUpsertion()
	up.Name, up.Mechanism, up.Iterations, up.Salt, up.SaltedPassword = user, 1, iterations, salt, salted // 1 is SHA-256
	req.Upsertions = append(req.Upsertions, up)
	return req
}

// authority signs certificates for tests.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.key = newKey(t)
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.pem = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// issue returns key and certificate as Kafka's PEM key store holds them.
func (a *authority) issue(t *testing.T, name string, ips ...net.IP) []byte {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, IPAddresses: ips, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
}

func writeFile(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func serverTLS(t *testing.T, a *authority, keyStore []byte) *tls.Config {
	t.Helper()
	pair, err := tls.X509KeyPair(keyStore, keyStore)
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AddCert(a.cert)
	return &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: clients, ClientAuth: tls.VerifyClientCertIfGiven}
}

var loopback = net.IPv4(127, 0, 0, 1)

func TestTLS(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t), newAuthority(t)
	trust, wrongTrust := writeFile(t, "trust.pem", ours.pem), writeFile(t, "other.pem", theirs.pem)
	client := writeFile(t, "client.pem", ours.issue(t, "relay"))
	named, unnamed := ours.issue(t, "broker", loopback), ours.issue(t, "elsewhere.example")
	for _, c := range []struct {
		name     string
		broker   []byte
		mutual   bool
		security kafka.Security
		option   string // of the expected ConfigError
	}{
		{"trusted", named, false, kafka.Security{SSLTruststoreLocation: trust}, ""},
		{"client certificate", named, true, kafka.Security{SSLTruststoreLocation: trust, SSLKeystoreLocation: client}, ""},
		{"other authority", named, false, kafka.Security{SSLTruststoreLocation: wrongTrust}, "ssl.truststore.location"},
		{"other name", unnamed, false, kafka.Security{SSLTruststoreLocation: trust}, "ssl.truststore.location"},
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
	c := newCluster(t, kfake.TLS(serverTLS(t, a, a.issue(t, "broker", loopback))), kfake.EnableSASL(),
		kfake.Superuser("SCRAM-SHA-512", "relay", "password"), kfake.SeedTopics(1, "a"))
	cfg := c.config()
	cfg.Security = kafka.Security{
		Protocol: "SASL_SSL", SASLMechanism: "SCRAM-SHA-512", SASLUsername: "relay", SASLPassword: password("password"),
		SSLTruststoreLocation: writeFile(t, "trust.pem", a.pem),
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
	c := newCluster(t, kfake.TLS(serverTLS(t, a, a.issue(t, "broker", loopback))))
	r := newRig(t, c.config())
	r.start(t, newSource())
	eventually(t, "trouble", func() bool { return strings.Contains(r.Status().LastError, "security.protocol PLAINTEXT") })
}

// The authority is replaced under a running relay; the file is read anew.
func TestCertificateRotation(t *testing.T) {
	t.Parallel()
	first, second := newAuthority(t), newAuthority(t)
	var serving atomic.Pointer[tls.Config]
	serving.Store(serverTLS(t, first, first.issue(t, "broker", loopback)))
	c := newCluster(t, kfake.SeedTopics(1, "a"), kfake.TLS(&tls.Config{
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return serving.Load(), nil },
	}))
	trust := writeFile(t, "trust.pem", first.pem)
	cfg := c.config()
	cfg.Security = kafka.Security{Protocol: "SSL", SSLTruststoreLocation: trust}
	r := newRig(t, cfg)
	src := newSource(messages("a", 10, 3)...)
	run := r.start(t, src)
	src.await(t, 10)
	serving.Store(serverTLS(t, second, second.issue(t, "broker", loopback)))
	c.wire.cut()
	src.give(messages("a", 20, 3)[10:]...)
	eventually(t, "the new certificate refused", func() bool { return !r.Status().Connected })
	if err := os.WriteFile(trust, second.pem, 0o600); err != nil {
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
