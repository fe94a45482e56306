package prune_test

import (
	"os"
	"path/filepath"

	"github.com/outbox-relay/outbox-relay/test/pgserver"
)

// crash loses everything that was not committed, and the slots' recent progress.
func (w *world) crash() {
	w.endAll()
	w.server(pgserver.Immediate, nil)
}

func (w *world) restart() {
	w.endAll()
	w.server(pgserver.Fast, nil)
}

// promote lets the server come up as a standby does that is promoted: on a new timeline.
func (w *world) promote() {
	w.promoteAfter([]pgserver.Mode{pgserver.Fast, pgserver.Immediate}[w.rand.IntN(2)])
}

func (w *world) promoteAfter(mode pgserver.Mode) {
	w.endAll()
	w.server(mode, func() error {
		dir := w.db.Server.DataDir()
		info, err := os.Stat(filepath.Join(dir, "PG_VERSION"))
		if err != nil {
			return err
		}
		signal := filepath.Join(dir, "recovery.signal")
		if err := os.WriteFile(signal, nil, 0o600); err != nil {
			return err
		}
		return ownAs(signal, info)
	})
}

func (w *world) server(mode pgserver.Mode, between func() error) {
	w.t.Helper()
	s := w.db.Server
	if err := s.Stop(w.ctx(), mode); err != nil {
		w.t.Fatal(err)
	}
	if between != nil {
		if err := between(); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := s.Start(w.ctx()); err != nil {
		w.t.Fatal(err)
	}
	w.conn = w.db.Connect(w.t)
	w.until(`SELECT NOT pg_is_in_recovery()`)
	for _, wr := range w.writers {
		wr.conn, wr.ids = w.db.Connect(w.t), nil
	}
}
