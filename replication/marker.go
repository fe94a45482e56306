package replication

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/jackc/pgx/v5"
)

// A snapshot that was not finished must be found again after a crash. What marks
// it is a second slot beside the relay's, at the same position, made first and
// dropped last: it takes no privilege that the relay does not have, works on
// every publication and every service where a slot works, and is durable before
// the relay's own slot exists. The WAL that it keeps is the WAL that the relay's
// slot keeps anyway until the snapshot is finished.

const markerSuffix = "_snapshot"

// markerName is the name of the marker for a slot. A long one is cut, and a hash
// keeps it apart from others that begin alike.
func markerName(slot string) string {
	const longest = 63 - len(markerSuffix)
	if len(slot) <= longest {
		return slot + markerSuffix
	}
	h := fnv.New32a()
	h.Write([]byte(slot)) //nolint:errcheck // never fails
	return fmt.Sprintf("%s_%08x%s", slot[:longest-9], h.Sum32(), markerSuffix)
}

// copyMarker makes the relay's slot at the marker's position.
func copyMarker(ctx context.Context, conn *pgx.Conn, slot string) error {
	return copySlot(ctx, conn, markerName(slot), slot)
}

// copySlot makes a slot at the position of another.
func copySlot(ctx context.Context, conn *pgx.Conn, from, to string) error {
	if _, err := conn.Exec(ctx, `SELECT pg_catalog.pg_copy_logical_replication_slot($1::text::name, $2::text::name)`, from, to); err != nil {
		return fmt.Errorf("make replication slot %q from %q: %w%s", to, from, err, createHint(err))
	}
	return nil
}

// dropSlot drops a slot that may be gone already.
func dropSlot(ctx context.Context, conn *pgx.Conn, name string) error {
	if _, err := conn.Exec(ctx, `SELECT pg_catalog.pg_drop_replication_slot(slot_name) FROM pg_catalog.pg_replication_slots WHERE slot_name = $1`, name); err != nil {
		return fmt.Errorf("drop replication slot %q: %w", name, err)
	}
	return nil
}
