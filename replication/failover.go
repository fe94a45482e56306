package replication

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// failoverMajor is the first major version of PostgreSQL whose standbys keep
// copies of slots.
const failoverMajor = 17

// checkFailover refuses slot.failover on a server that does not know it. Debezium
// makes an ordinary slot there, which is found out only after a failover.
func (o *opener) checkFailover() error {
	version := o.sql.PgConn().ParameterStatus("server_version")
	if !o.cfg.Failover || major(version) >= failoverMajor {
		return nil
	}
	return configuration("unsupported", fmt.Errorf("slot.failover: PostgreSQL %s has no failover slots, which came with %d; leave the option out", version, failoverMajor))
}

// major reads the first number of a server's version.
func major(version string) int {
	digits := version[:len(version)-len(strings.TrimLeft(version, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// failover turns an existing slot into a failover slot if it is to be one. A slot
// that another process reads keeps what it has until the next start.
func (o *opener) failover(ctx context.Context, info SlotInfo) error {
	if !o.cfg.Failover || info.Failover || info.Active {
		return nil
	}
	_, err := o.repl.Exec(ctx, fmt.Sprintf("ALTER_REPLICATION_SLOT %s ( FAILOVER true )", quoteIdent(o.cfg.Slot))).ReadAll()
	if err != nil && Reason(err) != "slot_active" {
		return fmt.Errorf("make replication slot %q a failover slot: %w", o.cfg.Slot, err)
	}
	return nil
}
