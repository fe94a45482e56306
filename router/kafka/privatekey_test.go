package kafka

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The keys in testdata/keys are one key, written by openssl pkcs8 -topk8 with the
// password open-sesame in various ways; public.pem is its public half.
func keyFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "keys", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func publicKey(t *testing.T) *ecdsa.PublicKey {
	t.Helper()
	block, _ := pem.Decode(keyFile(t, "public.pem"))
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return key.(*ecdsa.PublicKey)
}

func answering(text string) func() (string, error) {
	return func() (string, error) { return text, nil }
}

func TestEncryptedKeysOfOpenSSL(t *testing.T) {
	t.Parallel()
	want := publicKey(t)
	for _, name := range []string{"aes256-sha256.pem", "aes128-sha512.pem", "des3-sha1.pem"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := Security{SSLKeyPassword: answering("open-sesame")}.openKey(keyFile(t, name))
			if err != nil {
				t.Fatal(err)
			}
			block, _ := pem.Decode(text)
			key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			if got := key.(*ecdsa.PrivateKey); !got.PublicKey.Equal(want) {
				t.Errorf("got another key than openssl has written")
			}
		})
	}
}

func TestKeysThatDoNotOpen(t *testing.T) {
	t.Parallel()
	right := answering("open-sesame")
	tests := []struct {
		name, file string
		password   func() (string, error)
		want       string
	}{
		{"wrong password", "aes256-sha256.pem", answering("geheim"), errKeyPassword.Error()},
		{"no password", "aes256-sha256.pem", nil, "is not given"},
		{"empty password", "aes256-sha256.pem", answering(""), "is empty"},
		{"unreadable password", "aes256-sha256.pem", func() (string, error) { return "", os.ErrNotExist }, "not exist"},
		{"scrypt", "scrypt.pem", right, errKeyForm.Error()},
		{"PKCS #5 1.5", "pbes1.pem", right, errKeyForm.Error()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Security{SSLKeyPassword: test.password}.openKey(keyFile(t, test.file))
			var config *ConfigError
			if !errors.As(err, &config) || config.Option != "ssl.key.password" || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want a mistake of ssl.key.password that says %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "geheim") {
				t.Errorf("the password shows: %v", err)
			}
		})
	}
}

// A damaged file must give an error, never a panic.
func FuzzDecryptPKCS8(f *testing.F) {
	for _, name := range []string{"aes256-sha256.pem", "des3-sha1.pem", "scrypt.pem", "pbes1.pem"} {
		text, err := os.ReadFile(filepath.Join("testdata", "keys", name))
		if err != nil {
			f.Fatal(err)
		}
		block, _ := pem.Decode(text)
		f.Add(block.Bytes)
	}
	f.Fuzz(func(t *testing.T, der []byte) {
		if key, err := decryptPKCS8(der, "open-sesame"); err == nil && len(key) == 0 {
			t.Error("an empty key without an error")
		}
	})
}
