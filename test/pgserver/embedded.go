package pgserver

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
	"github.com/xi2/xz"

	"github.com/outbox-relay/outbox-relay/test/internal/cachedir"
)

// newestEmbedded is what is taken when nothing is installed and no version is asked for.
const newestEmbedded = 18

// embeddedVersions has one tested minor version for each major.
var embeddedVersions = map[int]string{14: "14.20.0", 15: "15.15.0", 16: "16.11.0", 17: "17.7.0", 18: "18.4.0"}

// embedded returns the published binaries of a major version from the cache, where they are put if they are missing.
func embedded(ctx context.Context, major int) (Binaries, error) {
	version, ok := embeddedVersions[major]
	if !ok {
		return Binaries{}, fmt.Errorf("no embedded binaries are known for PostgreSQL %d", major)
	}
	repository, err := repository()
	if err != nil {
		return Binaries{}, err
	}
	artifact := "embedded-postgres-binaries-" + platform()
	url := fmt.Sprintf("%s/io/zonky/test/postgres/%s/%s/%s-%s.jar", repository, artifact, version, artifact, version)
	dir, err := cachedir.Entry(ctx, artifact+"-"+version, func(ctx context.Context, dir string) error {
		return fetch(ctx, url, dir)
	})
	if err != nil {
		return Binaries{}, err
	}
	return Binaries{Dir: filepath.Join(dir, "bin"), Major: major}, nil
}

// repository is where the embedded-postgres module fetches from, which it does not export. Its own way of fetching
// cannot be used here: it starts a server at once and as the current user, which PostgreSQL refuses to root.
func repository() (string, error) {
	const name = "binaryRepositoryURL"
	url := reflect.ValueOf(embeddedpostgres.DefaultConfig()).FieldByName(name)
	if url.Kind() != reflect.String || url.Len() == 0 {
		return "", fmt.Errorf("the module embedded-postgres has no setting %s any more", name)
	}
	return url.String(), nil
}

// platform is how the artifacts name operating system, processor and C library.
func platform() string {
	arch := runtime.GOARCH
	if arch == "arm64" {
		arch = "arm64v8"
	}
	if _, err := os.Stat("/etc/alpine-release"); err == nil {
		arch += "-alpine"
	}
	return runtime.GOOS + "-" + arch
}

// fetch downloads the jar at url, compares it with its published checksum and unpacks the one archive in it into dir.
func fetch(ctx context.Context, url, dir string) error {
	jar, err := download(ctx, url)
	if err != nil {
		return err
	}
	want, err := download(ctx, url+".sha256")
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(jar); hex.EncodeToString(sum[:]) != strings.TrimSpace(string(want)) {
		return fmt.Errorf("fetch %s: the checksum is not the published one", url)
	}
	files, err := zip.NewReader(bytes.NewReader(jar), int64(len(jar)))
	if err != nil {
		return fmt.Errorf("read %s: %w", url, err)
	}
	for _, f := range files.File {
		if strings.HasSuffix(f.Name, ".txz") {
			return unpack(f, dir)
		}
	}
	return fmt.Errorf("read %s: no .txz file in it", url)
}

func download(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", url, err)
	}
	// A client of its own, so that no idle connection (and its goroutines) stays behind.
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("fetch embedded PostgreSQL binaries: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetch %s: %s", url, resp.Status)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", url, err)
	}
	return body, nil
}

// unpack writes the files of a tar.xz archive below dir, readable for everybody, because the server may run as
// another user than the one who fetches. os.Root keeps names and links of the archive inside dir.
func unpack(f *zip.File, dir string) error {
	archive, err := f.Open()
	if err != nil {
		return fmt.Errorf("unpack %s: %w", f.Name, err)
	}
	defer archive.Close()
	decompressed, err := xz.NewReader(archive, 0)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", f.Name, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", f.Name, err)
	}
	defer root.Close()
	files := tar.NewReader(decompressed)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = unpackOne(root, header, files)
		}
		if err != nil {
			return fmt.Errorf("unpack %s: %w", f.Name, err)
		}
	}
}

func unpackOne(root *os.Root, header *tar.Header, content io.Reader) error {
	name := filepath.Clean(header.Name)
	if header.Typeflag == tar.TypeDir {
		return root.MkdirAll(name, 0o755)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if header.Typeflag == tar.TypeSymlink {
		return root.Symlink(header.Linkname, name)
	}
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644|header.FileInfo().Mode()&0o111)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Close())
}
