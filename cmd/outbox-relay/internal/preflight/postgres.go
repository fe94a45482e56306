package preflight

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/outbox-relay/outbox-relay/cmd/internal/daemon"
	"github.com/outbox-relay/outbox-relay/replication"
)

// postgres checks the database's side.
func postgres(ctx context.Context, c *Config) Report {
	n := &notes{prefix: "postgresql."}
	s, err := replication.Inspect(ctx, c.Replication)
	if err != nil {
		n.fail("connection", err)
		n.hbaLine(c, err)
		return n.report
	}
	n.ok("connection", "%s, %s", c.Database, s.Encryption)
	n.version(s)
	n.role(s)
	n.standby(s)
	n.replication(c, s)
	n.walLevel(s)
	n.publication(c, s)
	n.tables(c, s)
	n.slot(c, s)
	n.shards(c, s)
	n.keeping(s)
	n.synchronous(c, s)
	return n.report
}

// hbaLine adds the line that pg_hba.conf lacks, in the form that it takes.
func (n *notes) hbaLine(c *Config, err error) {
	config, parseErr := c.Replication.Connect()
	if parseErr != nil || !strings.Contains(err.Error(), "no pg_hba.conf entry") {
		return
	}
	last := &n.report[len(n.report)-1]
	last.Repair = fmt.Sprintf("add to pg_hba.conf: hostssl %q %q CLIENT-ADDRESS scram-sha-256", config.Database, config.User)
	last.Then = "SELECT pg_reload_conf()"
}

func (n *notes) version(s *replication.Survey) {
	if s.Newer() {
		n.warn("version", "", "PostgreSQL %s is newer than every version that this release was tested with", s.Version)
	} else {
		n.ok("version", "PostgreSQL %s", s.Version)
	}
	if s.Unsupported != nil {
		n.fail("version", s.Unsupported)
	}
}

func (n *notes) role(s *replication.Survey) {
	r := &s.Role
	switch {
	case r.Super:
		n.warn("role", "", "%s is a superuser, which is more than the relay needs: LOGIN and REPLICATION do", r.Name)
	case r.Replication:
		n.ok("role", "%s has REPLICATION", r.Name)
	case r.Group != "":
		n.ok("role", "%s is a member of %s", r.Name, r.Group)
	case s.Replication == nil:
		n.ok("role", "%s may replicate", r.Name)
	}
	// Without the right, the replication connection is what fails and says so.
}

func (n *notes) standby(s *replication.Survey) {
	switch {
	case s.StandbyErr != nil:
		n.fail("standby", s.StandbyErr)
		n.report[len(n.report)-1].Repair = "add target_session_attrs=read-write to -database.url"
	case s.Standby:
		n.warn("standby", "add target_session_attrs=read-write to -database.url", "the server is a standby: the slot there goes with it, and no publication can be made or changed")
	}
}

// replication is about the second connection. A line of pg_hba.conf and the role
// decide about it, and it takes a walsender.
func (n *notes) replication(c *Config, s *replication.Survey) {
	if s.Replication != nil {
		n.fail("replication", s.Replication)
		n.hbaLine(c, s.Replication)
		return
	}
	n.ok("replication", "a replication connection can be opened; system %s; %d of %d walsenders were in use before", s.SystemID, s.Senders.Used, s.Senders.Most)
}

func (n *notes) walLevel(s *replication.Survey) {
	if level := s.Settings["wal_level"]; level != "logical" {
		n.add(Finding{Check: "wal_level", Level: Error, Code: daemon.Config, Message: "it is " + level + "; logical decoding needs logical",
			Repair: "ALTER SYSTEM SET wal_level = 'logical'", Then: "restart the server (managed services have a switch for it)"})
		return
	}
	n.ok("wal_level", "logical")
}

func (n *notes) publication(c *Config, s *replication.Survey) {
	p, name := &s.Publication, c.Replication.Publication
	switch {
	case p.Err != nil:
		n.fail("publication", p.Err)
	case p.Missing && p.Create == "":
		n.ok("publication", "%q does not exist; a start makes it once the table is there", name)
	case p.Missing:
		n.ok("publication", "%q does not exist; a start makes it: %s", name, p.Create)
	default:
		n.ok("publication", "%q carries what it must", name)
	}
}

// tables are judged by the router's own binding of columns.
func (n *notes) tables(c *Config, s *replication.Survey) {
	if s.TablesErr != nil {
		n.fail("table", s.TablesErr)
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		err := c.Bind(t.Relation)
		switch {
		case err == nil:
			n.ok("table", "%s has the columns that the options name", t.Relation)
		case t.Whole != nil && c.Bind(t.Whole) == nil:
			n.add(Finding{Check: "table", Level: Error, Code: daemon.Config, Repair: strings.Join(t.Publish, "; "),
				Message: fmt.Sprintf("the publication's column list hides a column that is needed: %v", err)})
		default:
			for _, e := range apart(err) {
				n.add(Finding{Check: "table", Level: Error, Code: daemon.Config, Message: e.Error()})
			}
		}
		if t.Select != nil {
			n.fail("table", t.Select)
		}
	}
	for _, rel := range s.Unnamed {
		if c.Bind(rel) == nil {
			n.warn("table", "", "%s is named by the publication and has the columns of an outbox, but no list names it: its first row stops the relay, unless table.unnamed.handling.mode is warn", rel)
		}
	}
	if len(s.Tables) == 0 && s.TablesErr == nil && !errors.Is(s.Publication.Err, context.Canceled) {
		n.ok("table", "none: the events are messages")
	}
}
