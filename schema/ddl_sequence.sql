-- A number for each event that rises by one within its aggregate, in commit
-- order, for consumers that must tell an old event from a new one. Send it as a
-- header: -table.fields.additional.placement=sequence:header
ALTER TABLE outbox ADD COLUMN sequence bigint;

-- The last number of each aggregate. A transaction that takes the next one holds
-- the row until it ends, so the next transaction of the same aggregate waits, and
-- numbers and commits have the same order. A rollback gives its numbers back.
--
--   INSERT INTO outbox_sequence AS s (aggregatetype, aggregateid, last) VALUES ('Order', '42', 1)
--       ON CONFLICT (aggregatetype, aggregateid) DO UPDATE SET last = s.last + 1 RETURNING last;
--
-- Keep the row for as long as consumers may know the aggregate: without it the
-- numbers begin again, and are taken for old ones.
CREATE TABLE outbox_sequence (
    aggregatetype varchar(255) NOT NULL,
    aggregateid   varchar(255) NOT NULL,
    last          bigint       NOT NULL,
    PRIMARY KEY (aggregatetype, aggregateid)
) WITH (fillfactor = 70); -- room for updates within the page, which then need no new index entries
