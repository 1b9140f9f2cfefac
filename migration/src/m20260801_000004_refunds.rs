//! Refunds, and the rule that those of one trade that have not failed never add up to more than it paid.
//!
//! The rule stands in the database itself, in a trigger: whatever writes here cannot give back more than was paid.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, STATEMENTS).await?;
        if !manager.has_column("orders", "refund_proposal").await? {
            let text = "ALTER TABLE orders ADD COLUMN refund_proposal TEXT";
            manager.get_connection().execute_unprepared(text).await?;
        }
        if manager.get_database_backend() == DbBackend::Sqlite {
            crate::run(manager, SQLITE_CAP).await
        } else {
            crate::run(manager, POSTGRES_CAP).await
        }
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(
            manager,
            &[
                "DROP TABLE IF EXISTS refunds",
                "ALTER TABLE orders DROP COLUMN refund_proposal",
            ],
        )
        .await?;
        if manager.get_database_backend() == DbBackend::Sqlite {
            return Ok(());
        }
        crate::run(manager, &["DROP FUNCTION IF EXISTS refunds_within_payment"]).await
    }
}

const STATEMENTS: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS refunds (
        refund_id TEXT PRIMARY KEY CHECK (length(refund_id) BETWEEN 1 AND 64),
        order_id TEXT NOT NULL REFERENCES orders (order_id),
        refund_no TEXT NOT NULL CHECK (length(refund_no) BETWEEN 1 AND 255),
        channel TEXT NOT NULL,
        trade_no TEXT NOT NULL CHECK (length(trade_no) BETWEEN 1 AND 255),
        amount BIGINT NOT NULL CHECK (amount >= 1),
        currency TEXT NOT NULL CHECK (length(currency) = 3),
        status TEXT NOT NULL CHECK (status = 'PROCESSING' OR status = 'UNKNOWN' OR status = 'SUCCEEDED'
            OR status = 'FAILED' OR status = 'MANUAL'),
        source TEXT NOT NULL CHECK (source = 'merchant' OR source = 'operator' OR source = 'review'
            OR source = 'policy' OR source = 'channel'),
        actor TEXT NOT NULL CHECK (length(actor) BETWEEN 1 AND 128),
        note TEXT,
        channel_refund_no TEXT,
        version BIGINT NOT NULL CHECK (version >= 0),
        send_count BIGINT NOT NULL CHECK (send_count >= 0),
        first_sent_at BIGINT,
        last_sent TEXT,
        last_ended TEXT,
        accepted BOOLEAN NOT NULL,
        check_count BIGINT NOT NULL CHECK (check_count >= 0),
        next_check_at BIGINT,
        not_found_since TEXT,
        proposal TEXT,
        last_error TEXT,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        UNIQUE (order_id, refund_no)
    )",
    "CREATE INDEX IF NOT EXISTS refunds_trade ON refunds (channel, trade_no)",
];

const SQLITE_CAP: &[&str] = &[
    "CREATE TRIGGER IF NOT EXISTS refunds_within_payment_insert AFTER INSERT ON refunds
        WHEN NEW.status <> 'FAILED' AND (SELECT sum(amount) FROM refunds WHERE channel = NEW.channel
            AND trade_no = NEW.trade_no AND status <> 'FAILED')
            > coalesce((SELECT amount FROM payments WHERE channel = NEW.channel AND trade_no = NEW.trade_no
                AND order_id = NEW.order_id), 0)
        BEGIN SELECT RAISE(ABORT, 'refunds exceed the payment'); END",
    "CREATE TRIGGER IF NOT EXISTS refunds_within_payment_update AFTER UPDATE ON refunds
        WHEN NEW.status <> 'FAILED' AND (SELECT sum(amount) FROM refunds WHERE channel = NEW.channel
            AND trade_no = NEW.trade_no AND status <> 'FAILED')
            > coalesce((SELECT amount FROM payments WHERE channel = NEW.channel AND trade_no = NEW.trade_no
                AND order_id = NEW.order_id), 0)
        BEGIN SELECT RAISE(ABORT, 'refunds exceed the payment'); END",
];

const POSTGRES_CAP: &[&str] = &[
    "CREATE OR REPLACE FUNCTION refunds_within_payment() RETURNS trigger AS $$
        BEGIN
            IF NEW.status <> 'FAILED' AND (SELECT sum(amount) FROM refunds WHERE channel = NEW.channel
                AND trade_no = NEW.trade_no AND status <> 'FAILED')
                > coalesce((SELECT amount FROM payments WHERE channel = NEW.channel AND trade_no = NEW.trade_no
                AND order_id = NEW.order_id), 0)
            THEN
                RAISE EXCEPTION 'refunds exceed the payment' USING ERRCODE = 'check_violation', TABLE = 'refunds';
            END IF;
            RETURN NULL;
        END
    $$ LANGUAGE plpgsql",
    "CREATE OR REPLACE TRIGGER refunds_within_payment AFTER INSERT OR UPDATE ON refunds
        FOR EACH ROW EXECUTE FUNCTION refunds_within_payment()",
];
