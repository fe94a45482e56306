package security_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/schema"
	"github.com/outbox-relay/outbox-relay/test/certs"
	"github.com/outbox-relay/outbox-relay/test/internal/wait"
	"github.com/outbox-relay/outbox-relay/test/kafkaserver"
	"github.com/outbox-relay/outbox-relay/test/kafkatest"
	"github.com/outbox-relay/outbox-relay/test/pgtest"
)

// cluster is a broker with a way in for each kind of proof, and ACLs.
type cluster struct {
	*kafkaserver.Cluster
	own, other        *certs.Authority
	trust, wrongTrust string
	issuer            *issuer
}

// The users of the broker.
const (
	saslUser     = "relay-user"
	saslPassword = "Xy7MarkerSaslPassword"
	certSubject  = "relay-cert"
)

// tokenLife is short, so that sessions end under a relay's hands: the broker wants a new token before.
const tokenLife = 6 * time.Second

func newBroker(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{own: authority(t, "own"), other: authority(t, "other"), issuer: newIssuer(t, tokenLife)}
	c.trust, c.wrongTrust = file(t, "own.pem", c.own.Certificate()), file(t, "other.pem", c.other.Certificate())
	store := file(t, "broker.pem", issue(t, c.own, certs.Subject{Name: "broker", IPs: loopback}).KeyStore())
	const package_ = "org.apache.kafka.common.security."
	settings := map[string]string{
		"authorizer.class.name":                                              "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
		"super.users":                                                        "User:ANONYMOUS", // the tests and the brokers themselves
		"listener.name.mtls.ssl.client.auth":                                 "required",
		"listener.name.scram.sasl.enabled.mechanisms":                        "SCRAM-SHA-256,SCRAM-SHA-512,PLAIN",
		"listener.name.scram.scram-sha-256.sasl.jaas.config":                 package_ + "scram.ScramLoginModule required;",
		"listener.name.scram.scram-sha-512.sasl.jaas.config":                 package_ + "scram.ScramLoginModule required;",
		"listener.name.scram.plain.sasl.jaas.config":                         package_ + `plain.PlainLoginModule required user_` + saslUser + `="` + saslPassword + `";`,
		"listener.name.oauth.sasl.enabled.mechanisms":                        "OAUTHBEARER",
		"listener.name.oauth.oauthbearer.sasl.jaas.config":                   package_ + "oauthbearer.OAuthBearerLoginModule required;",
		"listener.name.oauth.oauthbearer.sasl.server.callback.handler.class": package_ + "oauthbearer.OAuthBearerValidatorCallbackHandler",
		"listener.name.oauth.sasl.oauthbearer.jwks.endpoint.url":             c.issuer.URL + "/keys",
		"listener.name.oauth.sasl.oauthbearer.expected.audience":             audience,
		"listener.name.oauth.sasl.oauthbearer.expected.issuer":               c.issuer.URL,
		"listener.name.oauth.oauthbearer.connections.max.reauth.ms":          "3600000",
	}
	for _, name := range []string{"mtls", "scram", "oauth"} {
		for setting, value := range map[string]string{"keystore.type": "PEM", "keystore.location": store, "truststore.type": "PEM", "truststore.location": c.trust} {
			settings["listener.name."+name+".ssl."+setting] = value
		}
	}
	c.Cluster = kafkatest.New(t, kafkaserver.Config{
		Settings:   settings,
		Listeners:  map[string]string{"MTLS": "SSL", "SCRAM": "SASL_SSL", "OAUTH": "SASL_SSL"},
		FormatArgs: []string{"--add-scram", scramUser("SCRAM-SHA-256", saslPassword), "--add-scram", scramUser("SCRAM-SHA-512", saslPassword)},
		JVMFlags:   []string{"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=" + c.issuer.URL + "/keys"},
	})
	return c
}

func scramUser(mechanism, password string) string {
	return fmt.Sprintf("%s=[name=%s,password=%s]", mechanism, saslUser, password)
}

// allow lets a user do something with a topic.
func (c *cluster) allow(t testing.TB, user, topic string, operations ...kmsg.ACLOperation) {
	t.Helper()
	admin := kadm.NewClient(kafkatest.NewClient(t, c.Cluster))
	acls := kadm.NewACLs().Allow("User:" + user).AllowHosts().Topics(topic).Operations(operations...).ResourcePatternType(kadm.ACLPatternLiteral)
	results, err := admin.CreateACLs(wait.Context(t, within), acls)
	if err == nil {
		for _, r := range results {
			if r.Err != nil {
				err = r.Err
			}
		}
	}
	if err != nil {
		t.Fatalf("allow %s %v on %s: %v", user, operations, topic, err)
	}
}

