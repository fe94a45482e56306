package preflight

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router/kafka"
)

// notes collects findings of one server.
type notes struct {
	prefix string
	report Report
}

func (n *notes) add(f Finding) {
	f.Check = n.prefix + f.Check
	f.Message = oneLine(f.Message)
	n.report = append(n.report, f)
}

// oneLine joins the lines of a message, each once: pgx tells every attempt.
func oneLine(text string) string {
	var out string
	var seen []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || slices.Contains(seen, line) {
			continue
		}
		seen = append(seen, line)
		switch {
		case out == "":
			out = line
		case strings.HasSuffix(out, ":"):
			out += " " + line
		default:
			out += "; " + line
		}
	}
	return out
}

func (n *notes) ok(check, format string, args ...any) {
	n.add(Finding{Check: check, Level: OK, Message: fmt.Sprintf(format, args...)})
}

// warn is for what works, but not as it should. repair may be empty.
func (n *notes) warn(check, repair, format string, args ...any) {
	f := Finding{Check: check, Level: Warning, Message: fmt.Sprintf(format, args...), Repair: repair}
	if strings.HasPrefix(repair, "ALTER SYSTEM ") { // which allows no other statement beside it
		f.Then = "SELECT pg_reload_conf()"
	}
	n.add(f)
}

// fail notes an error, or each of those that are joined in it.
func (n *notes) fail(check string, err error) {
	for _, e := range apart(err) {
		f := Finding{Check: check, Level: Error, Message: e.Error(), Code: code(err)}
		var mend *replication.Remedy
		if errors.As(e, &mend) {
			f.Message, f.Repair, f.Then = mend.Err.Error(), strings.Join(mend.SQL, "; "), mend.Then
		}
		n.add(f)
	}
}

// judge notes an error, or that there is none.
func (n *notes) judge(check string, err error, format string, args ...any) {
	if err != nil {
		n.fail(check, err)
		return
	}
	n.ok(check, format, args...)
}

// apart finds the errors that were joined somewhere in the chain.
func apart(err error) []error {
	for e := err; e != nil; e = errors.Unwrap(e) {
		joined, ok := e.(interface{ Unwrap() []error })
		if !ok {
			continue
		}
		if parts := joined.Unwrap(); errors.Join(parts...).Error() == err.Error() {
			return parts
		}
		break
	}
	return []error{err}
}

// code is the exit code that a start would end with.
func code(err error) int {
	if errors.As(err, new(*kafka.ConfigError)) {
		return daemon.Config
	}
	switch replication.ClassOf(err) {
	case replication.Configuration:
		return daemon.Config
	case replication.Human:
		return daemon.Human
	}
	return daemon.Restart
}
