// Package certs makes certificate authorities and certificates for tests, in PEM. They are good for an hour, and the
// keys are elliptic, because those are made fast. It returns errors and knows nothing of testing.
package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

const validity = time.Hour

// Authority signs certificates.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

// NewAuthority makes an authority of its own.
func NewAuthority(name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of authority %q: %w", name, err)
	}
	template, err := certificate(name, time.Now().Add(validity))
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make authority %q: %w", name, err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("read authority %q: %w", name, err)
	}
	return &Authority{cert: cert, key: key, pem: encode("CERTIFICATE", der)}, nil
}

// Certificate is the authority's own, to be trusted, in PEM.
func (a *Authority) Certificate() []byte { return a.pem }

// Pool holds the authority alone.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// Subject says whom a certificate is for.
type Subject struct {
	Name    string   // common name
	DNS     []string // names of a server
	IPs     []net.IP // its addresses
	Expired bool     // a minute ago
}

// Issued is a certificate with its key, both in PEM.
type Issued struct{ Certificate, Key []byte }

// KeyStore is key and certificate as one text, which is Kafka's PEM key store.
func (i Issued) KeyStore() []byte { return append(append([]byte{}, i.Key...), i.Certificate...) }

// Issue makes a key and signs it for server and client use.
func (a *Authority) Issue(s Subject) (Issued, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Issued{}, fmt.Errorf("make the key of %q: %w", s.Name, err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Issued{}, fmt.Errorf("write the key of %q: %w", s.Name, err)
	}
	cert, err := a.Sign(s, key.Public())
	return Issued{Certificate: cert, Key: encode("PRIVATE KEY", der)}, err
}

// Sign makes a certificate for a key that is there already.
func (a *Authority) Sign(s Subject, key crypto.PublicKey) ([]byte, error) {
	until := time.Now().Add(validity)
	if s.Expired {
		until = time.Now().Add(-time.Minute)
	}
	template, err := certificate(s.Name, until)
	if err != nil {
		return nil, err
	}
	template.DNSNames, template.IPAddresses = s.DNS, s.IPs
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key, a.key)
	if err != nil {
		return nil, fmt.Errorf("sign the certificate of %q: %w", s.Name, err)
	}
	return encode("CERTIFICATE", der), nil
}

func certificate(name string, until time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, fmt.Errorf("draw a serial number for %q: %w", name, err)
	}
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-validity), NotAfter: until,
	}, nil
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
