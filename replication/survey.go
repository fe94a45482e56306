package replication

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/outbox-relay/outbox-relay/schema"
)

// Survey is what the server says about everything that a relay needs, with the
// verdicts that a start would come to. An error within it has the class that it
// would have there.
type Survey struct {
	Version     string // of the server
	Encryption  string // of the connection: "TLS 1.3", "no encryption"
	SystemID    string
	Role        Role
	Replication error // opening a replication connection, which pg_hba.conf and the role decide about
	Standby     bool
	StandbyErr  error // connected to a standby that is of no use
	Unsupported error // an option that this version of the server does not know
	Settings    map[string]string
	Senders     Usage
	Slots       Usage
	FreeSlot    error // there is none for the slot that a start would make

	Publication PublicationSurvey
	Tables      []TableSurvey
	TablesErr   error
	Unnamed     []*schema.Relation // tables that the publication names and no list does
	Slot        SlotSurvey

	Siblings error    // what is wrong with the other shards
	Unread   []string // slots of the other shards that nobody reads
	toMake   int      // slots that a start makes
}

// Role is what the relay logs in as.
type Role struct {
	Name        string
	Super       bool
	Replication bool
	Group       string // a managed service's group that stands for the attribute REPLICATION
}

// Usage is how many there are of what is limited.
type Usage struct{ Used, Most int }

// PublicationSurvey is the publication's part.
type PublicationSurvey struct {
	Missing bool
	Create  string // the SQL by which a start makes a missing one
	Err     error
}

// TableSurvey is an outbox table as the stream would announce it.
type TableSurvey struct {
	Relation *schema.Relation
	// Whole is the table with the columns that the publication's column list leaves
	// out; nil if it leaves out none.
	Whole *schema.Relation
	// Publish are the statements that publish all columns.
	Publish []string
	Select  error // a snapshot may not read it
}

// settingsAsked are the server's settings that a survey reports.
var settingsAsked = []string{
	"wal_level", "max_replication_slots", "max_wal_senders", "max_slot_wal_keep_size",
	"idle_replication_slot_timeout", "synchronous_standby_names", "wal_sender_timeout",
}

// oldestMajor is the first version of PostgreSQL that is supported, newestMajor the
// last that was tested.
const (
	oldestMajor = 14
	newestMajor = 18
)

// Inspect looks at a server as a start would, and makes and moves nothing. The
// error is that of the ordinary connection, without which nothing can be said.
func Inspect(ctx context.Context, cfg Config) (*Survey, error) {
	cfg.setDefaults()
	o := &opener{cfg: &cfg}
	defer o.close()
	var err error
	if o.sql, err = cfg.Dial(ctx); err != nil {
		return nil, err
	}
	s := &Survey{Version: o.sql.PgConn().ParameterStatus("server_version")}
	if n := major(s.Version); n < oldestMajor {
		return nil, configuration("unsupported", fmt.Errorf("the server is PostgreSQL %s; %d and later are supported", s.Version, oldestMajor))
	}
	if err := s.server(ctx, o.sql); err != nil {
		return nil, fmt.Errorf("look at the server: %w", err)
	}
	s.connectReplication(ctx, o)
	s.StandbyErr, s.Unsupported = o.refuseStandby(ctx), o.checkFailover()
	if s.Unsupported == nil {
		s.Unsupported = o.checkMessages()
	}
	if s.Unsupported == nil {
		s.Unsupported = o.checkShard()
	}
	firstStart := s.publication(ctx, o)
	if cfg.Shard.divided() {
		firstStart = s.shards(ctx, o) || firstStart
	}
	s.slot(ctx, o, firstStart)
	if err := s.unnamed(ctx, o); err != nil {
		return nil, err
	}
	return s, nil
}

// Newer reports that the server is newer than any version that was tested.
func (s *Survey) Newer() bool { return major(s.Version) > newestMajor }

// server asks what depends on no object of ours.
func (s *Survey) server(ctx context.Context, conn *pgx.Conn) error {
	err := conn.QueryRow(ctx, `SELECT r.rolname::text, r.rolsuper, r.rolreplication, pg_is_in_recovery(),
			coalesce((SELECT g.rolname::text FROM pg_catalog.pg_roles g WHERE g.rolname = ANY ($1)
				AND pg_catalog.pg_has_role(current_user, g.oid, 'MEMBER') ORDER BY 1 LIMIT 1), ''),
			coalesce((SELECT l.version FROM pg_catalog.pg_stat_ssl l WHERE l.pid = pg_backend_pid() AND l.ssl), 'no encryption'),
			(SELECT count(*) FROM pg_catalog.pg_stat_replication), (SELECT count(*) FROM pg_catalog.pg_replication_slots)
		FROM pg_catalog.pg_roles r WHERE r.rolname = current_user`, replicationGroups).
		Scan(&s.Role.Name, &s.Role.Super, &s.Role.Replication, &s.Standby, &s.Role.Group, &s.Encryption, &s.Senders.Used, &s.Slots.Used)
	if err != nil {
		return err
	}
	rows, err := conn.Query(ctx, `SELECT name::text, setting FROM pg_catalog.pg_settings WHERE name = ANY ($1)`, settingsAsked)
	if err != nil {
		return err
	}
	s.Settings = make(map[string]string)
	var name, setting string
	_, err = pgx.ForEachRow(rows, []any{&name, &setting}, func() error {
		s.Settings[name] = setting
		return nil
	})
	s.Senders.Most, s.Slots.Most = s.number("max_wal_senders"), s.number("max_replication_slots")
	return err
}

// replicationGroups are the groups that managed services (Amazon's) have instead of
// the attribute.
var replicationGroups = []string{"rds_replication"}

func (s *Survey) number(setting string) int {
	var n int
	if _, err := fmt.Sscan(s.Settings[setting], &n); err != nil {
		return 0
	}
	return n
}

// connectReplication opens the other connection, as the stream does.
func (s *Survey) connectReplication(ctx context.Context, o *opener) {
	var at Position
	o.repl, o.wire, s.Replication = o.cfg.connectReplication(ctx)
	if s.Replication == nil {
		at, s.Replication = o.identify(ctx)
	}
	s.SystemID = at.SystemID
	if Reason(s.Replication) == "too_many_connections" {
		s.Replication = &Remedy{Err: s.Replication, Then: "restart the server",
			SQL: []string{fmt.Sprintf("ALTER SYSTEM SET max_wal_senders = %d", s.Senders.Most+1+spare)}}
	}
}

// spare is how many more slots or walsenders a remedy asks for than are needed.
const spare = 4

// SynchronousTrap reports that commits would wait for this relay: its walsender is
// one of those that synchronous_standby_names names.
func (s *Survey) SynchronousTrap(application string) bool {
	names := s.Settings["synchronous_standby_names"]
	if open := strings.Index(names, "("); open >= 0 { // ANY 1 (a, b)
		names = strings.TrimSuffix(strings.TrimSpace(names[open+1:]), ")")
	}
	for name := range strings.SplitSeq(names, ",") {
		name = strings.TrimSpace(name)
		if name == "*" || name != "" && strings.EqualFold(strings.Trim(name, `"`), application) {
			return true
		}
	}
	return false
}
