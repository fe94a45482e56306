package security_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/test/internal/poll"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
)

// sessionsThatEnd relays over several lifetimes of a token: the broker ends a session whose token has expired, unless
// the client has brought a new one (KIP-368).
func sessionsThatEnd(t *testing.T, c *cluster) {
	o := newOutbox(t, c)
	c.allow(t, clientID, o.topic, kmsg.ACLOperationWrite)
	r := stream(t, nil, o.args("", c.secured(t)["OAUTHBEARER"]...)...)
	before, events := c.issuer.given.Load(), 0
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	err := poll.Until(ctx, 200*time.Millisecond, func(context.Context) error {
		o.insert(t)
		events++
		if n := c.issuer.given.Load() - before; n < 6 {
			return fmt.Errorf("%d more tokens were asked for", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	o.arrived(t, c, events)
	r.stop(t)
}

// passwordRotated changes the password at the broker and then in the file. The broker restarts in between, so that the
// relay has to log in again.
func passwordRotated(t *testing.T, c *cluster) {
	o := newOutbox(t, c)
	c.allow(t, saslUser, o.topic, kmsg.ACLOperationWrite)
	secret := file(t, "rotating", []byte(saslPassword))
	args := o.args("", append(c.secured(t)["SCRAM-SHA-512"], "-sasl.password.file", secret)...)
	r := stream(t, nil, args...)
	o.insert(t)
	o.arrived(t, c, 1)
	admin := kadm.NewClient(kafkatest.NewClient(t, c.Cluster))
	rotated := saslPassword + "2"
	results, err := admin.AlterUserSCRAMs(wait.Context(t, within), nil, []kadm.UpsertSCRAM{{User: saslUser, Mechanism: kadm.ScramSha512, Iterations: 4096, Password: rotated}})
	if err == nil {
		err = results.Error()
	}
	if err != nil {
		t.Fatal(err)
	}
	mark := r.Mark()
	if err := c.Stop(wait.Context(t, within), 0); err != nil {
		t.Fatal(err)
	}
	if err := c.StartBroker(wait.Context(t, within), 0); err != nil {
		t.Fatal(err)
	}
	o.insert(t)
	if _, err := r.WaitLog(wait.Context(t, within), mark, contains("SASL_AUTHENTICATION_FAILED")); err != nil {
		t.Fatal(err)
	}
	write(t, secret, []byte(rotated))
	o.arrived(t, c, 2)
	r.stop(t)
}
