package replication

import (
	"context"
	"errors"
)

// shards judges the publications and slots of all shards together, and reports whether
// a start makes what is missing of them.
func (s *Survey) shards(ctx context.Context, o *opener) (makes bool) {
	if s.Unsupported != nil || s.TablesErr != nil {
		return false // what they are to carry must be there first
	}
	set, plan, err := o.planShards(ctx)
	if err != nil {
		s.Publication.Err = errors.Join(s.Publication.Err, err)
		s.Publication.Missing = false
		return false
	}
	if plan == useShards {
		s.Unread, s.Siblings = set.siblings()
		return false
	}
	s.toMake = len(set.missing())
	return true
}
