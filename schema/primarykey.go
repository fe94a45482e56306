package schema

// PrimaryKey returns the positions of the columns that make up the key of a row,
// in table order: those of the primary key or, without one, of the index that is
// the replica identity. It is nil for a table that has neither.
func (r *Relation) PrimaryKey() []int {
	var primary, identity []int
	for i := range r.Columns {
		if r.Columns[i].Primary {
			primary = append(primary, i)
		}
		if r.Columns[i].Key && r.ReplicaIdentity == 'i' {
			identity = append(identity, i)
		}
	}
	if primary != nil {
		return primary
	}
	return identity
}
