package kafka_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// issuer is a token endpoint for one client. answer, if set, replaces what it
// says.
func issuer(t *testing.T, secret string, answer http.HandlerFunc) (endpoint string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		if answer != nil {
			answer(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		id, password, _ := r.BasicAuth()
		if id != "relay" || password != secret || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "outbox write" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error": "invalid_client", "error_description": "`+password+`"}`)
			return
		}
		json.NewEncoder(w).Encode(map[string]any{"access_token": fmt.Sprint("token-", n), "token_type": "bearer", "expires_in": 60})
	}))
	t.Cleanup(server.Close)
	return server.URL + "/token", asked
}

func oauth(endpoint, secret string) kafka.Security {
	return kafka.Security{Protocol: "SASL_PLAINTEXT", SASLMechanism: "OAUTHBEARER", OAuth: kafka.OAuth{
		TokenEndpointURL: endpoint, ClientID: "relay", ClientSecret: password(secret), Scope: "outbox write"}}
}

// takesTokens lets the brokers take tokens that begin like ours.
func takesTokens(c *cluster) (seen *atomic.Value) {
	seen = new(atomic.Value)
	c.ControlKey(int16(kmsg.SASLHandshake), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.SASLHandshakeResponse)
		resp.SupportedMechanisms = []string{"OAUTHBEARER"}
		return resp, nil, true
	})
	c.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		if bytes := string(req.(*kmsg.SASLAuthenticateRequest).SASLAuthBytes); strings.Contains(bytes, "auth=Bearer token-") {
			seen.Store(bytes)
		} else {
			resp.ErrorCode = 58
		}
		return resp, nil, true
	})
	return seen
}

func TestOAuthBearer(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	seen := takesTokens(c)
	endpoint, asked := issuer(t, "right", nil)
	cfg := c.config()
	cfg.Security = oauth(endpoint, "right")
	src := newSource(messages("a", 10, 3)...)
	newRig(t, cfg).runAll(t, src)
	if n := c.end("a"); n != 10 || seen.Load() == nil {
		t.Errorf("the log holds %d records, tokens seen: %v", n, seen.Load())
	}
	if asked.Load() < 2 {
		t.Errorf("%d tokens for two connections", asked.Load())
	}
}

// What the endpoint refuses is a mistake of the options, and named; its words are
// not repeated, because they may repeat the secret.
func TestTokensRefused(t *testing.T) {
	t.Parallel()
	says := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	for _, test := range []struct {
		name, option string
		answer       http.HandlerFunc
	}{
		{"wrong secret", "sasl.oauthbearer.client.credentials.client.id, sasl.oauthbearer.client.credentials.client.secret", nil},
		{"forbidden", "sasl.oauthbearer.client.credentials.client.id, sasl.oauthbearer.client.credentials.client.secret", says(403, "top-secret")},
		{"scope", "sasl.oauthbearer.scope", says(400, `{"error": "invalid_scope", "error_description": "top-secret"}`)},
		{"no such page", "sasl.oauthbearer.token.endpoint.url", says(404, "top-secret")},
		{"token that the broker refuses", "sasl.oauthbearer.*", says(200, `{"access_token": "other", "token_type": "bearer"}`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, kfake.SeedTopics(1, "a"))
			takesTokens(c)
			endpoint, _ := issuer(t, "right", test.answer)
			cfg := c.config()
			cfg.Security = oauth(endpoint, "top-secret")
			r := newRig(t, cfg)
			err := r.start(t, newSource()).wait()
			checkConfigError(t, err, test.option)
			if text := err.Error() + r.log.String() + r.Status().LastError; strings.Contains(text, "top-secret") {
				t.Errorf("the secret shows: %s", text)
			}
		})
	}
}

// An endpoint that is down is an outage like a broker's.
func TestTokenEndpointComesBack(t *testing.T) {
	t.Parallel()
	c := newCluster(t, kfake.SeedTopics(1, "a"))
	takesTokens(c)
	var up atomic.Bool
	endpoint, _ := issuer(t, "right", func(w http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token": "token-1", "token_type": "bearer"}`)
	})
	cfg := c.config()
	cfg.Security = oauth(endpoint, "right")
	r := newRig(t, cfg)
	src := newSource(messages("a", 10, 3)...)
	run := r.start(t, src)
	eventually(t, "trouble", func() bool { return strings.Contains(r.Status().LastError, "HTTP status 503") })
	up.Store(true)
	src.close()
	if err := run.wait(); err != nil {
		t.Fatal(err)
	}
	if n := c.end("a"); n != 10 {
		t.Errorf("the log holds %d records", n)
	}
}
