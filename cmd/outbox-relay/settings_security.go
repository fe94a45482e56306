package main

import (
	"errors"
	"fmt"

	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/cmd/internal/options"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// secret is an option that is given as it is, or by a file that is read at each
// use, so that a rotated secret is found.
type secret struct{ name, text, file string }

// declare adds the option and its twin for the file. what is the word for it.
func (s *secret) declare(g *options.Group, name, what, use string) {
	s.name = name
	g.String(&s.text, name, "", what+use+"; better given by file or in the environment", options.Secret())
	g.String(&s.file, name+".file", "", "`file` with the "+what+", read again at each connect")
}

// source gives the secret at each connect; nil if there is none.
func (s *secret) source() (func() (string, error), error) {
	switch {
	case s.text != "" && s.file != "":
		return nil, fmt.Errorf("%s and %s.file: give one of the two", s.name, s.name)
	case s.text != "":
		return func() (string, error) { return s.text, nil }, nil
	case s.file != "":
		return func() (string, error) { return daemon.ReadSecretFile(s.file) }, nil
	}
	return nil, nil
}

// kafkaSecrets are all of Kafka's.
type kafkaSecrets struct{ password, oauth, key, keyPassword secret }

// complete gives the producer its secrets.
func (k *kafkaSecrets) complete(to *kafka.Security) error {
	var errs []error
	for _, s := range []struct {
		from *secret
		to   *func() (string, error)
	}{
		{&k.password, &to.SASLPassword}, {&k.oauth, &to.OAuth.ClientSecret}, {&k.key, &to.SSLKeystoreKey}, {&k.keyPassword, &to.SSLKeyPassword},
	} {
		var err error
		*s.to, err = s.from.source()
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (s *settings) declareKafkaSecurity(g *options.Group) {
	k := &s.kafka.Security
	g.String(&k.Protocol, "security.protocol", "PLAINTEXT", "how to talk to the brokers: SSL is TLS, SASL a login; it must be that of the port in bootstrap.servers", options.OneOf("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"))
	g.String(&k.SASLMechanism, "sasl.mechanism", "", "how to log in to the brokers, where security.protocol has SASL", options.OneOf("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"))
	g.String(&k.SASLUsername, "sasl.username", "", "user `name`, for PLAIN and SCRAM")
	s.secrets.password.declare(g, "sasl.password", "password", "")
	g.String(&k.OAuth.TokenEndpointURL, "sasl.oauthbearer.token.endpoint.url", "", "`URL` that gives tokens for OAUTHBEARER, by the grant client credentials; the authorities of ssl.truststore.location are trusted there too")
	g.String(&k.OAuth.ClientID, "sasl.oauthbearer.client.credentials.client.id", "", "`name` of this client there")
	s.secrets.oauth.declare(g, "sasl.oauthbearer.client.credentials.client.secret", "secret", " of this client there")
	g.String(&k.OAuth.Scope, "sasl.oauthbearer.scope", "", "`scopes` to ask for, separated by blanks")
	g.String(&k.SSLTruststoreLocation, "ssl.truststore.location", "", "PEM `file` with the authorities to trust; empty means the system's")
	g.String(&k.SSLTruststoreCertificates, "ssl.truststore.certificates", "", "the same as `PEM` text")
	g.String(&k.SSLKeystoreLocation, "ssl.keystore.location", "", "PEM `file` with the client's certificate chain and private key")
	g.String(&k.SSLKeystoreCertificateChain, "ssl.keystore.certificate.chain", "", "the chain as `PEM` text, for ssl.keystore.key")
	s.secrets.key.declare(g, "ssl.keystore.key", "private key", " as PEM text, instead of ssl.keystore.location")
	s.secrets.keyPassword.declare(g, "ssl.key.password", "password", " of the private key, if it is encrypted (PKCS #8, PBES2)")
	g.String(&k.SSLEndpointIdentificationAlgorithm, "ssl.endpoint.identification.algorithm", "https", "https compares the broker's name with its certificate, none does not", options.OneOf("https", "none"))
}

// noteExposed finds the secrets that the command line shows to everybody who may run
// ps on this machine.
func (s *settings) noteExposed(set *options.Set) {
	k := &s.secrets
	for _, name := range []string{"database.password", k.password.name, k.oauth.name, k.key.name, k.keyPassword.name} {
		if set.Source(name).Kind == options.Flag {
			s.exposed = append(s.exposed, name)
		}
	}
	if set.Source("database.url").Kind == options.Flag && s.database.HoldsPassword() {
		s.exposed = append(s.exposed, "database.url")
	}
}

// tellExposed says which, without them.
func (s *settings) tellExposed(log zerolog.Logger) {
	if len(s.exposed) > 0 {
		log.Warn().Strs("options", s.exposed).Msg("secrets on the command line show in ps and /proc; give them by file or in the environment")
	}
}

// declareWebSecurity adds how the endpoint is guarded.
func (s *settings) declareWebSecurity(g *options.Group) {
	g.String(&s.webConfig, "web.config.file", "", "`file` with TLS and basic authentication for the endpoint, in the form of the Prometheus exporters (exporter-toolkit); it is read again at each connection")
}
