package pipeline

import (
	"github.com/outbox-relay/outbox-relay/replication"
	"github.com/outbox-relay/outbox-relay/router"
	"github.com/outbox-relay/outbox-relay/schema"
)

// Bind tells whether rows of a table could be routed, as the relay finds out
// before the first one. exclude is column.exclude.list.
func Bind(r *router.Router, rel *schema.Relation, exclude replication.List) error {
	_, err := r.Bind(newTarget(rel, exclude).rel)
	return err
}
