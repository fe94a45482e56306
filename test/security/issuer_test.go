package security_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

const (
	clientID     = "relay-client"
	clientSecret = "Xy7MarkerOAuthSecret"
	audience     = "kafka"
)

// issuer is an identity provider: a token endpoint for the grant client credentials, and the public key to verify its
// tokens with.
type issuer struct {
	*httptest.Server
	key      *rsa.PrivateKey
	lifetime time.Duration
	given    atomic.Int32 // tokens
}

func newIssuer(t testing.TB, lifetime time.Duration) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key, lifetime: lifetime}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /keys", i.keys)
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

// token answers RFC 6749, section 4.4. The scope asked for becomes the audience, so that a test can ask for a token
// that the broker refuses.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	id, secret, _ := r.BasicAuth()
	if id != clientID || secret != clientSecret || r.FormValue("grant_type") != "client_credentials" {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error": "invalid_client", "error_description": "not %s"}`, secret)
		return
	}
	i.given.Add(1)
	now := time.Now()
	_ = json.NewEncoder(w).Encode(map[string]any{"token_type": "Bearer", "expires_in": int(i.lifetime.Seconds()), "access_token": i.sign(map[string]any{
		"iss": i.URL, "sub": clientID, "aud": r.FormValue("scope"), "iat": now.Unix(), "exp": now.Add(i.lifetime).Unix(), "scope": "outbox",
	})})
}

// sign makes a JWT (RFC 7515) with RS256.
func (i *issuer) sign(claims map[string]any) string {
	part := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err) // maps of texts and numbers can be written
		}
		return base64.RawURLEncoding.EncodeToString(b)
	}
	text := part(map[string]any{"alg": "RS256", "kid": "test", "typ": "JWT"}) + "." + part(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err) // the key is long enough
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// keys answers RFC 7517.
func (i *issuer) keys(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	number := func(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.Bytes()) }
	_ = json.NewEncoder(w).Encode(map[string]any{"keys": []map[string]any{{
		"kty": "RSA", "kid": "test", "use": "sig", "alg": "RS256", "n": number(i.key.N), "e": number(big.NewInt(int64(i.key.E))),
	}}})
}
