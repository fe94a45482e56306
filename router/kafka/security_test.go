package kafka_test

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

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
// password, with words of its own (kfake hangs up instead).
func refusesSASL(c *cluster) {
	c.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		resp.ErrorCode = 58
		resp.ErrorMessage = kmsg.StringPtr("Authentication failed: Invalid username or password")
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
