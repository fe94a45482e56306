package preflight

import (
	"fmt"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/replication"
)

func (n *notes) slot(c *Config, s *replication.Survey) {
	o, name := &s.Slot, c.Replication.Slot
	if s.StandbyErr != nil {
		return // the slot is on the primary, and none must be made because it is not here
	}
	switch {
	case replication.Reason(o.Err) == "slot_lost" || replication.Reason(o.Err) == "slot_ahead":
		n.add(Finding{Check: "slot", Level: Error, Code: daemon.Human, Message: o.Err.Error(),
			Repair: fmt.Sprintf("SELECT pg_drop_replication_slot('%s')", name), Then: "start once with -slot.create, after the missing events were sent again"})
	case replication.Reason(o.Err) == "slot_missing":
		n.add(Finding{Check: "slot", Level: Error, Code: daemon.Human, Message: o.Err.Error(), Repair: "-slot.create"})
	case o.Err != nil:
		n.fail("slot", o.Err)
		n.report[len(n.report)-1].Repair = otherSlot(o)
	case o.Missing:
		n.judge("slot", s.FreeSlot, "%q does not exist; a start makes it (%d of %d slots are in use)", name, s.Slots.Used, s.Slots.Most)
	case o.Holder != "":
		n.warn("slot", "", "%q is being read by %s: a start would wait until it lets go", name, o.Holder)
	default:
		n.ok("slot", "%q is confirmed to %s; the server keeps %d bytes of WAL for it", name, o.Confirmed, o.Retained)
	}
	if o.Younger {
		n.warn("publication", "", "%q was made or altered after %q last moved its view of the catalog. If it was dropped and made again while rows were written that the slot has yet to read, a start will end with code 3 at the first of them; a check cannot see those rows", c.Replication.Publication, name)
	}
	if o.Snapshot != nil {
		n.fail("slot", o.Snapshot)
		n.report[len(n.report)-1].Repair = "-snapshot.mode initial"
	}
}

// otherSlot is the option that chooses a slot which this relay can read.
func otherSlot(o *replication.SlotSurvey) string {
	switch replication.Reason(o.Err) {
	case "slot_type", "slot_plugin", "slot_two_phase":
		return "-slot.name ANOTHER"
	case "slot_database":
		return "-database.dbname " + o.Info.Database
	}
	return ""
}

// keeping is about what the server does to a slot that nobody reads for long.
func (n *notes) keeping(s *replication.Survey) {
	if s.Settings["max_slot_wal_keep_size"] == "-1" {
		n.warn("max_slot_wal_keep_size", "ALTER SYSTEM SET max_slot_wal_keep_size = '50GB'", "it has no limit: while Kafka is down the slot keeps WAL until the disk is full. Choose what the disk can spare: beyond it events are lost, so alert on outbox_relay_slot_retained_bytes earlier")
	} else {
		n.ok("max_slot_wal_keep_size", "%s MB", s.Settings["max_slot_wal_keep_size"])
	}
	if idle := s.Settings["idle_replication_slot_timeout"]; idle != "" && idle != "0" {
		n.warn("idle_replication_slot_timeout", "ALTER SYSTEM SET idle_replication_slot_timeout = 0", "a relay that is stopped for longer than %s s loses its slot, and events with it", idle)
	}
}

// synchronous is about commits that would wait for the relay, and so for Kafka.
func (n *notes) synchronous(c *Config, s *replication.Survey) {
	if s.SynchronousTrap(c.Replication.ApplicationName) {
		n.warn("synchronous_standby_names", "ALTER SYSTEM SET synchronous_standby_names = 'NAMES OF THE STANDBYS'", "%q counts this relay as a standby: commits would wait for Kafka", s.Settings["synchronous_standby_names"])
		return
	}
	n.ok("synchronous_standby_names", "no commit waits for this relay")
}
