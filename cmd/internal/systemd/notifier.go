// Package systemd tells a supervisor that started the program how the program is, by the protocol of sd_notify(3):
// READY=1 once the daemon does its work for the first time, a status line in words whenever it changes, and WATCHDOG=1
// only while the daemon is alive. Without NOTIFY_SOCKET in the environment, which is anywhere but under
// Type=notify, it does nothing.
//
// The protocol is a datagram to a Unix socket, so it is spoken here instead of by a dependency.
package systemd

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"
)

// Probe says how the daemon is; web.Probe has more methods and the same meaning. The methods must not wait.
type Probe interface {
	// Live returns nil unless only a restart can help.
	Live() error
	// Ready returns nil while the daemon does its work.
	Ready() error
}

const (
	// pollEvery is how often Probe is asked: a start is reported at most this late.
	pollEvery = time.Second
	// sendTimeout bounds one datagram: systemd that does not read must not hold the daemon.
	sendTimeout = time.Second
)

// Notifier is the way to the supervisor.
type Notifier struct {
	socket   string        // empty: nobody wants to know
	watchdog time.Duration // 0: no watchdog
}

// FromEnv reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID from an environment as os.Environ returns it. It returns
// an error for values that it cannot use; a Notifier that does nothing comes with it.
func FromEnv(env []string) (*Notifier, error) {
	socket := lookup(env, "NOTIFY_SOCKET")
	if socket == "" {
		return &Notifier{}, nil
	}
	if !strings.HasPrefix(socket, "/") && !strings.HasPrefix(socket, "@") {
		return &Notifier{}, fmt.Errorf("NOTIFY_SOCKET %q is neither a path nor an abstract socket (@name)", socket)
	}
	n := &Notifier{socket: socket}
	usec := lookup(env, "WATCHDOG_USEC")
	if pid := lookup(env, "WATCHDOG_PID"); usec == "" || pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return n, nil // the watchdog is off, or watches another process
	}
	v, err := strconv.ParseInt(usec, 10, 64)
	if err != nil || v <= 0 {
		return n, fmt.Errorf("WATCHDOG_USEC %q is not a number of microseconds", usec)
	}
	n.watchdog = time.Duration(v) * time.Microsecond
	return n, nil
}

// lookup returns a variable's value; the last of several wins, as in a process.
func lookup(env []string, name string) string {
	value := ""
	for _, entry := range env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// Enabled reports whether a supervisor wants to be told.
func (n *Notifier) Enabled() bool { return n.socket != "" }

// Run reports until ctx is done. When stop is closed it reports that the daemon has begun to stop, and goes on, because
// the watchdog watches that too. It returns the first error of sending, if there was one: what is lost is sent
// again, and a supervisor that got nothing restarts the program, so an error is no reason to stop.
func (n *Notifier) Run(ctx context.Context, stop <-chan struct{}, probe Probe) error {
	if !n.Enabled() {
		return nil
	}
	r := report{notifier: n, probe: probe}
	ticker := time.NewTicker(n.interval())
	defer ticker.Stop()
	for {
		r.once()
		select {
		case <-ctx.Done():
			return r.failed
		case <-stop:
			r.stopping = true
			stop = nil // told once
		case <-ticker.C:
		}
	}
}

// interval is the pause between two looks at the probe: at least three fit into the watchdog's time, so that one that
// is late does not kill the daemon.
func (n *Notifier) interval() time.Duration {
	if n.watchdog > 0 {
		return min(pollEvery, n.watchdog/3)
	}
	return pollEvery
}

// send makes one datagram of one or more lines NAME=value.
func (n *Notifier) send(message string) error {
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.socket, Net: "unixgram"}) // a datagram's needs no answer
	if err != nil {
		return fmt.Errorf("notify systemd at %q: %w", n.socket, err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(sendTimeout)); err != nil {
		return fmt.Errorf("notify systemd at %q: %w", n.socket, err)
	}
	if _, err := conn.Write([]byte(message)); err != nil {
		return fmt.Errorf("notify systemd at %q: %w", n.socket, err)
	}
	return nil
}
