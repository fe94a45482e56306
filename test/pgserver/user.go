package pgserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the user the server runs as; the zero value means the current one.
type account struct {
	credential *syscall.Credential
}

// serverAccount chooses an unprivileged user when the program runs as root, which PostgreSQL refuses.
func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	for _, name := range []string{"nobody", "postgres", "daemon"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			return account{}, fmt.Errorf("look up user %s: %w", name, err)
		}
		return account{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return account{}, errors.New("PostgreSQL does not run as root, and none of the users nobody, postgres, daemon exists")
}

// own gives path to the account.
func (a account) own(path string) error {
	if a.credential == nil {
		return nil
	}
	if err := os.Chown(path, int(a.credential.Uid), int(a.credential.Gid)); err != nil {
		return fmt.Errorf("give a folder to the user PostgreSQL runs as: %w", err)
	}
	return nil
}

// reachable reports an error when the account may not enter dir or a folder above it. Only the permission for others
// is looked at: the chosen users own nothing on the way.
func (a account) reachable(dir string) error {
	if a.credential == nil {
		return nil
	}
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return fmt.Errorf("look at the folders of PostgreSQL: %w", err)
		}
		if info.Mode()&fs.FileMode(0o001) == 0 {
			return fmt.Errorf("PostgreSQL can not run as root, and the user it runs as can not enter %s", dir)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}
