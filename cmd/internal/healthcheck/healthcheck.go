// Package healthcheck asks a daemon on this machine how it is, for supervisors that can only run a command, as
// Docker's HEALTHCHECK does. It needs no shell and no curl in the image.
package healthcheck

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// timeout bounds one question. The endpoint answers from memory, so a second is long; Docker's default is 30 s.
const timeout = 5 * time.Second

// ErrPassword is returned by Ask for an endpoint that answers those only who know a password (basic_auth_users). It
// is alive, but whether it is ready it does not tell.
var ErrPassword = errors.New("the endpoint asks for a password")

// Config says where and how the daemon listens, as the daemon itself was told.
type Config struct {
	ListenAddress string // host:port, where no host means all of this machine's
	ConfigFile    string // -web.config.file, which may ask for TLS; may be empty
}

// Ask sends GET path to the daemon that listens on an address and returns its answer's first lines, or as error why
// it is not well: nobody listens, no answer comes within 5 s, or the answer is not 200.
func Ask(ctx context.Context, c Config, path string) (answer string, err error) {
	targets, err := targets(c.ListenAddress)
	if err != nil {
		return "", err
	}
	scheme, err := scheme(c.ConfigFile)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{
		DialContext:       dialFirst(targets),
		DisableKeepAlives: true,
		// The question never leaves this machine, and the certificate is for the name that others use.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	return get(ctx, client, scheme+"://"+targets[0]+path)
}

// maxAnswer is enough for the reasons of /readyz.
const maxAnswer = 4 << 10

func get(ctx context.Context, client *http.Client, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", fmt.Errorf("ask %s: %w", url, err)
	}
	response, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("ask what runs at this -web.listen-address: %w", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return "", fmt.Errorf("read the answer of %s: %w", url, err)
	}
	text := strings.TrimSpace(string(body))
	if response.StatusCode == http.StatusUnauthorized {
		return "", fmt.Errorf("ask %s: %w", url, ErrPassword)
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answers %s: %s", url, response.Status, text)
	}
	return text, nil
}

// scheme is https if the configuration file of the endpoint has the section for it.
func scheme(file string) (string, error) {
	if file == "" {
		return "http", nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read web.config.file: %w", err)
	}
	var config struct {
		TLS *yaml.Node `yaml:"tls_server_config"`
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		return "", fmt.Errorf("read web.config.file %s: %w", file, err)
	}
	if config.TLS == nil {
		return "http", nil
	}
	return "https", nil
}

// targets are the addresses to try. One that listens on all of the machine's addresses is asked on loopback.
func targets(listen string) ([]string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return nil, fmt.Errorf("the listen address %q is not host:port: %w", listen, err)
	}
	if port == "0" {
		return nil, errors.New("the listen address has port 0, which is another one at each start; give a fixed port")
	}
	switch host {
	case "", "0.0.0.0":
		return []string{net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("::1", port)}, nil
	case "::":
		return []string{net.JoinHostPort("::1", port), net.JoinHostPort("127.0.0.1", port)}, nil
	}
	return []string{net.JoinHostPort(host, port)}, nil
}

// dialFirst connects to the first target that answers, whatever the URL says.
func dialFirst(targets []string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		var errs []error
		for _, target := range targets {
			conn, err := d.DialContext(ctx, network, target)
			if err == nil {
				return conn, nil
			}
			errs = append(errs, err)
		}
		return nil, errors.Join(errs...)
	}
}
