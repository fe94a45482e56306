package pipeline

import (
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/outbox-relay/outbox-relay/replication"
)

// ignored tells about changes of the outbox table that are not relayed: the
// first at once, then one line in ignoredEvery with how many there were.
type ignored struct {
	log    zerolog.Logger
	count  int
	logged time.Time
}

const ignoredEvery = 30 * time.Second

func (i *ignored) note(table fmt.Stringer, op replication.Op, lsn fmt.Stringer, asError bool) {
	i.count++
	now := time.Now()
	if now.Sub(i.logged) < ignoredEvery {
		return
	}
	e := i.log.Warn()
	if asError {
		e = i.log.Error()
	}
	e.Stringer("table", table).Stringer("operation", op).Stringer("lsn", lsn).Int("count", i.count).
		Msg("change of the outbox table is not an INSERT and was not relayed")
	i.count, i.logged = 0, now
}
