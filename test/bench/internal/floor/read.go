package floor

import (
	"context"
	"fmt"
	"io"

	"github.com/jackc/pglogrepl"
)

// Read reads rows rows of a backlog and drops them, at the pace of a reader that is far behind, and returns when it has
// seen them all.
func Read(ctx context.Context, source Source, rows int) error {
	p := newPaced()
	defer p.stop()
	s, err := open(ctx, source, func(r io.Reader) io.Reader {
		p.Reader = r
		return p
	})
	if err != nil {
		return err
	}
	if err := p.slowDown(s.conn.Conn()); err != nil {
		return fmt.Errorf("pace the reads: %w", err)
	}
	return s.run(ctx, &counter{left: rows})
}

// counter counts rows down.
type counter struct {
	left int
	end  pglogrepl.LSN
}

func (c *counter) insert(context.Context, []byte) error {
	if c.left--; c.left <= 0 {
		return errEnough
	}
	return nil
}

func (c *counter) commit(end pglogrepl.LSN) { c.end = end }
func (c *counter) confirm() pglogrepl.LSN   { return c.end }
