package observe

import (
	"os"
	"testing"
)

func TestSwitches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, status string
		want         int64
		wantErr      bool
	}{
		{"the field", "Name:\tx\nvoluntary_ctxt_switches:\t123\nnonvoluntary_ctxt_switches:\t7\n", 123, false},
		{"not the other one, of which it is a part", "nonvoluntary_ctxt_switches:\t7\n", 0, true},
		{"no number", "voluntary_ctxt_switches:\tmany\n", 0, true},
		{"empty", "", 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := switches([]byte(tt.status))
			if got != tt.want && err == nil || (err != nil) != tt.wantErr {
				t.Errorf("got %d, %v, want %d", got, err, tt.want)
			}
		})
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	u, err := Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if u.PeakRSS < 1<<20 || u.Switches == 0 {
		t.Errorf("this process has used %+v", u)
	}
	if _, err := Read(1 << 30); err == nil {
		t.Error("a process that does not exist has used something")
	}
}
