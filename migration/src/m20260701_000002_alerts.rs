//! Alerts, and their keys, which outlive them: housekeeping may delete an alert and never makes it new again.

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
                "DROP TABLE IF EXISTS alerts",
                "DROP TABLE IF EXISTS alert_keys",
            ],
        )
        .await
    }
}

const STATEMENTS: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS alert_keys (
        key TEXT PRIMARY KEY CHECK (length(key) BETWEEN 1 AND 512),
        at BIGINT NOT NULL
    )",
    "CREATE TABLE IF NOT EXISTS alerts (
        alert_id TEXT PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
        severity TEXT NOT NULL CHECK (severity = 'action' OR severity = 'info'),
        status TEXT NOT NULL CHECK (status = 'open' OR status = 'acknowledged' OR status = 'resolved'),
        order_id TEXT,
        order_no TEXT,
        idempotency_key TEXT,
        channel TEXT,
        channel_trade_no TEXT,
        seen_count BIGINT NOT NULL CHECK (seen_count >= 1),
        message TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        acknowledged_by TEXT,
        acknowledged_at BIGINT,
        resolved_at BIGINT,
        mail_attempts BIGINT NOT NULL CHECK (mail_attempts >= 0),
        mail_due_at BIGINT,
        mailed_at BIGINT,
        message_id TEXT
    )",
    "CREATE INDEX IF NOT EXISTS alerts_standing ON alerts (order_id) WHERE status <> 'resolved'",
    "CREATE INDEX IF NOT EXISTS alerts_due ON alerts (mail_due_at) WHERE mail_due_at IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS alerts_message ON alerts (message_id) WHERE message_id IS NOT NULL",
];
