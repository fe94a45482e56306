package prune

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/catalog"
	"github.com/outbox-relay/outbox-relay/cmd/outbox-pruner/internal/proof"
)

// look is one look at everything that a proof needs, each part refused where it proves nothing.
type look struct {
	server       catalog.Server
	slots        map[string]*catalog.Slot
	publications []catalog.Publication // of the named slots
	evidence     proof.Evidence
}

// lookAt takes it. The server's position comes before the slots, as proof.Sighting asks for.
func (p *Pruner) lookAt(ctx context.Context, conn *pgx.Conn, t *catalog.Table) (*look, error) {
	l := &look{}
	var err error
	if l.server, err = catalog.ReadServer(ctx, conn); err != nil {
		return nil, err
	}
	l.evidence = proof.Evidence{System: l.server.System, Table: t.OID, At: l.server.Now, Slots: map[string]proof.Sighting{}, Grounds: map[string]string{}}
	if err := l.readSlots(ctx, conn, p.cfg.Slots); err != nil {
		return nil, err
	}
	if l.evidence.Leaves, err = t.Leaves(ctx, conn); err != nil {
		return nil, err
	}
	for _, s := range p.cfg.Slots {
		publication, err := catalog.ReadPublication(ctx, conn, l.server, s.Publication, t)
		if err != nil {
			return nil, err
		}
		if err := publication.Check(t); err != nil {
			return nil, err
		}
		if err := l.agree(s); err != nil {
			return nil, err
		}
		l.publications = append(l.publications, publication)
		l.evidence.Grounds[s.Name] = publication.Ground
	}
	if err := catalog.CheckShards(l.publications, t); err != nil {
		return nil, err
	}
	return l, nil
}

// readSlots looks at the slots again.
func (l *look) readSlots(ctx context.Context, conn *pgx.Conn, named []Slot) (err error) {
	if l.slots, err = catalog.Slots(ctx, conn, l.server); err != nil {
		return err
	}
	for _, s := range named {
		slot := l.slots[s.Name]
		if err := catalog.CheckSlot(s.Name, conn.Config().Database, slot); err != nil {
			return err
		}
		l.evidence.Slots[s.Name] = slot.Sighting(l.server)
	}
	return nil
}
