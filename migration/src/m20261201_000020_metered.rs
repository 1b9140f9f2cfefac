//! Pay per use: trades that were paid, each delivered once, and the key that offers are made with.

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
                "DROP TABLE IF EXISTS metered_keys",
                "DROP TABLE IF EXISTS metered_trades",
            ],
        )
        .await
    }
}

const STATEMENTS: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS metered_trades (
        channel TEXT NOT NULL,
        trade_no TEXT NOT NULL CHECK (length(trade_no) BETWEEN 1 AND 255),
        out_trade_no TEXT,
        resource_id TEXT NOT NULL,
        amount BIGINT NOT NULL CHECK (amount >= 1 OR (status = 'UNMATCHED' AND amount = 0)),
        currency TEXT NOT NULL CHECK (length(currency) = 3),
        proof_digest TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status = 'PAID' OR status = 'DELIVERED' OR status = 'CONFIRMED' OR status = 'UNMATCHED'),
        answer_status BIGINT,
        answer_headers TEXT,
        answer_body TEXT,
        confirm_count BIGINT NOT NULL CHECK (confirm_count >= 0),
        due_at BIGINT,
        last_error TEXT,
        paid_at BIGINT NOT NULL,
        delivered_at BIGINT CHECK (status = 'PAID' OR status = 'UNMATCHED' OR delivered_at IS NOT NULL),
        confirmed_at BIGINT CHECK (status <> 'CONFIRMED' OR confirmed_at IS NOT NULL),
        PRIMARY KEY (channel, trade_no)
    )",
    "CREATE UNIQUE INDEX IF NOT EXISTS metered_trades_offers ON metered_trades (channel, out_trade_no) \
     WHERE status <> 'UNMATCHED'",
    "CREATE INDEX IF NOT EXISTS metered_trades_due ON metered_trades (due_at) WHERE due_at IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS metered_trades_answers ON metered_trades (delivered_at) WHERE answer_body IS NOT NULL",
    "CREATE TABLE IF NOT EXISTS metered_keys (
        id BIGINT PRIMARY KEY CHECK (id = 1),
        secret TEXT NOT NULL CHECK (length(secret) = 64)
    )",
];
