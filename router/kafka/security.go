package kafka

import (
	"errors"
	"fmt"

	"github.com/IBM/sarama"
)

// Security says how connections to brokers are encrypted and authenticated.
// Files and secrets are read at each connect, so that rotated credentials and
// certificates need no restart.
type Security struct {
	// Protocol is PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL
	// (security.protocol). Defaults to PLAINTEXT.
	Protocol string

	// SASLMechanism is PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER
	// (sasl.mechanism). Name and password are for the others, OAuth for the last.
	SASLMechanism string
	SASLUsername  string
	SASLPassword  func() (string, error)
	OAuth         OAuth

	// SSLTruststoreLocation is a PEM file with the authorities to trust
	// (ssl.truststore.location), SSLTruststoreCertificates the same as text
	// (ssl.truststore.certificates); without either the system's are. The type must
	// be PEM (ssl.truststore.type).
	SSLTruststoreLocation, SSLTruststoreCertificates, SSLTruststoreType string
	// SSLKeystoreLocation is a PEM file with our private key and certificate chain
	// (ssl.keystore.location, ssl.keystore.type).
	SSLKeystoreLocation, SSLKeystoreType string
	// SSLKeystoreKey and SSLKeystoreCertificateChain are the same two as PEM texts
	// (ssl.keystore.key, ssl.keystore.certificate.chain). The key may be nil.
	SSLKeystoreKey              func() (string, error)
	SSLKeystoreCertificateChain string
	// SSLKeyPassword opens a key in the form ENCRYPTED PRIVATE KEY
	// (ssl.key.password); nil for one that is not encrypted.
	SSLKeyPassword func() (string, error)
	// SSLEndpointIdentificationAlgorithm is https, which compares the broker's
	// name with its certificate, or none, which is what Kafka's empty value means
	// (ssl.endpoint.identification.algorithm). Defaults to https.
	SSLEndpointIdentificationAlgorithm string
}

func (s Security) withDefaults() Security {
	setDefault(&s.Protocol, "PLAINTEXT")
	setDefault(&s.SSLTruststoreType, "PEM")
	setDefault(&s.SSLKeystoreType, "PEM")
	setDefault(&s.SSLEndpointIdentificationAlgorithm, "https")
	return s
}

func (s Security) usesTLS() bool { return s.Protocol == "SSL" || s.Protocol == "SASL_SSL" }

func (s Security) usesSASL() bool {
	return s.Protocol == "SASL_PLAINTEXT" || s.Protocol == "SASL_SSL"
}

// validate reports all mistakes joined. s has its defaults.
func (s Security) validate() error {
	var errs []error
	switch s.Protocol {
	case "PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL":
	default:
		errs = append(errs, fmt.Errorf("security.protocol: %q is not one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL", s.Protocol))
	}
	return errors.Join(append(errs, s.validateSASL(), s.validateSSL())...)
}

func (s Security) validateSASL() error {
	if !s.usesSASL() {
		if s.SASLMechanism != "" || s.SASLUsername != "" || s.SASLPassword != nil || s.OAuth.given() {
			return fmt.Errorf("security.protocol: %s does not authenticate, but SASL options are set; use SASL_PLAINTEXT or SASL_SSL", s.Protocol)
		}
		return nil
	}
	switch s.SASLMechanism {
	case sarama.SASLTypeOAuth:
		if s.SASLUsername != "" || s.SASLPassword != nil {
			return errors.New("sasl.username: OAUTHBEARER takes none and no password, but sasl.oauthbearer.client.credentials.client.id and its secret")
		}
		return s.OAuth.validate()
	case sarama.SASLTypePlaintext, sarama.SASLTypeSCRAMSHA256, sarama.SASLTypeSCRAMSHA512:
		return s.validatePassword()
	}
	return errors.Join(fmt.Errorf("sasl.mechanism: %q is not one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER", s.SASLMechanism), s.validatePassword())
}

