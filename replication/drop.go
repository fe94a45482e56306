package replication

import (
	"context"
	"fmt"
	"time"
)

// dropPoll is how often dropping a slot is tried while it is still in use.
const dropPoll = 100 * time.Millisecond

// DropSlot drops the slot that cfg names, once nobody reads it any more. A slot
// that is gone already is no error.
func DropSlot(ctx context.Context, cfg Config) error {
	conn, err := cfg.Dial(ctx)
	if err != nil {
		return fmt.Errorf("drop replication slot %q: %w", cfg.Slot, err)
	}
	defer closeSQL(conn)
	for {
		err := dropSlot(ctx, conn, cfg.Slot)
		if err == nil || Reason(err) != "slot_active" {
			return err
		}
		if pause(ctx, dropPoll) != nil {
			return err
		}
	}
}
