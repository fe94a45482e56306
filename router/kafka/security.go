package kafka

import (
	"errors"
	"fmt"

	"github.com/IBM/sarama"
)

// Security says how connections to brokers are encrypted and authenticated.
// Files and the password are read at each connect, so that rotated credentials
// and certificates need no restart.
type Security struct {
	// Protocol is PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL
	// (security.protocol). Defaults to PLAINTEXT.
	Protocol string

	// SASLMechanism is PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512 (sasl.mechanism).
	SASLMechanism string
	SASLUsername  string
	SASLPassword  func() (string, error)

	// SSLTruststoreLocation is a PEM file with the authorities to trust
	// (ssl.truststore.location); empty means the system's. Its type must be PEM
	// (ssl.truststore.type).
	SSLTruststoreLocation, SSLTruststoreType string
	// SSLKeystoreLocation is a PEM file with our certificate chain and its
	// unencrypted private key (ssl.keystore.location, ssl.keystore.type).
	SSLKeystoreLocation, SSLKeystoreType string
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
		if s.SASLMechanism != "" || s.SASLUsername != "" || s.SASLPassword != nil {
			return fmt.Errorf("security.protocol: %s does not authenticate, but SASL options are set; use SASL_PLAINTEXT or SASL_SSL", s.Protocol)
		}
		return nil
	}
	var errs []error
	switch s.SASLMechanism {
	case sarama.SASLTypePlaintext, sarama.SASLTypeSCRAMSHA256, sarama.SASLTypeSCRAMSHA512:
	default:
		errs = append(errs, fmt.Errorf("sasl.mechanism: %q is not one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512", s.SASLMechanism))
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
	if !s.usesTLS() && (s.SSLTruststoreLocation != "" || s.SSLKeystoreLocation != "") {
		errs = append(errs, fmt.Errorf("security.protocol: %s does not encrypt, but ssl.* files are set; use SSL or SASL_SSL", s.Protocol))
	}
	return errors.Join(errs...)
}

// apply sets up sarama's side of it for one connection, reading password and
// files anew. An error is a ConfigError.
func (s Security) apply(conf *sarama.Config) error {
	if s.usesSASL() {
		password, err := s.SASLPassword()
		if err == nil && password == "" {
			err = errors.New("is empty")
		}
		if err != nil {
			return &ConfigError{Option: "sasl.password", Err: err}
		}
		conf.Net.SASL.Enable = true
		conf.Net.SASL.Mechanism = sarama.SASLMechanism(s.SASLMechanism)
		conf.Net.SASL.User = s.SASLUsername
		conf.Net.SASL.Password = password
		conf.Net.SASL.SCRAMClientGeneratorFunc = func() sarama.SCRAMClient {
			return &scramClient{mechanism: s.SASLMechanism}
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
