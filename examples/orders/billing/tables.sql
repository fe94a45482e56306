CREATE TABLE invoices (
    order_id text   PRIMARY KEY,
    cents    bigint NOT NULL,
    events   bigint NOT NULL, -- that this invoice is made of
    state    text   NOT NULL  -- of the order, as far as billing knows
);
