-- What the demonstration's database holds. The image runs it once, as superuser, when the volume is empty.

-- The shop's own table, and the outbox: the DDL is that of outbox-relay -print-ddl.
CREATE TABLE orders (
    id       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer text        NOT NULL,
    total    numeric     NOT NULL,
    placed   timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE outbox (
    id            uuid         PRIMARY KEY,
    aggregatetype varchar(255) NOT NULL,
    aggregateid   varchar(255) NOT NULL,
    type          varchar(255) NOT NULL,
    payload       jsonb
);

-- The application writes both in one transaction. It reads its orders, and nothing of the outbox.
CREATE ROLE shop LOGIN PASSWORD 'demo';
GRANT SELECT, INSERT ON orders TO shop;
GRANT INSERT ON outbox TO shop;

-- The relay reads the WAL and no table.
CREATE ROLE outbox_relay LOGIN REPLICATION PASSWORD 'demo';
CREATE PUBLICATION outbox_relay FOR TABLE outbox WITH (publish = 'insert');

-- The pruner deletes what is old and relayed: the SQL of outbox-pruner -print-sql.
CREATE ROLE outbox_pruner LOGIN PASSWORD 'demo';

-- To see by whom, and with which publication, slots are read. The pruner works without it, and then cannot say
-- which other slots read the table.
GRANT pg_read_all_stats TO outbox_pruner;

-- To tell a slot from a later one of the same name, over restarts of the relay and of the server: the pruner resets
-- a slot's statistics once. PostgreSQL 15 and later; the pruner works without it, and keeps a few rows more.
GRANT EXECUTE ON FUNCTION pg_catalog.pg_stat_reset_replication_slot(text) TO outbox_pruner;

-- The outbox. UPDATE on one column of the key is what PostgreSQL asks for to skip rows that somebody else holds.
GRANT USAGE ON SCHEMA public TO outbox_pruner;
GRANT SELECT, DELETE, UPDATE (id) ON public.outbox TO outbox_pruner;

-- What the pruner knows: one row for each outbox table, which says what is proven to be relayed. It belongs into
-- the outbox's database, so that it goes through failovers and restores with the rows that it is about.
CREATE TABLE public.outbox_pruner (
    name       text        PRIMARY KEY,
    state      jsonb       NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, UPDATE ON public.outbox_pruner TO outbox_pruner;

-- Made before the first event, so that the slot misses none and the relay need not be asked to make one: a relay whose
-- slot is missing later stops and says so.
SELECT pg_create_logical_replication_slot('outbox_relay', 'pgoutput');
