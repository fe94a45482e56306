package pipeline

import (
	"fmt"

	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/schema"
)

// routable tells why rows of a table could not be relayed, before one comes.
func routable(cfg *Config) func(*schema.Relation) error {
	return func(rel *schema.Relation) error { return Bind(cfg.Router, rel, cfg.ExcludeColumns) }
}

// tellTables logs once when publication and tables stop being as they must be, and
// once when they are again. It is for Watch alone.
func (r *Relay) tellTables(s *replication.Sample) {
	v := r.state.view()
	if s.Err != nil || !v.streaming || !s.At.After(v.since) { // a first start makes the publication
		return
	}
	text := ""
	if s.Tables != nil {
		text = s.Tables.Error()
	}
	if text == r.unfit {
		return
	}
	r.unfit = text
	if text == "" {
		r.log.Info().Msg("new rows are relayed again; look for those committed in between: what was not published never comes through the slot")
		return
	}
	r.log.Error().Err(s.Tables).Str("reason", replication.Reason(s.Tables)).Msg("new rows may not be relayed")
}

// oldShape is the way out for rows that the router cannot take as they were written.
func oldShape(slot string) string {
	return fmt.Sprintf(". Rows come as they were written, so no option helps if it was so only for a while, behind a column list or without a column that is back: "+
		"then drop the slot (SELECT pg_drop_replication_slot('%s')) and start once with -snapshot.mode when_needed, which relays all rows that the table holds", slot)
}
