-- The outbox table, in the layout that Debezium's Outbox Event Router documents.
-- Insert an event in the transaction that makes the change; the relay reads the
-- row from the write-ahead log, so it may be deleted at any time afterwards.
CREATE TABLE outbox (
    -- Identifies the event. Sent as the header "id", by which consumers
    -- recognise a repeat.
    id            uuid         PRIMARY KEY,
    -- Kind of thing the event is about. Chooses the topic: outbox.event.<aggregatetype>.
    aggregatetype varchar(255) NOT NULL,
    -- The thing itself. Sent as the record's key: events of one aggregateid stay
    -- in one partition, in commit order.
    aggregateid   varchar(255) NOT NULL,
    -- What happened, for consumers that want it as a header.
    type          varchar(255) NOT NULL,
    -- The event. Sent as the record's value, as PostgreSQL prints it; use json,
    -- text or bytea where jsonb's own normal form is not wanted.
    payload       jsonb
);
