package debezium

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
)

// requestTimeout is for one request; the worker creates connectors one after the other and answers when it has.
const requestTimeout = time.Minute

// largestAnswer is above any answer of the REST interface; stack traces are the longest.
const largestAnswer = 4 << 20

// Status is what Connect says of a connector.
type Status struct {
	Connector Instance   `json:"connector"`
	Tasks     []Instance `json:"tasks"`
}

// Instance is a connector or a task of one.
type Instance struct {
	State string `json:"state"` // UNASSIGNED, RUNNING, PAUSED, FAILED, STOPPED or RESTARTING
	Trace string `json:"trace"` // the stack trace of a failure
}

// running errs unless connector and task run.
func (s Status) running() error {
	if s.Connector.State != "RUNNING" || len(s.Tasks) != 1 || s.Tasks[0].State != "RUNNING" {
		return fmt.Errorf("its status is %+v", s)
	}
	return nil
}

// Failure is the stack trace of the part that has failed, or empty.
func (s Status) Failure() string {
	for _, i := range append([]Instance{s.Connector}, s.Tasks...) {
		if i.State == "FAILED" {
			return i.Trace
		}
	}
	return ""
}

// Create adds a connector to the running worker. An error is what Connect says against the configuration.
func (w *Worker) Create(ctx context.Context, c Connector) error {
	text, err := json.Marshal(c)
	if err == nil {
		_, err = w.request(ctx, http.MethodPost, "/connectors", text)
	}
	if err != nil {
		return fmt.Errorf("create connector %q: %w", c.Name, err)
	}
	return nil
}

// StopConnector stops a connector and its task, which commits its offsets, and waits until it is STOPPED. The worker
// runs on.
func (w *Worker) StopConnector(ctx context.Context, connector string) error {
	_, err := w.request(ctx, http.MethodPut, "/connectors/"+connector+"/stop", nil)
	if err == nil {
		err = w.poll(ctx, func(ctx context.Context) error { return w.stopped(ctx, connector) })
	}
	if err != nil {
		return fmt.Errorf("stop connector %q: %w", connector, err)
	}
	return nil
}

// stopped errs while a connector or a task of it is there.
func (w *Worker) stopped(ctx context.Context, connector string) error {
	s, err := w.Status(ctx, connector)
	if err == nil && (s.Connector.State != "STOPPED" || len(s.Tasks) > 0) {
		err = fmt.Errorf("its status is %+v", s)
	}
	return err
}

// ForgetOffsets removes what Connect remembers of a stopped connector's position, so that it starts anew.
func (w *Worker) ForgetOffsets(ctx context.Context, connector string) error {
	if _, err := w.request(ctx, http.MethodDelete, "/connectors/"+connector+"/offsets", nil); err != nil {
		return fmt.Errorf("remove the offsets of connector %q: %w", connector, err)
	}
	return nil
}

// ResumeConnector starts a stopped connector again.
func (w *Worker) ResumeConnector(ctx context.Context, connector string) error {
	if _, err := w.request(ctx, http.MethodPut, "/connectors/"+connector+"/resume", nil); err != nil {
		return fmt.Errorf("resume connector %q: %w", connector, err)
	}
	return nil
}

// Status asks for the state of a connector.
func (w *Worker) Status(ctx context.Context, connector string) (Status, error) {
	var s Status
	body, err := w.request(ctx, http.MethodGet, "/connectors/"+connector+"/status", nil)
	if err == nil {
		err = json.Unmarshal(body, &s)
	}
	if err != nil {
		return s, fmt.Errorf("ask for the status of connector %q: %w", connector, err)
	}
	return s, nil
}

// AwaitStreaming waits until a connector and its task are RUNNING and its slot has a reader, which is when no change
// can be missed any more. conn is a connection to the server that has the slot.
func (w *Worker) AwaitStreaming(ctx context.Context, connector, slot string, conn *pgx.Conn) error {
	var failure string
	err := w.poll(ctx, func(ctx context.Context) error {
		s, err := w.Status(ctx, connector)
		if err != nil {
			return err
		}
		if failure = s.Failure(); failure != "" {
			return nil
		}
		if err := s.running(); err != nil {
			return err
		}
		return active(ctx, slot, conn)
	})
	if failure != "" {
		err = errors.New(failure)
	}
	if err != nil {
		return fmt.Errorf("wait until connector %q streams: %w", connector, err)
	}
	return nil
}

// AwaitFailure waits until a connector or its task has failed and returns the stack trace.
func (w *Worker) AwaitFailure(ctx context.Context, connector string) (trace string, err error) {
	err = w.poll(ctx, func(ctx context.Context) error {
		s, err := w.Status(ctx, connector)
		if trace = s.Failure(); err == nil && trace == "" {
			err = fmt.Errorf("its status is %+v", s)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("wait until connector %q has failed: %w", connector, err)
	}
	return trace, nil
}

// active errs unless somebody reads the slot.
func active(ctx context.Context, slot string, conn *pgx.Conn) error {
	var pid *int
	err := conn.QueryRow(ctx, `SELECT active_pid FROM pg_replication_slots WHERE slot_name = $1`, slot).Scan(&pid)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("slot %q is not there yet", slot)
	case err != nil:
		return fmt.Errorf("look for slot %q: %w", slot, err)
	case pid == nil:
		return fmt.Errorf("nobody reads slot %q yet", slot)
	}
	return nil
}

// request makes one request and returns the body of a successful answer.
func (w *Worker) request(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+w.addr+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err // it names method and URL
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, largestAnswer))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if resp.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s: status %d: %.2000s", method, path, resp.StatusCode, answer)
	}
	return answer, nil
}