// outbox is a database that lets the relay in without proof, with a topic of its own.
type outbox struct {
	*pgtest.DB
	topic string
}

func newOutbox(t *testing.T, c *cluster) *outbox {
	t.Helper()
	o := &outbox{DB: pgtest.NewDB(t), topic: unique("orders.")}
	o.Exec(t, schema.DDL)
	kafkatest.Topic(t, c.Cluster, o.topic, 1)
	return o
}

// args are a relay's that sends everything to one topic.
func (o *outbox) args(bootstrap string, extra ...string) []string {
	return append([]string{"-database.url", o.DSN, "-slot.name", strings.ReplaceAll(o.topic, ".", "_"), "-route.topic.replacement", o.topic, "-bootstrap.servers", bootstrap}, extra...)
}

func (o *outbox) insert(t testing.TB) {
	t.Helper()
	o.Exec(t, "INSERT INTO outbox VALUES (gen_random_uuid(), 'Order', '1', 'Created', '{}')")
}

// arrived reads so many events as another client.
func (o *outbox) arrived(t testing.TB, c *cluster, events int) {
	t.Helper()
	client := kafkatest.NewClient(t, c.Cluster, kgo.ConsumeTopics(o.topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	for got := 0; got < events; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("%d of %d events have arrived: %v", got, events, err)
		}
		got += fetches.NumRecords()
	}
}

// secured are the ways into the broker, by name, each with what it takes.
func (c *cluster) secured(t testing.TB) map[string][]string {
	t.Helper()
	store := file(t, "relay.pem", issue(t, c.own, certs.Subject{Name: certSubject}).KeyStore())
	secret := file(t, "sasl", []byte(saslPassword+"\n"))
	oauth := file(t, "oauth", []byte(clientSecret+"\n"))
	scram := func(mechanism string) []string {
		return []string{"-bootstrap.servers", c.ListenerBootstrap("SCRAM"), "-security.protocol", "SASL_SSL", "-sasl.mechanism", mechanism,
			"-sasl.username", saslUser, "-sasl.password.file", secret, "-ssl.truststore.location", c.trust}
	}
	return map[string][]string{
		"mTLS":          {"-bootstrap.servers", c.ListenerBootstrap("MTLS"), "-security.protocol", "SSL", "-ssl.truststore.location", c.trust, "-ssl.keystore.location", store},
		"PLAIN":         scram("PLAIN"),
		"SCRAM-SHA-256": scram("SCRAM-SHA-256"),
		"SCRAM-SHA-512": scram("SCRAM-SHA-512"),
		"OAUTHBEARER": {"-bootstrap.servers", c.ListenerBootstrap("OAUTH"), "-security.protocol", "SASL_SSL", "-sasl.mechanism", "OAUTHBEARER", "-ssl.truststore.location", c.trust,
			"-sasl.oauthbearer.token.endpoint.url", c.issuer.URL + "/token", "-sasl.oauthbearer.client.credentials.client.id", clientID,
			"-sasl.oauthbearer.client.credentials.client.secret.file", oauth, "-sasl.oauthbearer.scope", audience},
	}
}

// users are the names that the ways lead to, as the broker's ACLs know them.
var users = map[string]string{"mTLS": "CN=" + certSubject, "PLAIN": saslUser, "SCRAM-SHA-256": saslUser, "SCRAM-SHA-512": saslUser, "OAUTHBEARER": clientID}

// TestKafka is one test, because a broker takes seconds to start.
func TestKafka(t *testing.T) {
	c := newBroker(t)
	t.Run("every way in", func(t *testing.T) { everyWayIn(t, c) })
	t.Run("what is refused", func(t *testing.T) { whatIsRefused(t, c) })
	t.Run("rights", func(t *testing.T) { rights(t, c) })
	t.Run("sessions that end", func(t *testing.T) { sessionsThatEnd(t, c) })
	t.Run("password rotated", func(t *testing.T) { passwordRotated(t, c) })
	t.Run("no secret shows", func(t *testing.T) { kafkaSecretsHidden(t, c) })
}

