-- One statement, so one transaction: the order and the event about it are both there or both not.
WITH placed AS (
    INSERT INTO orders (customer, total)
    VALUES ('customer-' || 1 + floor(random() * 20)::int, round((5 + random() * 95)::numeric, 2))
    RETURNING id, customer, total, placed
)
INSERT INTO outbox (id, aggregatetype, aggregateid, type, payload)
SELECT gen_random_uuid(), 'order', id::text, 'OrderPlaced',
       jsonb_build_object('id', id, 'customer', customer, 'total', total, 'placed', placed)
FROM placed
\watch 1
