-- The consumer's side of the outbox, in the database that has the consumer's
-- data: a row here commits together with the effect of the event.
--
-- One row for each event that a consumer has handled. Delete old ones, but keep
-- them for longer than a repeat can be late: the topic's retention is safe, for
-- then no older record can be read again.
CREATE TABLE inbox (
    -- Name of the consumer: several with effects of their own may share the table.
    consumer     varchar(255) NOT NULL,
    -- The record's header "id". Use varchar for ids that are not UUIDs.
    event_id     uuid         NOT NULL,
    processed_at timestamptz  NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, event_id)
);

-- The newest event that a consumer has applied of each aggregate, by the number
-- that the writer gave it. An event with a lower number is out of date. Keep the
-- rows: without its row, an aggregate takes any event for a newer one.
CREATE TABLE inbox_position (
    consumer      varchar(255) NOT NULL,
    aggregatetype varchar(255) NOT NULL,
    aggregateid   varchar(255) NOT NULL,
    sequence      bigint       NOT NULL,
    processed_at  timestamptz  NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, aggregatetype, aggregateid)
) WITH (fillfactor = 70); -- room for updates within the page, which then need no new index entries
