// Package shared keeps one server for all tests of a program: started by the first that asks, stopped after the last.
package shared

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
	"time"
)

// M is what testing.M and goleak.TestingM have in common.
type M interface{ Run() int }

// Server is the one server of a test program. A package variable holds it on purpose: a test program has no other
// place that all its tests reach.
type Server[T io.Closer] struct {
	Name    string        // in messages
	Timeout time.Duration // bounds the start
	Start   func(context.Context) (T, error)

	once    sync.Once
	server  T
	started bool
	err     error
}

// Get returns the server; the first call starts it. If it does not start, every test that asks fails.
func (s *Server[T]) Get(t testing.TB) T {
	t.Helper()
	s.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), s.Timeout)
		defer cancel()
		s.server, s.err = s.Start(ctx)
		s.started = s.err == nil
	})
	if s.err != nil {
		t.Fatalf("shared %s: %v", s.Name, s.err)
	}
	return s.server
}

// StopAfter wraps m so that the server is stopped after the tests.
func (s *Server[T]) StopAfter(m M) M { return stopper(func() int { return s.run(m) }) }

type stopper func() int

// Run implements M.
func (s stopper) Run() int { return s() }

func (s *Server[T]) run(m M) int {
	code := m.Run()
	s.once.Do(func() { s.err = errors.New("the tests are over") })
	if !s.started {
		return code
	}
	if err := s.server.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "stop the shared %s: %v\n", s.Name, err)
		return max(code, 1)
	}
	return code
}
