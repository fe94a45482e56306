package daemon

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// maxSecret bounds a secret in bytes; a longer file is not one.
const maxSecret = 64 << 10

// ReadSecretFile returns the content of a file less one newline at its end, which editors and echo put there. The
// file is read anew at each call, so that a rotated secret is found. An empty file is an error: it is more likely
// a mount that went wrong than an empty password. No error shows any of the content.
func ReadSecretFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("secret file: %w", err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("secret file: %w", err)
	}
	if len(content) > maxSecret {
		return "", fmt.Errorf("secret file %s is larger than %d bytes", path, maxSecret)
	}
	secret := strings.TrimSuffix(string(content), "\n")
	secret = strings.TrimSuffix(secret, "\r")
	if secret == "" {
		return "", fmt.Errorf("secret file %s is empty", path)
	}
	return secret, nil
}
