package prune_test

import "fmt"

// write inserts rows, at once, in a transaction that stays open, or behind a savepoint that may be rolled back.
func (w *world) write() {
	wr := w.writers[w.rand.IntN(len(w.writers))]
	if wr.ids == nil {
		w.sql(wr, `BEGIN`)
		wr.ids = []int64{}
	}
	for range 1 + w.rand.IntN(4) {
		savepoint := w.rand.IntN(3) == 0
		if savepoint {
			w.sql(wr, `SAVEPOINT s`)
		}
		w.next++
		w.sql(wr, `INSERT INTO `+w.table+` (id) VALUES ($1)`, w.next)
		if savepoint && w.rand.IntN(3) == 0 {
			w.sql(wr, `ROLLBACK TO s`)
			continue
		}
		wr.ids = append(wr.ids, w.next)
	}
	if w.rand.IntN(3) > 0 {
		w.finish(wr, w.rand.IntN(8) > 0)
	}
}

func (w *world) sql(wr *writer, sql string, args ...any) {
	w.t.Helper()
	if _, err := wr.conn.Exec(w.ctx(), sql, args...); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}

// finish ends a transaction.
func (w *world) finish(wr *writer, commit bool) {
	w.t.Helper()
	if wr.ids == nil {
		return
	}
	if !commit {
		w.sql(wr, `ROLLBACK`)
	} else {
		w.sql(wr, `COMMIT`)
		for _, id := range wr.ids {
			w.committed[id] = true
		}
	}
	wr.ids = nil
}

func (w *world) end() { w.finish(w.writers[w.rand.IntN(len(w.writers))], w.rand.IntN(8) > 0) }

// endAll is for what waits for every transaction.
func (w *world) endAll() {
	for _, wr := range w.writers {
		w.finish(wr, true)
	}
}

func (w *world) exists(slot string) bool {
	return one[bool](w.rig, `SELECT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = $1)`, slot)
}

// take lets a slot's reader have changes.
func (w *world) take(slot string, changes int) {
	w.t.Helper()
	if w.exists(slot) {
		for _, id := range w.rig.relay(slot, changes) {
			w.relayed[slot][id] = true
		}
	}
}

func (w *world) relayLittle() {
	w.take(w.slots[w.rand.IntN(len(w.slots))], 1+w.rand.IntN(30))
}

func (w *world) drop() {
	slot := w.slots[w.rand.IntN(len(w.slots))]
	if w.exists(slot) {
		w.dropSlot(slot)
	}
	if w.rand.IntN(2) == 0 {
		w.write()
		w.make()
	}
}

// make makes what slots are missing. That waits for every transaction.
func (w *world) make() {
	for _, slot := range w.slots {
		if !w.exists(slot) {
			w.endAll()
			w.createSlot(slot)
		}
	}
}

// outAndIn takes the table out of the publication for a while, or makes the publication anew.
func (w *world) outAndIn() {
	for _, s := range w.slots {
		w.take(s, 0) // a slot could not read on without the publication
	}
	w.endAll()
	for _, s := range w.slots {
		w.take(s, 0)
	}
	w.exec(`ALTER PUBLICATION pub DROP TABLE outbox`)
	w.write()
	w.endAll()
	if w.rand.IntN(2) == 0 {
		w.prune(false)
	}
	w.exec(`ALTER PUBLICATION pub ADD TABLE outbox`)
}

// awayAndBack gives the table another name or schema for a while, in which a reader does not know it. It may all be one transaction.
func (w *world) awayAndBack() {
	w.endAll()
	away, back := `ALTER TABLE outbox RENAME TO away`, `ALTER TABLE away RENAME TO outbox`
	name := "away"
	if w.rand.IntN(2) == 0 {
		w.exec(`CREATE SCHEMA IF NOT EXISTS attic`)
		away, back, name = `ALTER TABLE outbox SET SCHEMA attic`, `ALTER TABLE attic.outbox SET SCHEMA public`, "attic.outbox"
	}
	if w.rand.IntN(3) == 0 {
		w.next++
		w.exec(fmt.Sprintf(`BEGIN; %s; INSERT INTO %s (id) VALUES (%d); %s; COMMIT`, away, name, w.next, back))
		w.committed[w.next] = true
		return
	}
	w.exec(away)
	w.table = name
	w.write()
	w.endAll()
	w.exec(back)
	w.table = "outbox"
}

// update gives some rows that are committed another transaction.
func (w *world) update() {
	w.exec(`UPDATE outbox SET payload = 'y' WHERE id % 3 = $1`, w.rand.IntN(3))
}

func (w *world) rewrite() {
	w.endAll()
	if w.rand.IntN(2) == 0 {
		w.exec(`VACUUM FULL outbox`)
	} else {
		w.exec(`ALTER TABLE outbox ADD COLUMN IF NOT EXISTS extra float DEFAULT random(), ALTER payload TYPE ` + []string{"text", "varchar(50)", "varchar(40)"}[w.rand.IntN(3)] + ` USING payload::text || ''`)
	}
}
