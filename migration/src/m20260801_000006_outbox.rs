//! The outbox: grants that a worker makes, and webhooks that it delivers. Both are written with what caused them.

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
                "DROP TABLE IF EXISTS ended_endpoints",
                "DROP TABLE IF EXISTS delivery_attempts",
                "DROP TABLE IF EXISTS deliveries",
                "DROP TABLE IF EXISTS fulfilments",
            ],
        )
        .await
    }
}

const STATEMENTS: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS fulfilments (
        order_no TEXT NOT NULL,
        kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
        order_id TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status = 'PENDING' OR status = 'DONE' OR status = 'FAILED'),
        attempts BIGINT NOT NULL CHECK (attempts >= 0),
        due_at BIGINT NOT NULL,
        leased_by TEXT,
        last_error TEXT,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL,
        PRIMARY KEY (order_no, kind)
    ) /* by key */",
    "CREATE INDEX IF NOT EXISTS fulfilments_due ON fulfilments (due_at) WHERE status <> 'DONE'",
    "CREATE INDEX IF NOT EXISTS fulfilments_leased ON fulfilments (leased_by) WHERE leased_by IS NOT NULL",
    "CREATE TABLE IF NOT EXISTS deliveries (
        delivery_id TEXT PRIMARY KEY CHECK (length(delivery_id) BETWEEN 1 AND 64),
        webhook_id TEXT NOT NULL UNIQUE CHECK (length(webhook_id) BETWEEN 1 AND 400),
        kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
        order_id TEXT NOT NULL,
        order_no TEXT NOT NULL,
        body TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status = 'PENDING' OR status = 'DELIVERED' OR status = 'FAILED'
            OR status = 'ENDED'),
        attempts BIGINT NOT NULL CHECK (attempts >= 0),
        first_attempt_at BIGINT,
        due_at BIGINT NOT NULL,
        leased_by TEXT,
        created_at BIGINT NOT NULL,
        updated_at BIGINT NOT NULL
    )",
    "CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (due_at) WHERE status = 'PENDING'",
    "CREATE INDEX IF NOT EXISTS deliveries_leased ON deliveries (leased_by) WHERE leased_by IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS deliveries_order ON deliveries (order_no)",
    "CREATE TABLE IF NOT EXISTS delivery_attempts (
        delivery_id TEXT NOT NULL,
        n BIGINT NOT NULL CHECK (n >= 1),
        at BIGINT NOT NULL,
        http_status BIGINT,
        error TEXT,
        PRIMARY KEY (delivery_id, n)
    ) /* by key */",
    "CREATE TABLE IF NOT EXISTS ended_endpoints (
        url TEXT PRIMARY KEY,
        ended_at BIGINT NOT NULL
    )",
];
