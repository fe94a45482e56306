package kafka

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/IBM/sarama"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// OAuth is where tokens for OAUTHBEARER come from: the grant "client credentials"
// (RFC 6749, section 4.4), the only one of Kafka's that needs no user. The names
// are those of Kafka 4.1 and later.
type OAuth struct {
	TokenEndpointURL string                 // sasl.oauthbearer.token.endpoint.url
	ClientID         string                 // sasl.oauthbearer.client.credentials.client.id
	ClientSecret     func() (string, error) // sasl.oauthbearer.client.credentials.client.secret
	Scope            string                 // sasl.oauthbearer.scope: names separated by blanks; may be empty
}

const (
	optionEndpoint = "sasl.oauthbearer.token.endpoint.url"
	optionClientID = "sasl.oauthbearer.client.credentials.client.id"
	optionSecret   = "sasl.oauthbearer.client.credentials.client.secret"
	optionScope    = "sasl.oauthbearer.scope"
)

func (o *OAuth) given() bool {
	return o.TokenEndpointURL != "" || o.ClientID != "" || o.ClientSecret != nil || o.Scope != ""
}

func (o *OAuth) validate() error {
	var errs []error
	u, err := url.Parse(o.TokenEndpointURL)
	switch {
	case o.TokenEndpointURL == "":
		errs = append(errs, errors.New(optionEndpoint+": is empty; OAUTHBEARER gets its tokens there"))
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		errs = append(errs, errors.New(optionEndpoint+": is not an http or https URL"))
	case u.User != nil:
		errs = append(errs, errors.New(optionEndpoint+": holds a user; give "+optionClientID+" and its secret instead"))
	}
	if o.ClientID == "" {
		errs = append(errs, errors.New(optionClientID+": is empty"))
	}
	if o.ClientSecret == nil {
		errs = append(errs, errors.New(optionSecret+": is not given"))
	}
	return errors.Join(errs...)
}

// tokens gives sarama an access token at each connect, and again when the broker
// asks for a new one before the session ends (KIP-368). None is kept: connections
// are few, and a token that was revoked would be used again.
type tokens struct {
	security Security
	line     *line // stops asking when the connection is given up
}

// Token implements sarama.AccessTokenProvider.
func (t *tokens) Token() (*sarama.AccessToken, error) {
	o := &t.security.OAuth
	password, err := secret(optionSecret, o.ClientSecret)
	if err != nil {
		return nil, err
	}
	client, err := t.security.tokenClient()
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	ctx, end := t.line.begin()
	defer end()
	config := clientcredentials.Config{
		ClientID: o.ClientID, ClientSecret: password, TokenURL: o.TokenEndpointURL,
		Scopes: strings.Fields(o.Scope), AuthStyle: oauth2.AuthStyleInHeader, // as Kafka's own client sends them
	}
	token, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
	if err != nil {
		return nil, tokenError(o.TokenEndpointURL, err)
	}
	return &sarama.AccessToken{Token: token.AccessToken}, nil
}

// tokenClient trusts the brokers' authorities beside the system's: a private
// authority often signs both.
func (s Security) tokenClient() (*http.Client, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}
	if s.SSLTruststoreLocation != "" || s.SSLTruststoreCertificates != "" {
		roots, err := s.roots(true)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = tlsDefaults()
		transport.TLSClientConfig.RootCAs = roots
	}
	return &http.Client{Transport: transport}, nil
}

// hopeless are the errors of RFC 6749, section 5.2, that asking again cannot mend.
var hopeless = []string{"invalid_client", "unauthorized_client", "invalid_scope", "unsupported_grant_type", "invalid_request", "invalid_grant"}

// tokenError leaves the answer's body out, which is anybody's text.
func tokenError(endpoint string, err error) error {
	var answer *oauth2.RetrieveError
	if !errors.As(err, &answer) {
		return explainTLS(fmt.Errorf("ask %s for a token: %w", endpoint, err), "the token endpoint")
	}
	status := 0
	if answer.Response != nil {
		status = answer.Response.StatusCode
	}
	err = fmt.Errorf("%s refuses a token: HTTP status %d, error %q", endpoint, status, answer.ErrorCode)
	switch {
	case answer.ErrorCode == "invalid_scope":
		return &ConfigError{Option: optionScope, Err: err}
	case slices.Contains(hopeless, answer.ErrorCode), status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &ConfigError{Option: optionClientID + ", " + optionSecret, Err: err}
	case status == http.StatusNotFound:
		return &ConfigError{Option: optionEndpoint, Err: err}
	}
	return err
}
