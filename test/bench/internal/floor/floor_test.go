package floor_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outbox-relay/outbox-relay/test/bench/internal/floor"
)

func TestCommandLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		command floor.Command
	}{
		{"bare", floor.Command{Name: floor.ReadCommand}},
		{"full", floor.Command{
			Name:    floor.ProduceCommand,
			Source:  floor.Source{DSN: "postgres://u@h:1/d?sslmode=disable", Slot: "s", Publication: "p"},
			Brokers: []string{"a:1", "b:2"}, Prefix: "x.", Topics: []string{"x.one", "x.two"}, Rows: 7, Payload: 300,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := tt.command.Args()
			if !floor.IsCommand(args) {
				t.Errorf("%q is not seen as a command", args)
			}
			got, err := floor.Parse(args)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.command, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCommandLineRefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"-quick"}, {"floor"}} {
		if floor.IsCommand(args) {
			t.Errorf("%q is seen as a command", args)
		}
	}
	if _, err := floor.Parse([]string{floor.ReadCommand, "-rows", "many"}); err == nil {
		t.Error("a number that is none was accepted")
	}
}
