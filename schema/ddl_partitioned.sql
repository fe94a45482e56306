-- The outbox table in one partition a day: old events go by DROP TABLE of a
-- partition, which leaves no dead rows and needs no vacuum.
--
-- The publication has to send the rows under the table's own name, not that of
-- the partition. The relay does so where it makes the publication itself:
--
--   CREATE PUBLICATION outbox_relay FOR TABLE outbox
--       WITH (publish = 'insert', publish_via_partition_root = true);
CREATE TABLE outbox (
    -- Identifies the event. Sent as the header "id", by which consumers
    -- recognise a repeat.
    id            uuid         NOT NULL,
    -- Kind of thing the event is about. Chooses the topic: outbox.event.<aggregatetype>.
    aggregatetype varchar(255) NOT NULL,
    -- The thing itself. Sent as the record's key: events of one aggregateid stay
    -- in one partition, in commit order.
    aggregateid   varchar(255) NOT NULL,
    -- What happened, for consumers that want it as a header.
    type          varchar(255) NOT NULL,
    -- The event. Sent as the record's value, as PostgreSQL prints it; use json,
    -- text or bytea where jsonb's own normal form is not wanted.
    payload       jsonb,
    -- Chooses the partition. It is the start of the writer's transaction, so it
    -- says nothing about the order of the events.
    created_at    timestamptz  NOT NULL DEFAULT now(),
    -- A primary key has to contain what chooses the partition. The id is unique
    -- all the same, being a UUID.
    PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);

-- Takes what no other partition takes, so that the application can still write
-- when nobody has made the partition of a day. It should be empty. Rows in it
-- keep the partition of their day from being made: delete them first, once they
-- are relayed.
CREATE TABLE outbox_default PARTITION OF outbox DEFAULT;

-- Today and the 13 days to come. Run this block again, weekly say, to make more: days
-- that have a partition are left alone.
DO $$
DECLARE
    day date := (now() AT TIME ZONE 'UTC')::date;
BEGIN
    FOR i IN 1..14 LOOP
        EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF outbox FOR VALUES FROM (%L) TO (%L)',
            'outbox_' || to_char(day, 'YYYYMMDD'), day || ' 00:00:00+00', day + 1 || ' 00:00:00+00');
        day := day + 1;
    END LOOP;
END
$$;
