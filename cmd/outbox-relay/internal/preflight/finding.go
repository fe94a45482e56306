// Package preflight finds out whether a relay would work as it is configured,
// without reading, making or moving anything. The verdicts are those of the
// packages that do the work; here they get their words, their remedies and an
// exit code.
package preflight

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
)

// Level says how a finding matters.
type Level string

// The levels.
const (
	OK      Level = "ok"
	Warning Level = "warning" // a start would succeed
	Error   Level = "error"   // a start would fail, or send nothing
)

// Finding is the result of one check.
type Finding struct {
	Check   string `json:"check"` // postgresql.slot
	Level   Level  `json:"level"`
	Message string `json:"message"`
	Repair  string `json:"repair,omitempty"` // SQL, a command or an option that mends it
	Then    string `json:"then,omitempty"`   // what must follow, for instance a restart
	Code    int    `json:"exit_code"`        // that a start would end with, or keep trying with (1); 0 unless an error
}

// Report is all findings, in the order in which a start depends on them.
type Report []Finding

// ExitCode is the gravest of the findings': 0 if there is no error, 1 if trying
// again may help, 2 if the configuration of relay, server or cluster must change,
// 3 if a person must decide.
func (r Report) ExitCode() int {
	code := daemon.OK
	for i := range r {
		code = max(code, r[i].Code)
	}
	return code
}

// Text writes one line for each finding.
func (r Report) Text(w io.Writer) error {
	for i := range r {
		f := &r[i]
		line := fmt.Sprintf("%-7s  %-22s  %s", f.Level, f.Check, f.Message)
		if f.Repair != "" {
			line += "; repair: " + f.Repair
		}
		if f.Then != "" {
			line += "; then " + f.Then
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// JSON writes one object with the exit code and the findings.
func (r Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false) // people read it
	return e.Encode(struct {
		ExitCode int       `json:"exit_code"`
		Checks   []Finding `json:"checks"`
	}{r.ExitCode(), r})
}
