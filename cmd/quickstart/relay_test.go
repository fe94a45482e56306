package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/procs"
)

// pretendEnv makes the test program play a relay.
const pretendEnv = "QUICKSTART_TEST_PRETEND"

func TestMain(m *testing.M) {
	if mode := os.Getenv(pretendEnv); mode != "" {
		pretend(mode)
	}
	goleak.VerifyTestMain(m)
}

// pretend is a relay that goes wrong: it ends before it is ready, or ends with another code than 0.
func pretend(mode string) {
	if mode == "dies" {
		fmt.Println(`{"listen":"127.0.0.1:1"}`)
		os.Exit(1)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	fmt.Println("up")
	<-signals
	fmt.Println("could not drain")
	os.Exit(3)
}

func pretender(t *testing.T, mode string) *relay {
	t.Helper()
	proc, err := procs.Start(procs.Config{Path: os.Args[0], Env: []string{pretendEnv + "=" + mode}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := proc.Close(); err != nil {
			t.Error(err)
		}
	})
	return &relay{Proc: proc}
}

func TestRelayThatDiesIsNotAwaited(t *testing.T) {
	t.Parallel()
	if err := pretender(t, "dies").awaitReady(t.Context()); !errors.Is(err, errEnded) {
		t.Errorf("got %v, want %v", err, errEnded)
	}
}

func TestRelayMustEndWithZero(t *testing.T) {
	t.Parallel()
	r := pretender(t, "fails")
	if _, err := r.WaitLog(t.Context(), 0, procs.Contains("up")); err != nil {
		t.Fatal(err)
	}
	err := r.stop()
	if err == nil || !strings.Contains(err.Error(), "exit code 3") || !strings.Contains(err.Error(), "could not drain") {
		t.Errorf("got %v", err)
	}
}

func TestRelayThatIsNoRelay(t *testing.T) {
	t.Parallel()
	if _, err := openRelay(t.Context(), "/nowhere/outbox-relay", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if r, err := openRelay(t.Context(), os.Args[0], []string{"-test.run=^$"}); err == nil {
		t.Errorf("a program that says nothing is taken for a relay: %v", r)
	}
}
