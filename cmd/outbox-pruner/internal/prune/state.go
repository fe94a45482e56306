package prune

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
)

// tableState is what /status tells of a table.
type tableState struct {
	Table     string     `json:"table"`
	Waiting   bool       `json:"another_pruner_at_work"`
	Walking   bool       `json:"pruning"`
	Deleted   int64      `json:"deleted_in_pass"`
	Rest      int64      `json:"rest_estimate"`
	Unproven  int64      `json:"kept_unproven"`
	Bytes     int64      `json:"bytes"`
	Live      int64      `json:"live_rows_estimate"`
	Dead      int64      `json:"dead_rows_estimate"`
	OldestRow *time.Time `json:"oldest_row,omitempty"`
	Others    []string   `json:"slots_not_named,omitempty"`
}

// state is what the endpoint shows. Its methods are for several goroutines.
type state struct {
	grace time.Duration // how long after a success a pruner is called ready

	mu      sync.Mutex
	started time.Time
	success time.Time
	last    error
	tables  []*tableState
}

func newState(cfg Config) *state {
	s := &state{started: time.Now(), grace: 3*cfg.Interval + cfg.ConfirmTimeout}
	for _, t := range cfg.Targets {
		s.tables = append(s.tables, &tableState{Table: t.Table.String()})
		cfg.Metrics.start(t.Table.String())
	}
	return s
}

// change finds a table and changes what is known of it.
func (s *state) change(table string, do func(*tableState)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		if t.Table == table {
			do(t)
		}
	}
}

func (s *state) waiting(table string, waiting bool) {
	s.change(table, func(t *tableState) { t.Waiting = waiting })
}

func (s *state) walking(table string, deleted, rest int64) {
	s.change(table, func(t *tableState) { t.Walking, t.Deleted, t.Rest = true, deleted, rest })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.success = time.Now() // a pass of hours is work that is being done
}

func (s *state) passed(table string, p *progress, err error) {
	s.change(table, func(t *tableState) {
		t.Walking, t.Deleted = false, p.gone
		if err == nil {
			t.Rest, t.Unproven = 0, p.kept
		}
	})
}

func (s *state) measured(table string, size catalog.Size, oldest *time.Time) {
	s.change(table, func(t *tableState) { t.Bytes, t.Live, t.Dead, t.OldestRow = size.Bytes, size.Live, size.Dead, oldest })
}

func (s *state) others(table string, others []catalog.Other) {
	s.change(table, func(t *tableState) {
		t.Others = nil
		for _, o := range others {
			t.Others = append(t.Others, o.Slot)
		}
	})
}

// ran notes the end of a round of passes.
func (s *state) ran(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = err
	if err == nil {
		s.success = time.Now()
	}
}

// Live implements web.Probe: nothing but a restart by hand helps a pruner that runs.
func (p *Pruner) Live() error { return nil }

// Ready implements web.Probe: the last round of passes succeeded, not too long ago.
func (p *Pruner) Ready() error {
	s := p.state
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.last != nil:
		return s.last
	case s.success.IsZero():
		return errors.New("the first pass is not finished")
	case time.Since(s.success) > s.grace:
		return fmt.Errorf("no pass has succeeded for %s", time.Since(s.success).Round(time.Second))
	}
	return nil
}

// Status implements web.Probe.
func (p *Pruner) Status() any {
	ready := p.Ready()
	s := p.state
	s.mu.Lock()
	defer s.mu.Unlock()
	status := struct {
		Ready       bool         `json:"ready"`
		Slots       []string     `json:"slots"`
		Started     time.Time    `json:"started"`
		LastSuccess *time.Time   `json:"last_success,omitempty"`
		LastError   string       `json:"last_error,omitempty"`
		Tables      []tableState `json:"tables"`
	}{Ready: ready == nil, Slots: p.cfg.names(), Started: s.started}
	if !s.success.IsZero() {
		at := s.success
		status.LastSuccess = &at
	}
	if s.last != nil {
		status.LastError = s.last.Error()
	}
	for _, t := range s.tables {
		status.Tables = append(status.Tables, *t)
	}
	return status
}
