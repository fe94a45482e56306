package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
)

// tlsConfig reads the PEM files. sarama adds the broker's name as ServerName
// for each connection. An error is a ConfigError.
func (s Security) tlsConfig() (*tls.Config, error) {
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.SSLTruststoreLocation != "" {
		pem, err := os.ReadFile(s.SSLTruststoreLocation)
		if err != nil {
			return nil, &ConfigError{Option: "ssl.truststore.location", Err: err}
		}
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(pem) {
			return nil, &ConfigError{Option: "ssl.truststore.location", Err: errors.New(s.SSLTruststoreLocation + " holds no PEM certificate")}
		}
	}
	if s.SSLKeystoreLocation != "" {
		// Kafka's PEM key store is one file with the key and the chain.
		pem, err := os.ReadFile(s.SSLKeystoreLocation)
		if err != nil {
			return nil, &ConfigError{Option: "ssl.keystore.location", Err: err}
		}
		pair, err := tls.X509KeyPair(pem, pem)
		if err != nil {
			return nil, &ConfigError{Option: "ssl.keystore.location", Err: err}
		}
		conf.Certificates = []tls.Certificate{pair}
	}
	if s.SSLEndpointIdentificationAlgorithm == "none" {
		// Only the name is not compared: the chain still has to lead to a trusted
		// authority, which crypto/tls checks only together with the name.
		conf.InsecureSkipVerify = true
		roots := conf.RootCAs
		conf.VerifyConnection = func(state tls.ConnectionState) error {
			return verifyChain(state.PeerCertificates, roots)
		}
	}
	return conf, nil
}

// verifyChain checks that the first certificate was issued, through the others,
// by one of roots; nil roots are the system's.
func verifyChain(chain []*x509.Certificate, roots *x509.CertPool) error {
	if len(chain) == 0 {
		return errors.New("the broker sent no certificate")
	}
	intermediates := x509.NewCertPool()
	for _, cert := range chain[1:] {
		intermediates.AddCert(cert)
	}
	if _, err := chain[0].Verify(x509.VerifyOptions{Roots: roots, Intermediates: intermediates}); err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: chain, Err: err} // as crypto/tls has it
	}
	return nil
}
