package proctest_test

import (
	"context"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outbox-relay/outbox-relay/test/procs"
	"github.com/outbox-relay/outbox-relay/test/proctest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(proctest.WithShared(m)) }

const hello = "github.com/outbox-relay/outbox-relay/test/procs/testdata/hello"

func TestProgramIsBuiltOnceAndRuns(t *testing.T) {
	t.Parallel()
	path := proctest.Build(t, hello)
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if again := proctest.Build(t, hello); again != path {
		t.Errorf("second build is %s, want %s", again, path)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the program was built twice (%v)", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	p := proctest.StartProgram(t, procs.Config{Path: path})
	if _, err := p.WaitLog(ctx, 0, procs.Contains("hello")); err != nil {
		t.Error(err)
	}
}

func TestProgramEndsWithItsTest(t *testing.T) {
	t.Parallel()
	var p *procs.Proc
	t.Run("test", func(t *testing.T) {
		p = proctest.StartProgram(t, procs.Config{Path: "/bin/sleep", Args: []string{"600"}})
		if !p.Running() {
			t.Error("the program has ended early")
		}
	})
	if p.Running() {
		t.Error("the program runs after its test")
	}
}