func everyWayIn(t *testing.T, c *cluster) {
	for name, args := range c.secured(t) {
		t.Run(name, func(t *testing.T) {
			o := newOutbox(t, c)
			c.allow(t, users[name], o.topic, kmsg.ACLOperationWrite, kmsg.ACLOperationDescribeConfigs)
			accepted(t, nil, o.args("", args...)...)
			r := stream(t, nil, o.args("", args...)...)
			o.insert(t)
			o.arrived(t, c, 1)
			r.stop(t)
		})
	}
}

func whatIsRefused(t *testing.T, c *cluster) {
	ways := c.secured(t)
	foreign := file(t, "foreign.pem", issue(t, c.other, certs.Subject{Name: certSubject}).KeyStore())
	byName := strings.ReplaceAll(c.ListenerBootstrap("MTLS"), "127.0.0.1", "localhost")
	none := filepath.Join(t.TempDir(), "none")
	tests := []struct {
		name, way string
		args      []string
		option    string
	}{
		{"wrong password, SCRAM", "SCRAM-SHA-256", []string{"-sasl.password.file", file(t, "wrong", []byte("wrong"))}, "sasl.username, sasl.password"},
		{"wrong password, PLAIN", "PLAIN", []string{"-sasl.password.file", file(t, "wrong", []byte("wrong"))}, "sasl.username, sasl.password"},
		{"another authority", "SCRAM-SHA-256", []string{"-ssl.truststore.location", c.wrongTrust}, "ssl.truststore.location"},
		{"the system's authorities", "SCRAM-SHA-256", []string{"-ssl.truststore.location", ""}, "ssl.truststore.location"},
		{"another name", "mTLS", []string{"-bootstrap.servers", byName}, "ssl.endpoint.identification.algorithm"},
		{"no client certificate", "mTLS", []string{"-ssl.keystore.location", ""}, "ssl.keystore.location"},
		{"client certificate of another authority", "mTLS", []string{"-ssl.keystore.location", foreign}, "ssl.keystore.location"},
		{"key store missing", "mTLS", []string{"-ssl.keystore.location", none}, "ssl.keystore.location"},
		{"mechanism that is off", "OAUTHBEARER", []string{"-bootstrap.servers", c.ListenerBootstrap("SCRAM")}, "sasl.mechanism"},
		{"wrong secret", "OAUTHBEARER", []string{"-sasl.oauthbearer.client.credentials.client.secret.file", file(t, "wrong", []byte("wrong"))}, "client.credentials.client.secret"},
		{"token for somebody else", "OAUTHBEARER", []string{"-sasl.oauthbearer.scope", "other"}, "sasl.oauthbearer.expected"},
		{"no such endpoint", "OAUTHBEARER", []string{"-sasl.oauthbearer.token.endpoint.url", c.issuer.URL + "/none"}, "sasl.oauthbearer.token.endpoint.url"},
	}
	o := newOutbox(t, c)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			refused(t, nil, test.option, o.args("", append(ways[test.way], test.args...)...)...)
		})
	}
}

// rights says what a user lacks, and what gives it.
func rights(t *testing.T, c *cluster) {
	o := newOutbox(t, c)
	args := o.args("", c.secured(t)["mTLS"]...)
	user := users["mTLS"]
	refused(t, nil, "--operation Describe --operation Write --topic "+o.topic, args...) // or Write alone, which implies it
	c.allow(t, user, o.topic, kmsg.ACLOperationDescribe)
	refused(t, nil, "right Write on topic "+o.topic, args...)
	c.allow(t, user, o.topic, kmsg.ACLOperationWrite)
	if code, output := check(t, nil, args...); code != 0 || !strings.Contains(output, "--operation DescribeConfigs --topic "+o.topic) {
		t.Errorf("exit code %d:\n%s", code, output)
	}
	creating := append(args, "-route.topic.replacement", o.topic+".new", "-topic.creation.enable")
	refused(t, nil, "--operation Describe --operation Write --operation Create --topic "+o.topic+".new", creating...)
	c.allow(t, user, o.topic+".new", kmsg.ACLOperationWrite)
	refused(t, nil, "--operation Create --topic "+o.topic+".new", creating...)
	c.allow(t, user, o.topic+".new", kmsg.ACLOperationCreate)
	accepted(t, nil, creating...)
	admin := kadm.NewClient(kafkatest.NewClient(t, c.Cluster))
	if topics, err := admin.ListTopics(wait.Context(t, within), o.topic+".new"); err != nil || topics.Has(o.topic+".new") {
		t.Errorf("the check has made the topic (%v)", err)
	}
}
