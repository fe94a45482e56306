package pgserver

import (
	"fmt"
	"os"
	"path/filepath"
)

// WriteFile puts a file into the data directory, as the server insists on having them: its own, for nobody else to read.
// A file that is there is replaced at once, never half.
func (s *Server) WriteFile(name string, content []byte) error {
	path := filepath.Join(s.DataDir(), name)
	temporary := path + ".new"
	if err := os.WriteFile(temporary, content, 0o600); err != nil {
		return fmt.Errorf("write %s of the server: %w", name, err)
	}
	if err := s.account.own(temporary); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("replace %s of the server: %w", name, err)
	}
	return nil
}

// writeFiles writes those of the configuration.
func (s *Server) writeFiles() error {
	for name, content := range s.config.Files {
		if err := s.WriteFile(name, content); err != nil {
			return err
		}
	}
	return nil
}
