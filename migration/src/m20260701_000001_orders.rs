//! Orders, their history, their payments, the inbox, and the row of the running process.
//!
//! Times are unix milliseconds, money is minor units, JSON is text. Every index costs on the hot path: there are as
//! few as the lists, the start-up and the unique numbers need.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, STATEMENTS).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(
            manager,
            &[
                "DROP TABLE IF EXISTS orphans",
                "DROP TABLE IF EXISTS callbacks",
                "DROP TABLE IF EXISTS payments",
                "DROP TABLE IF EXISTS order_events",
                "DROP TABLE IF EXISTS orders",
                "DROP TABLE IF EXISTS runtime",
            ],
        )
        .await
    }
}

const STATEMENTS: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS runtime (
        id BIGINT PRIMARY KEY CHECK (id = 1),
        epoch BIGINT NOT NULL CHECK (epoch >= 0),
        started_at BIGINT NOT NULL
    )",
    "INSERT INTO runtime (id, epoch, started_at) VALUES (1, 0, 0) ON CONFLICT DO NOTHING",
    "CREATE TABLE IF NOT EXISTS orders (
        order_id TEXT PRIMARY KEY CHECK (length(order_id) BETWEEN 1 AND 64),
        order_no TEXT NOT NULL UNIQUE CHECK (length(order_no) BETWEEN 1 AND 64),
        idempotency_key TEXT NOT NULL UNIQUE CHECK (length(idempotency_key) BETWEEN 1 AND 128),
        channel TEXT NOT NULL CHECK (length(channel) BETWEEN 1 AND 64),
        merchant TEXT NOT NULL CHECK (length(merchant) <= 128),
        live BOOLEAN NOT NULL,
        method TEXT NOT NULL CHECK (length(method) <= 64),
        amount BIGINT NOT NULL CHECK (amount >= 1),
        currency TEXT NOT NULL CHECK (length(currency) = 3),
        subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 128),
        account TEXT CHECK (length(account) BETWEEN 1 AND 64),
        entitlements TEXT NOT NULL,
        metadata TEXT NOT NULL,
        return_url TEXT CHECK (length(return_url) <= 2048),
        notify_url TEXT NOT NULL,
        payer TEXT CHECK (length(payer) <= 256),
        channel_ref TEXT CHECK (length(channel_ref) BETWEEN 1 AND 255),
        replaces TEXT CHECK (length(replaces) BETWEEN 1 AND 64),
        status TEXT NOT NULL CHECK (status = 'UNPAID' OR status = 'PROCESSING' OR status = 'PENDING'
            OR status = 'UNKNOWN' OR status = 'MANUAL' OR status = 'PAID'
            OR status = 'FAILED' OR status = 'CLOSED' OR status = 'REFUNDING'
            OR status = 'PARTIALLY_REFUNDED' OR status = 'REFUNDED'),
        reason TEXT CHECK (length(reason) <= 64),
        version BIGINT NOT NULL CHECK (version >= 0),
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        paid_at BIGINT,
        expires_at BIGINT NOT NULL,
        deadline_passed_at BIGINT,
        ask_first BOOLEAN NOT NULL,
        submits TEXT NOT NULL,
        extra_submits BIGINT NOT NULL CHECK (extra_submits >= 0),
        check_count BIGINT NOT NULL CHECK (check_count >= 0),
        next_check_at BIGINT,
        ask_due BOOLEAN NOT NULL,
        not_found_since TEXT,
        close_requested_at BIGINT,
        close_by TEXT CHECK (close_by = 'merchant' OR close_by = 'review'),
        expiry_count BIGINT NOT NULL CHECK (expiry_count >= 0),
        proof_in_conflict BOOLEAN NOT NULL,
        amount_refunded BIGINT NOT NULL CHECK (amount_refunded >= 0),
        next_action TEXT,
        withheld BOOLEAN NOT NULL,
        proposal TEXT,
        callback_count BIGINT NOT NULL CHECK (callback_count >= 0),
        event_seq BIGINT NOT NULL CHECK (event_seq >= 0),
        last_error TEXT,
        last_decision TEXT NOT NULL,
        wake_at BIGINT
    )",
    "CREATE INDEX IF NOT EXISTS orders_in_flight ON orders (order_no) WHERE wake_at IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS orders_replaces ON orders (replaces) WHERE replaces IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS orders_status ON orders (status, order_id)",
    "CREATE INDEX IF NOT EXISTS orders_created ON orders (created_at)",
    "CREATE TABLE IF NOT EXISTS order_events (
        order_id TEXT NOT NULL,
        seq BIGINT NOT NULL CHECK (seq >= 1),
        event_id TEXT NOT NULL,
        decision_id TEXT NOT NULL,
        at BIGINT NOT NULL,
        kind TEXT NOT NULL CHECK (kind = 'created' OR kind = 'submit' OR kind = 'submit_reply'
            OR kind = 'submit_timeout' OR kind = 'query' OR kind = 'query_reply'
            OR kind = 'callback' OR kind = 'review' OR kind = 'close' OR kind = 'expiry'
            OR kind = 'refund' OR kind = 'refund_reply' OR kind = 'refund_review'
            OR kind = 'dispute' OR kind = 'reconcile' OR kind = 'fulfilment'
            OR kind = 'recovered'),
        actor TEXT NOT NULL CHECK (length(actor) BETWEEN 1 AND 128),
        from_status TEXT,
        to_status TEXT NOT NULL,
        detail TEXT NOT NULL,
        digest TEXT,
        PRIMARY KEY (order_id, seq)
    ) /* by key */",
    "CREATE TABLE IF NOT EXISTS payments (
        channel TEXT NOT NULL,
        trade_no TEXT NOT NULL CHECK (length(trade_no) BETWEEN 1 AND 255),
        order_id TEXT NOT NULL REFERENCES orders (order_id),
        own BOOLEAN NOT NULL,
        amount BIGINT NOT NULL,
        currency TEXT NOT NULL CHECK (length(currency) = 3),
        at BIGINT NOT NULL,
        position BIGINT NOT NULL CHECK (position >= 0),
        PRIMARY KEY (channel, trade_no)
    ) /* by key */",
    "CREATE INDEX IF NOT EXISTS payments_order ON payments (order_id)",
    "CREATE TABLE IF NOT EXISTS callbacks (
        channel TEXT NOT NULL,
        callback_key TEXT NOT NULL CHECK (length(callback_key) BETWEEN 1 AND 255),
        status TEXT NOT NULL CHECK (length(status) <= 64),
        order_id TEXT NOT NULL,
        digest TEXT NOT NULL,
        seen_count BIGINT NOT NULL CHECK (seen_count >= 1),
        first_seen_at BIGINT NOT NULL,
        last_seen_at BIGINT NOT NULL,
        PRIMARY KEY (channel, callback_key, status)
    ) /* by key */",
    "CREATE INDEX IF NOT EXISTS callbacks_order ON callbacks (order_id)",
    "CREATE TABLE IF NOT EXISTS orphans (
        channel TEXT NOT NULL,
        callback_key TEXT NOT NULL CHECK (length(callback_key) BETWEEN 1 AND 255),
        status TEXT NOT NULL CHECK (length(status) <= 64),
        order_no TEXT NOT NULL,
        channel_trade_no TEXT,
        digest TEXT NOT NULL,
        seen_count BIGINT NOT NULL CHECK (seen_count >= 1),
        first_seen_at BIGINT NOT NULL,
        last_seen_at BIGINT NOT NULL,
        PRIMARY KEY (channel, callback_key, status)
    )",
];
