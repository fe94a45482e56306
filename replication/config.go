package replication

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outbox-relay/outbox-relay/schema"
)

// Config is what a session needs to know. Durations of zero take the defaults
// named at the fields.
type Config struct {
	// Connect gives the parsed connection string. It is called at each connect, so
	// that a password that was changed in its file is found.
	Connect func() (*pgx.ConnConfig, error)
	// ApplicationName shows in pg_stat_activity and pg_stat_replication, and names
	// the holder of a slot to a relay that waits for it.
	ApplicationName string

	Slot        string // slot.name: [a-z0-9_]{1,63}
	Publication string // publication.name
	Tables      Filter // which tables are outbox tables
	Shard       Shard  // which rows of them; set by Divide

	Messages Prefixes // which messages of pg_logical_emit_message are events

	// Routable tells why rows of an outbox table, as the publication shows it, cannot
	// be relayed; nil asks nobody. Monitor asks from a goroutine of its own.
	Routable func(*schema.Relation) error

	// Found is told every outbox table that the catalog has, each time that a session
	// or Monitor looks, from either goroutine; nil tells nobody.
	Found func(oid uint32, schema, name string)

	CreateSlot bool         // make a missing slot although this is not a proven first start
	Autocreate Autocreate   // publication.autocreate.mode
	Snapshot   SnapshotMode // snapshot.mode
	Failover   bool         // slot.failover: let standbys keep a copy of the slot; 17 and later
	// PublishUpdates lets a publication that is made carry updates too: to Debezium
	// one that changes a row's key is an event, and the others deserve a warning.
	PublishUpdates bool

	CreateTimeout time.Duration // how long creating the slot may wait for running transactions; default 90 s, as in Debezium

	StatusInterval time.Duration // status.update.interval.ms; default 10 s
	TickInterval   time.Duration // between two calls of Handler.Tick; default and at most 1 s
	Pace           time.Duration // how long to let the socket buffer fill while far behind; negative never; default 4 ms
	Silence        time.Duration // how long the server may say nothing before it is looked at from outside; default 10 s
}

var slotName = regexp.MustCompile(`^[a-z0-9_]{1,63}$`)

// Validate reports every mistake at once, each with the option it concerns.
func (c *Config) Validate() error {
	var errs []error
	if !slotName.MatchString(c.Slot) {
		errs = append(errs, fmt.Errorf("slot.name: %q is no slot name; PostgreSQL allows 1 to 63 of a-z, 0-9 and _", c.Slot))
	}
	if c.Publication == "" || len(c.Publication) > 63 {
		errs = append(errs, fmt.Errorf("publication.name: %q is no publication name; it has 1 to 63 bytes", c.Publication))
	}
	errs = append(errs, c.Tables.Validate(), c.Messages.validate(), c.Snapshot.validate(), c.Autocreate.validate(), c.validateShard())
	if c.StatusInterval < 0 {
		errs = append(errs, fmt.Errorf("status.update.interval.ms: %s is negative", c.StatusInterval))
	}
	return errors.Join(errs...)
}

func (c *Config) setDefaults() {
	if c.CreateTimeout == 0 {
		c.CreateTimeout = 90 * time.Second
	}
	if c.StatusInterval == 0 {
		c.StatusInterval = 10 * time.Second
	}
	if c.TickInterval <= 0 || c.TickInterval > tickEvery {
		c.TickInterval = tickEvery
	}
	if c.Pace == 0 {
		c.Pace = 4 * time.Millisecond
	}
	if c.Silence == 0 {
		c.Silence = silenceLimit
	}
}

// connectTimeout bounds a connect attempt where the connection string does not.
const connectTimeout = 10 * time.Second

// sessionParameters pin what would otherwise depend on the server, the database
// or the role: the text of each type, and timeouts that would cut the stream.
var sessionParameters = map[string]string{
	"client_encoding":                     "UTF8",
	"datestyle":                           "ISO, MDY",
	"timezone":                            "UTC",
	"bytea_output":                        "hex",
	"intervalstyle":                       "postgres",
	"extra_float_digits":                  "3",
	"lc_monetary":                         "C",
	"statement_timeout":                   "0",
	"lock_timeout":                        "0",
	"idle_in_transaction_session_timeout": "0",
	"idle_session_timeout":                "0",
}

// connConfig returns a fresh configuration for one connection.
func (c *Config) connConfig() (*pgx.ConnConfig, error) {
	parsed, err := c.Connect()
	if err != nil {
		return nil, err
	}
	config := parsed.Copy()
	for name, value := range sessionParameters {
		config.RuntimeParams[name] = value
	}
	config.RuntimeParams["application_name"] = c.ApplicationName
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	return config, nil
}

// Dial opens an ordinary connection, with the settings that the relay pins.
func (c *Config) Dial(ctx context.Context) (*pgx.Conn, error) {
	config, err := c.connConfig()
	if err != nil {
		return nil, err
	}
	var pid atomic.Uint32
	c.dialPatient(config, pid.Load)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, connectError(config, err)
	}
	pid.Store(conn.PgConn().PID())
	return conn, nil
}

// connectReplication opens the replication connection over a wire.
func (c *Config) connectReplication(ctx context.Context) (*pgconn.PgConn, *wire, error) {
	config, err := c.connConfig()
	if err != nil {
		return nil, nil, err
	}
	config.RuntimeParams["replication"] = "database"
	var w *wire
	dial := dialLoopback(config.DialFunc)
	config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		w = newWire(conn, c.Pace)
		return w, nil
	}
	conn, err := pgconn.ConnectConfig(ctx, &config.Config)
	if err != nil {
		return nil, nil, connectError(config, err)
	}
	return conn, w, nil
}

// connectError keeps pgconn's error, which names host, user and database but no
// password, and adds what the operator can do.
func connectError(config *pgx.ConnConfig, err error) error {
	if Reason(err) == "privilege" {
		return &Remedy{Err: fmt.Errorf("connect to PostgreSQL: %w", err), SQL: []string{"ALTER ROLE " + quoteIdent(config.User) + " REPLICATION"},
			Then: "start again (on managed services: grant its replication role instead)"}
	}
	if isPooler(err) {
		return configuration("pooler", fmt.Errorf("connect to PostgreSQL: %w; a connection pooler is in the way: connect to the server itself, because a pooler passes neither replication nor the session's settings on", err))
	}
	err = fmt.Errorf("connect to PostgreSQL: %w%s", err, connectHint(config, err))
	if Reason(err) == "undefined_object" { // a parameter that the server does not know
		return configuration("connection_string", err)
	}
	return err
}
