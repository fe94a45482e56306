package systemd

import (
	"cmp"
	"strings"
)

// report is what the supervisor knows so far.
type report struct {
	notifier *Notifier
	probe    Probe
	ready    bool   // READY=1 was sent
	stopping bool   // STOPPING=1 is to be sent
	status   string // sent last
	failed   error  // first error of sending
}

// once looks at the daemon and sends what is new, with the watchdog's ping while it is alive.
func (r *report) once() {
	notReady := r.probe.Ready()
	status := describe(notReady)
	var lines []string
	if notReady == nil && !r.ready {
		lines = append(lines, "READY=1")
	}
	if r.stopping {
		lines = append(lines, "STOPPING=1")
	}
	if status != r.status {
		lines = append(lines, "STATUS="+status)
	}
	if r.notifier.watchdog > 0 && r.probe.Live() == nil {
		lines = append(lines, "WATCHDOG=1")
	}
	if len(lines) == 0 {
		return
	}
	if err := r.notifier.send(strings.Join(lines, "\n")); err != nil {
		r.failed = cmp.Or(r.failed, err)
		return
	}
	r.ready, r.stopping = r.ready || notReady == nil, false
	r.status = status
}

// maxStatus keeps the line short enough for systemctl status.
const maxStatus = 400

// describe puts the reasons, which stand one a line, into one line.
func describe(notReady error) string {
	if notReady == nil {
		return "ready"
	}
	s := "not ready: " + strings.Join(strings.FieldsFunc(notReady.Error(), func(r rune) bool { return r < ' ' }), "; ")
	return strings.ToValidUTF8(s[:min(len(s), maxStatus)], "")
}
