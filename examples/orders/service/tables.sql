CREATE TABLE orders (
    id      text   PRIMARY KEY,
    state   text   NOT NULL,
    cents   bigint NOT NULL,
    version bigint NOT NULL -- rises by one with each change, and numbers its event
);
-- The reference table of the outbox (outbox-relay -print-ddl) gets a column for that number.
ALTER TABLE outbox ADD COLUMN sequence bigint;
