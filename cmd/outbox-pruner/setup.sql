-- The pruner's role, made by a superuser (managed services: by their administrator's role).
CREATE ROLE outbox_pruner LOGIN PASSWORD 'change me';

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
