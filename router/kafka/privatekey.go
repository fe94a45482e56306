package kafka

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"fmt"
	"hash"
)

// encryptedKey is the PEM type of the only encrypted form that Kafka reads
// (PKCS #8; RFC 5958). Go's standard library leaves it out.
const encryptedKey = "ENCRYPTED PRIVATE KEY"

// openKey replaces an encrypted key in PEM text by the key itself.
func (s Security) openKey(text []byte) ([]byte, error) {
	const option = "ssl.key.password"
	for rest := text; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return text, nil // not encrypted, or no key: X509KeyPair tells
		}
		if block.Type != encryptedKey {
			continue
		}
		if s.SSLKeyPassword == nil {
			return nil, &ConfigError{Option: option, Err: errors.New("is not given, and the key store's key is encrypted")}
		}
		password, err := secret(option, s.SSLKeyPassword)
		if err != nil {
			return nil, err
		}
		der, err := decryptPKCS8(block.Bytes, password)
		if err != nil {
			return nil, &ConfigError{Option: option, Err: err}
		}
		return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
	}
}

// The structures of RFC 5958 (section 3) and RFC 8018 (appendix A).
type (
	encryptedKeyInfo struct {
		Algorithm pkix.AlgorithmIdentifier
		Data      []byte
	}
	pbes2Params struct{ Derivation, Encryption pkix.AlgorithmIdentifier }
	pbkdf2Info  struct {
		Salt       []byte
		Iterations int
		KeyLength  int                      `asn1:"optional"`
		PRF        pkix.AlgorithmIdentifier `asn1:"optional"`
	}
)

const (
	oidPBES2  = "1.2.840.113549.1.5.13"
	oidPBKDF2 = "1.2.840.113549.1.5.12"
	// maxIterations keeps a broken file from stalling a connect for minutes.
	maxIterations = 10_000_000
)

// prfs are HMACs by their OIDs; the empty one is the default, SHA-1.
var prfs = map[string]func() hash.Hash{
	"": sha1.New, "1.2.840.113549.2.7": sha1.New,
	"1.2.840.113549.2.9": sha256.New, "1.2.840.113549.2.10": sha512.New384, "1.2.840.113549.2.11": sha512.New,
}

// blockCipher is a cipher for CBC.
type blockCipher struct {
	keyLength int
	open      func(key []byte) (cipher.Block, error)
}

var ciphers = map[string]blockCipher{
	"2.16.840.1.101.3.4.1.2":  {16, aes.NewCipher},
	"2.16.840.1.101.3.4.1.22": {24, aes.NewCipher},
	"2.16.840.1.101.3.4.1.42": {32, aes.NewCipher},
	"1.2.840.113549.3.7":      {24, des.NewTripleDESCipher},
}

var (
	errKeyForm     = errors.New("the key is encrypted in a way that is not read; write it anew with: openssl pkcs8 -topk8 -v2 aes-256-cbc")
	errKeyPassword = errors.New("the password does not open the key")
)

// decryptPKCS8 returns the key within an EncryptedPrivateKeyInfo.
func decryptPKCS8(der []byte, password string) ([]byte, error) {
	var info encryptedKeyInfo
	var params pbes2Params
	if err := unmarshal(der, &info); err != nil {
		return nil, fmt.Errorf("%w (%w)", errKeyForm, err)
	}
	if id := info.Algorithm.Algorithm.String(); id != oidPBES2 {
		return nil, fmt.Errorf("%w (scheme %s)", errKeyForm, id)
	}
	if err := unmarshal(info.Algorithm.Parameters.FullBytes, &params); err != nil {
		return nil, fmt.Errorf("%w (%w)", errKeyForm, err)
	}
	mode, err := params.decrypter(password)
	if err != nil {
		return nil, err
	}
	if len(info.Data) == 0 || len(info.Data)%mode.BlockSize() != 0 {
		return nil, errKeyForm
	}
	plain := make([]byte, len(info.Data))
	mode.CryptBlocks(plain, info.Data)
	plain, ok := unpad(plain, mode.BlockSize())
	if !ok {
		return nil, errKeyPassword
	}
	if _, err := x509.ParsePKCS8PrivateKey(plain); err != nil {
		return nil, errKeyPassword // err may quote bytes of the key
	}
	return plain, nil
}

// decrypter derives the key from the password.
func (p *pbes2Params) decrypter(password string) (cipher.BlockMode, error) {
	var kdf pbkdf2Info
	if id := p.Derivation.Algorithm.String(); id != oidPBKDF2 {
		return nil, fmt.Errorf("%w (key derivation %s)", errKeyForm, id)
	}
	if err := unmarshal(p.Derivation.Parameters.FullBytes, &kdf); err != nil {
		return nil, fmt.Errorf("%w (%w)", errKeyForm, err)
	}
	prf, knownPRF := prfs[kdf.PRF.Algorithm.String()]
	scheme, knownCipher := ciphers[p.Encryption.Algorithm.String()]
	if !knownPRF || !knownCipher || kdf.Iterations < 1 || kdf.Iterations > maxIterations {
		return nil, fmt.Errorf("%w (cipher %s, %d iterations)", errKeyForm, p.Encryption.Algorithm, kdf.Iterations)
	}
	var iv []byte
	if err := unmarshal(p.Encryption.Parameters.FullBytes, &iv); err != nil {
		return nil, fmt.Errorf("%w (%w)", errKeyForm, err)
	}
	key, err := pbkdf2.Key(prf, password, kdf.Salt, kdf.Iterations, scheme.keyLength)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errKeyForm, err)
	}
	block, err := scheme.open(key)
	if err != nil || len(iv) != block.BlockSize() {
		return nil, errKeyForm
	}
	return cipher.NewCBCDecrypter(block, iv), nil
}

// unpad takes PKCS #7's padding off.
func unpad(b []byte, size int) ([]byte, bool) {
	n := int(b[len(b)-1])
	if n < 1 || n > size || !bytes.Equal(b[len(b)-n:], bytes.Repeat([]byte{byte(n)}, n)) {
		return nil, false
	}
	return b[:len(b)-n], true
}

func unmarshal(der []byte, into any) error {
	rest, err := asn1.Unmarshal(der, into)
	if err == nil && len(rest) > 0 {
		err = errors.New("bytes behind the end")
	}
	return err
}
