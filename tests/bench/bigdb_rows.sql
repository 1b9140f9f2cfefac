-- What years of a shop leave behind, made by the database itself. Settled order `i` of $orders was created in time order,
-- the first of them three years ago; each of the $accounts accounts has ten. Of a hundred orders 92 were paid and have
-- granted credits, two were paid for something else and given back in part, six came to nothing.
--
-- Of an order's history there is one event of four: nothing reads old ones, and their tree grows at its end alone.

INSERT INTO orders (order_id, order_no, idempotency_key, channel, merchant, live, method, amount, currency, subject,
    account, entitlements, metadata, notify_url, status, reason, version, created_at, updated_at, paid_at, expires_at,
    ask_first, submits, extra_submits, check_count, ask_due, expiry_count, proof_in_conflict, amount_refunded, withheld,
    callback_count, event_seq, last_decision)
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $orders),
s AS (SELECT i, $now - ($orders - i) * $gap - 10800000 AS at, (i + i / $accounts) % 100 AS class FROM n)
SELECT printf('ord_%012x7%03xa%015x', at, i % 4096, i), printf('2026%012d', i), printf('pay:order:2026%012d', i),
    'sandbox', 'sandbox', 0, 'direct', 1999, 'CNY', 'VIP', printf('user-%07d', (i * 7919) % $accounts),
    iif(class < 92, '[{"kind":"credits","quantity":1000,"status":"GRANTED","granted":true,"revoked":0,"held":0,"outside":false}]', '[]'),
    '{}', 'http://127.0.0.1/',
    CASE WHEN class < 92 THEN 'PAID' WHEN class < 94 THEN 'PARTIALLY_REFUNDED' WHEN class < 97 THEN 'CLOSED' ELSE 'FAILED' END,
    iif(class < 94, NULL, 'declined'), 3, at, at + 37, iif(class < 94, at + 5, NULL), at + 7200000, 0,
    printf('[{"n":1,"started":{"at":%d,"mono_ms":%d,"epoch":1},"ended":{"at":%d,"mono_ms":%d,"epoch":1},"resolved":false}]',
        at, i, at + 5, i + 5),
    0, 0, 0, 0, 0, iif(class BETWEEN 92 AND 93, 500, 0), 0, 1, 4, printf('evt_%012x7%03xb%015x', at, i % 4096, i)
FROM s;

INSERT INTO order_events (order_id, seq, event_id, decision_id, at, kind, actor, from_status, to_status, detail)
SELECT order_id, 3, 'evt_' || substr(order_id, 5), last_decision, created_at + 5, 'submit_reply', 'channel:sandbox',
    'PROCESSING', status, '{}' FROM orders ORDER BY order_id;

INSERT INTO payments (channel, trade_no, order_id, own, amount, currency, at, position)
SELECT channel, 'trd_' || substr(order_id, 5), order_id, 1, amount, currency, paid_at, 0
FROM orders WHERE paid_at IS NOT NULL ORDER BY order_id;

INSERT INTO fulfilments (order_no, kind, order_id, status, attempts, due_at, created_at, updated_at)
SELECT order_no, 'credits', order_id, 'DONE', 1, paid_at + 60000, paid_at, updated_at
FROM orders WHERE status = 'PAID' ORDER BY order_no;

-- Refunds are granted by the trigger that adds them up.
INSERT INTO refunds (refund_id, order_id, refund_no, channel, trade_no, amount, currency, status, source, actor, version,
    send_count, accepted, check_count, created_at, updated_at)
SELECT 'ref_' || substr(order_id, 5), order_id, 'r-1', channel, 'trd_' || substr(order_id, 5), 500, currency, 'SUCCEEDED',
    'merchant', 'api:shop', 2, 1, 1, 0, paid_at + 86400000, paid_at + 86400000
FROM orders WHERE status = 'PARTIALLY_REFUNDED' ORDER BY order_id;

-- Webhooks are kept for 90 days: the newest twelfth of the orders has them.
INSERT INTO deliveries (delivery_id, webhook_id, kind, order_id, order_no, body, status, attempts, first_attempt_at, due_at,
    created_at, updated_at)
SELECT 'dlv_' || substr(order_id, 5), last_decision, 'order.paid', order_id, order_no,
    printf('{"data":{"order_id":"%s","order_no":"%s","status":"PAID","idempotency_key":"%s","text":"%.*c"},"type":"order.paid"}',
        order_id, order_no, idempotency_key, 800, 'x'),
    'DELIVERED', 1, paid_at, paid_at, paid_at, paid_at + 30
FROM orders WHERE paid_at IS NOT NULL AND created_at > $now - 7776000000 ORDER BY order_id;

INSERT INTO delivery_attempts (delivery_id, n, at, http_status)
SELECT delivery_id, 1, created_at, 204 FROM deliveries ORDER BY delivery_id;

-- Most grants in the order of the trees, and the rest between them: pages that have grown are not packed.
INSERT INTO ledger_entries (account, source, kind, entry_id, at, quantity, balance_after, decision_id)
WITH RECURSIVE a(a) AS (SELECT 0 UNION ALL SELECT a + 1 FROM a WHERE a + 1 < $accounts),
k(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM k WHERE k < 9),
e AS (SELECT a, k, (a * $inverse) % $accounts + k * $accounts AS i FROM a CROSS JOIN k WHERE k % 5 $chosen 2),
g AS (SELECT a, k, i, $now - ($orders - i) * $gap - 10800000 + 37 AS at FROM e WHERE (i + i / $accounts) % 100 < 92)
SELECT printf('user-%07d', a), printf('order:2026%012d', i), 'credits', printf('ent_%012x7%03xa%015x', at, i % 4096, i),
    at, 1000, 1000 * (k + 1), printf('evt_%012x7%03xb%015x', at, i % 4096, i) FROM g;

INSERT INTO balances (account, kind, balance, held, version, last_decision, updated_at)
SELECT account, kind, sum(quantity), 0, count(*), max(decision_id), max(at) FROM ledger_entries GROUP BY account, kind;

-- An outage of the channel: nothing of it is due before an hour has passed.
INSERT INTO orders (order_id, order_no, idempotency_key, channel, merchant, live, method, amount, currency, subject,
    account, entitlements, metadata, notify_url, status, reason, version, created_at, updated_at, expires_at, ask_first,
    submits, extra_submits, check_count, next_check_at, ask_due, expiry_count, proof_in_conflict, amount_refunded, withheld,
    callback_count, event_seq, last_decision, wake_at)
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $in_flight),
s AS (SELECT i, $now - ($in_flight - i) * 3600000 / $in_flight AS at, $now + 3600000 + i * 36 AS due FROM n)
SELECT printf('ord_%012x7%03xa%015x', at, i % 4096, i), printf('2027%012d', i), printf('pay:order:2027%012d', i),
    'sandbox', 'sandbox', 0, 'direct', 1999, 'CNY', 'VIP', printf('user-%07d', (i * 7919) % $accounts),
    '[{"kind":"credits","quantity":1000,"status":"PENDING","granted":false,"revoked":0,"held":0,"outside":false}]',
    '{}', 'http://127.0.0.1/', 'UNKNOWN', 'submit_timeout', 2, at, at, $now + 86400000, 0, '[]', 0, 0, due, 0, 0, 0, 0, 0,
    0, 3, printf('evt_%012x7%03xb%015x', at, i % 4096, i), due
FROM s;
