package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"os"
)

// tlsDefaults is what every TLS connection of ours starts from.
func tlsDefaults() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS12} }

// tlsConfig reads the PEM files. sarama adds the broker's name as ServerName
// for each connection. An error is a ConfigError.
func (s Security) tlsConfig() (*tls.Config, error) {
	conf := tlsDefaults()
	var err error
	if conf.RootCAs, err = s.roots(false); err != nil {
		return nil, err
	}
	if conf.Certificates, err = s.keyPair(); err != nil {
		return nil, err
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

// roots are the authorities of the trust store, added to the system's if asked
// for; nil, which stands for the system's, without a trust store.
func (s Security) roots(withSystem bool) (*x509.CertPool, error) {
	option, pem := "ssl.truststore.certificates", []byte(s.SSLTruststoreCertificates)
	if s.SSLTruststoreLocation != "" {
		option = "ssl.truststore.location"
		var err error
		if pem, err = os.ReadFile(s.SSLTruststoreLocation); err != nil {
			return nil, &ConfigError{Option: option, Err: err}
		}
	} else if len(pem) == 0 {
		return nil, nil
	}
	pool := x509.NewCertPool()
	if system, err := x509.SystemCertPool(); withSystem && err == nil {
		pool = system
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, &ConfigError{Option: option, Err: errors.New("there is no PEM certificate in it")}
	}
	return pool, nil
}

// keyPair is our certificate, if there is one. Kafka's PEM key store is one file
// with the key and the chain.
func (s Security) keyPair() ([]tls.Certificate, error) {
	option := "ssl.keystore.location"
	var chain, key []byte
	switch {
	case s.SSLKeystoreLocation != "":
		both, err := os.ReadFile(s.SSLKeystoreLocation)
		if err != nil {
			return nil, &ConfigError{Option: option, Err: err}
		}
		chain, key = both, both
	case s.SSLKeystoreKey != nil:
		option = "ssl.keystore.key"
		text, err := secret(option, s.SSLKeystoreKey)
		if err != nil {
			return nil, err
		}
		chain, key = []byte(s.SSLKeystoreCertificateChain), []byte(text)
	default:
		return nil, nil
	}
	key, err := s.openKey(key)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, &ConfigError{Option: option, Err: err}
	}
	return []tls.Certificate{pair}, nil
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
