package pgserver

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// jar makes an archive with one member.
func jar(t *testing.T, name, content string) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	member, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := member.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func TestFetchRefuses(t *testing.T) {
	t.Parallel()
	noArchive, noXZ := jar(t, "README", "x"), jar(t, "postgres.txz", "no xz at all")
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"missing jar", nil, "404"},
		{"missing checksum", map[string]string{"/a.jar": string(noArchive)}, "404"},
		{"wrong checksum", map[string]string{"/a.jar": string(noArchive), "/a.jar.sha256": sum(nil)}, "checksum"},
		{"no zip", map[string]string{"/a.jar": "text", "/a.jar.sha256": sum([]byte("text"))}, "not a valid zip"},
		{"no archive inside", map[string]string{"/a.jar": string(noArchive), "/a.jar.sha256": sum(noArchive) + "\n"}, "no .txz"},
		{"broken archive inside", map[string]string{"/a.jar": string(noXZ), "/a.jar.sha256": sum(noXZ)}, "xz"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				content, ok := test.files[r.URL.Path]
				if !ok {
					http.NotFound(w, r)
					return
				}
				_, _ = w.Write([]byte(content)) // the client notices a short answer
			}))
			defer server.Close()
			err := fetch(t.Context(), server.URL+"/a.jar", t.TempDir())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestRepositoryIsKnown(t *testing.T) {
	t.Parallel()
	url, err := repository()
	if err != nil || !strings.HasPrefix(url, "https://") {
		t.Errorf("repository %q, error %v, want the module's", url, err)
	}
}
