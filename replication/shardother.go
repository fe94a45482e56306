package replication

import (
	"context"
	"fmt"
	"strings"
)

// refuseOtherCount keeps a first start from beginning while slots of the same name with
// another number of shards, or with none, are there. Their relays may have older rows of
// the same keys to send, which would come behind the younger ones of this start.
func (o *opener) refuseOtherCount(ctx context.Context) error {
	if o.last.SystemID != "" {
		return nil // this process reads its slot, or has lost it
	}
	base := o.cfg.Slot
	if o.cfg.Shard.divided() {
		base = o.cfg.Shard.slot
	}
	var mine []string
	for _, shard := range o.cfg.shards() {
		mine = append(mine, shard.Slot)
	}
	others, err := bounded(ctx, func(ctx context.Context) (names []string, err error) {
		err = o.sql.QueryRow(ctx, `SELECT coalesce(array_agg(slot_name::text ORDER BY slot_name), '{}') FROM pg_catalog.pg_replication_slots
			WHERE database = current_database() AND slot_type = 'logical' AND NOT slot_name = ANY ($3)
				AND (slot_name = $1 OR slot_name ~ ('^' || $1::text || '_[0-9]+_of_[0-9]+$'))
				AND NOT EXISTS (SELECT FROM pg_catalog.pg_replication_slots WHERE slot_name = $2)`, base, o.cfg.Slot, mine).Scan(&names)
		return names, err
	})
	if err != nil {
		return fmt.Errorf("look for slots of another number of shards: %w", err)
	}
	if len(others) == 0 {
		return nil
	}
	return human("shards_other", fmt.Errorf("replication slot %q does not exist, and %s does: the outbox was relayed with another -shard.count, and a start now could send events before older ones of the same key. "+
		"Change the number by the steps in docs/sharding.md; or, if those slots are of no use any more, drop them (SELECT pg_drop_replication_slot(%s)), or name another with -slot.name",
		o.cfg.Slot, strings.Join(quoted(others), ", "), quoteLiteral(others[0])))
}
