package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Copy starts a server over a copy of this one's data, which must be stopped for as long as the call lasts. The copy
// has a port of its own and the given configuration, whose Major and Password do not count. With replication slots it
// is what a restored snapshot of the disk is; without them it is what pg_basebackup makes (which the binaries for
// embedded use lack): with a file standby.signal and the setting primary_conninfo it follows this server. The caller must call
// Close.
func (s *Server) Copy(ctx context.Context, config Config, slots bool) (*Server, error) {
	if s.Running() {
		return nil, errors.New("copy a PostgreSQL server: it runs")
	}
	config.Password = s.config.Password
	c := &Server{config: config, bin: s.bin, account: s.account}
	if err := c.makeFolders(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if err := c.copyData(s.DataDir(), slots); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if err := c.writeFiles(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if err := c.firstStart(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// copyData copies a data directory with everything in it, but for the slots if they are not wanted.
func (s *Server) copyData(from string, slots bool) error {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() && filepath.Dir(name) == "pg_replslot" && !slots {
			return filepath.SkipDir
		}
		to := filepath.Join(s.DataDir(), name)
		if entry.IsDir() {
			err = os.Mkdir(to, 0o700)
		} else {
			err = copyFile(to, path)
		}
		if err != nil {
			return err
		}
		return s.account.own(to)
	})
	if err != nil {
		return fmt.Errorf("copy the data of a server: %w", err)
	}
	return nil
}

func copyFile(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
