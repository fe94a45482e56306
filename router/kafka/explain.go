package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/IBM/sarama"
)

// explain adds what an operator should look at, where the error alone misleads.
// Errors that only a change of configuration mends become ConfigErrors.
func explain(err error, cfg *Config) error {
	var config *ConfigError
	var certificate *tls.CertificateVerificationError
	var alert *net.OpError
	switch code := brokersCode(err); {
	case err == nil:
		return sarama.ErrNotConnected
	case errors.As(err, &config): // of the token endpoint
		return err
	case errors.As(err, &certificate):
		return explainTLS(err, "the broker")
	case errors.As(err, &alert) && alert.Op == "remote error": // crypto/tls's name for an alert
		return &ConfigError{Option: "ssl.keystore.location", Err: fmt.Errorf("the broker refuses our side of TLS: %w", err)}
	case classify(code) == misconfigured:
		return explainCode(code, err, cfg)
	case !hungUp(err):
		return err
	case cfg.Security.usesSASL():
		return fmt.Errorf("%w (brokers hang up like this if user, password, sasl.mechanism %s or security.protocol %s is wrong)",
			err, cfg.Security.SASLMechanism, cfg.Security.Protocol)
	}
	return fmt.Errorf("%w (brokers hang up like this if security.protocol %s is not what the listener speaks)", err, cfg.Security.Protocol)
}

// brokersCode is the broker's answer within an error, or the code of success.
// sarama hides a refused authentication behind the broker's own words, where only
// errors.Is finds it.
func brokersCode(err error) sarama.KError {
	var code sarama.KError
	switch {
	case errors.As(err, &code):
		return code
	case errors.Is(err, sarama.ErrSASLAuthenticationFailed):
		return sarama.ErrSASLAuthenticationFailed
	}
	return sarama.ErrNoError
}

// explainCode names the options of the mechanism in use.
func explainCode(code sarama.KError, err error, cfg *Config) error {
	config := configError(code, "authenticate")
	if code != sarama.ErrSASLAuthenticationFailed {
		return config
	}
	config.Err = fmt.Errorf("authenticate: %s (%w)", codeName(code), err)
	if cfg.Security.SASLMechanism == sarama.SASLTypeOAuth {
		config.Option = "sasl.oauthbearer.*"
		config.Err = fmt.Errorf("%w; the token was given but the broker does not take it: compare its issuer, audience and scope with the broker's sasl.oauthbearer.expected.* and principal", config.Err)
	}
	return config
}

// explainTLS names the option behind a certificate that was refused; who is
// whose it is.
func explainTLS(err error, who string) error {
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &hostname):
		return &ConfigError{Option: "ssl.endpoint.identification.algorithm",
			Err: fmt.Errorf("%w; reach %s by a name in its certificate (bootstrap.servers, the brokers' advertised.listeners), or set the option to none", err, who)}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return &ConfigError{Option: "ssl.truststore.location",
			Err: fmt.Errorf("%w; renew the certificate of %s or of its authority, or set this machine's clock", err, who)}
	case errors.As(err, &unknown):
		return &ConfigError{Option: "ssl.truststore.location",
			Err: fmt.Errorf("%w; name a PEM file with the authority that signed the certificate of %s", err, who)}
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return &ConfigError{Option: "ssl.truststore.location", Err: err}
	}
	return err
}

// hungUp answers whether an error looks like a broker that did not understand
// or did not want us, as against one that is not there.
func hungUp(err error) bool {
	var garbled sarama.PacketDecodingError
	var notTLS tls.RecordHeaderError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &garbled) || errors.As(err, &notTLS)
}
