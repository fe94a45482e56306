package replication

import (
	"io"
	"net"
	"testing"
	"time"
)

// The reader paces itself only while data arrives densely.
func TestPacer(t *testing.T) {
	t.Parallel()
	start := time.Unix(1000, 0)
	tests := []struct {
		name     string
		arrivals []int // bytes, one arrival each 100 µs
		want     bool
	}{
		{"nothing yet", nil, false},
		{"single rows", []int{400, 0, 0, 0, 0, 0, 0, 0, 0, 400, 0}, false},
		{"5,000 rows of 400 bytes a second", []int{0, 400, 0, 400, 0, 400, 0, 400, 0, 400, 0, 400}, false},
		{"a backlog", []int{4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000}, true},
		{"caught up again", append(repeat(4000, 11), repeat(40, 11)...), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := pacer{since: start}
			for i, n := range tt.arrivals {
				p.arrived(n, start.Add(time.Duration(i+1)*100*time.Microsecond))
			}
			if p.behind != tt.want {
				t.Errorf("behind: %t, want %t", p.behind, tt.want)
			}
		})
	}
}

func repeat(n, times int) []int {
	out := make([]int, times)
	for i := range out {
		out[i] = n
	}
	return out
}

// The owner is told before each wait for the network, and only then, and what
// is read is what was written, in pieces of any size.
func TestWireTellsBeforeItWaits(t *testing.T) {
	t.Parallel()
	here, there := net.Pipe()
	defer here.Close()
	go func() {
		defer there.Close()
		io.WriteString(there, "abcdef") //nolint:errcheck // the reader sees what is missing
		io.WriteString(there, "gh")     //nolint:errcheck // as above
	}()
	w := newWire(here, time.Millisecond)
	waits := 0
	w.wait = func() { waits++ }
	buf := make([]byte, 4)
	var got []string
	for {
		n, err := w.Read(buf)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(buf[:n]))
	}
	if len(got) != 3 || got[0] != "abcd" || got[1] != "ef" || got[2] != "gh" {
		t.Errorf("read %q", got)
	}
	if waits != 3 {
		t.Errorf("told %d times before a wait, want 3: before each write and before the end", waits)
	}
}
