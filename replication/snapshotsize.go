package replication

import (
	"context"
	"encoding/json"
)

// Rows is about how many rows the snapshot has, as the planner guesses from the
// size of the tables: at once, and for tables without statistics too. It is 0 if
// there is no telling. Call it before Run.
func (s *Snapshot) Rows(ctx context.Context) int64 {
	total := int64(0)
	for i := range s.tables {
		rows, err := s.planned(ctx, &s.tables[i])
		if err != nil {
			return 0 // reading the rows will say the same in its own words
		}
		total += rows
	}
	return total
}

// planned asks for one table, of whose rows each shard has its part. A failure must not end the snapshot's transaction.
func (s *Snapshot) planned(ctx context.Context, t *table) (int64, error) {
	if _, err := s.conn.PgConn().Exec(ctx, "SAVEPOINT estimate").ReadAll(); err != nil {
		return 0, err
	}
	var plan []byte
	err := s.conn.QueryRow(ctx, "EXPLAIN (FORMAT JSON) SELECT FROM "+t.only()).Scan(&plan)
	if _, err := s.conn.PgConn().Exec(ctx, "ROLLBACK TO SAVEPOINT estimate; RELEASE SAVEPOINT estimate").ReadAll(); err != nil {
		return 0, err
	}
	if err != nil {
		return 0, err
	}
	var root []struct {
		Plan struct {
			Rows float64 `json:"Plan Rows"`
		}
	}
	if err := json.Unmarshal(plan, &root); err != nil || len(root) == 0 {
		return 0, err
	}
	return int64(root[0].Plan.Rows) / int64(max(1, s.cfg.Shard.Count)), nil
}