// validatePassword is for the mechanisms with name and password.
func (s Security) validatePassword() error {
	var errs []error
	if s.OAuth.given() {
		errs = append(errs, fmt.Errorf("sasl.mechanism: %q does not use the options sasl.oauthbearer.*; OAUTHBEARER does", s.SASLMechanism))
	}
	if s.SASLUsername == "" {
		errs = append(errs, errors.New("sasl.username: is empty"))
	}
	if s.SASLPassword == nil {
		errs = append(errs, errors.New("sasl.password: is not given"))
	}
	return errors.Join(errs...)
}

func (s Security) validateSSL() error {
	var errs []error
	if s.SSLTruststoreType != "PEM" {
		errs = append(errs, fmt.Errorf("ssl.truststore.type: %q is not PEM, the only type understood", s.SSLTruststoreType))
	}
	if s.SSLKeystoreType != "PEM" {
		errs = append(errs, fmt.Errorf("ssl.keystore.type: %q is not PEM, the only type understood", s.SSLKeystoreType))
	}
	switch s.SSLEndpointIdentificationAlgorithm {
	case "https", "none":
	default:
		errs = append(errs, fmt.Errorf("ssl.endpoint.identification.algorithm: %q is neither https nor none", s.SSLEndpointIdentificationAlgorithm))
	}
	if s.SSLTruststoreLocation != "" && s.SSLTruststoreCertificates != "" {
		errs = append(errs, errors.New("ssl.truststore.location and ssl.truststore.certificates: give one of the two"))
	}
	inline := s.SSLKeystoreKey != nil || s.SSLKeystoreCertificateChain != ""
	if s.SSLKeystoreLocation != "" && inline {
		errs = append(errs, errors.New("ssl.keystore.location: give either it, or ssl.keystore.key and ssl.keystore.certificate.chain"))
	}
	if (s.SSLKeystoreKey != nil) != (s.SSLKeystoreCertificateChain != "") {
		errs = append(errs, errors.New("ssl.keystore.key and ssl.keystore.certificate.chain: each needs the other"))
	}
	if s.SSLKeyPassword != nil && s.SSLKeystoreLocation == "" && !inline {
		errs = append(errs, errors.New("ssl.key.password: there is no key; give ssl.keystore.location"))
	}
	if !s.usesTLS() && (s.SSLTruststoreLocation != "" || s.SSLTruststoreCertificates != "" || s.SSLKeystoreLocation != "" || inline) {
		errs = append(errs, fmt.Errorf("security.protocol: %s does not encrypt, but ssl.* stores are set; use SSL or SASL_SSL", s.Protocol))
	}
	return errors.Join(errs...)
}

// apply sets up sarama's side of it for one connection, reading secrets and
// files anew. An error is a ConfigError.
func (s Security) apply(conf *sarama.Config, l *line) error {
	if s.usesSASL() {
		if err := s.applySASL(conf, l); err != nil {
			return err
		}
	}
	if s.usesTLS() {
		tlsConfig, err := s.tlsConfig()
		if err != nil {
			return err
		}
		conf.Net.TLS.Enable = true
		conf.Net.TLS.Config = tlsConfig
	}
	return nil
}

func (s Security) applySASL(conf *sarama.Config, l *line) error {
	conf.Net.SASL.Enable = true
	conf.Net.SASL.Mechanism = sarama.SASLMechanism(s.SASLMechanism)
	if s.SASLMechanism == sarama.SASLTypeOAuth {
		conf.Net.SASL.TokenProvider = &tokens{security: s, line: l}
		return nil
	}
	password, err := secret("sasl.password", s.SASLPassword)
	if err != nil {
		return err
	}
	conf.Net.SASL.User = s.SASLUsername
	conf.Net.SASL.Password = password
	conf.Net.SASL.SCRAMClientGeneratorFunc = func() sarama.SCRAMClient {
		return &scramClient{mechanism: s.SASLMechanism}
	}
	return nil
}

// secret reads one. An error is a ConfigError and holds nothing of it.
func secret(option string, read func() (string, error)) (string, error) {
	text, err := read()
	if err == nil && text == "" {
		err = errors.New("is empty")
	}
	if err != nil {
		return "", &ConfigError{Option: option, Err: err}
	}
	return text, nil
}
