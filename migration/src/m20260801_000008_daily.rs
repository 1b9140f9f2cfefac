//! Daily mails, and indexes of what has failed: they are empty as long as all is well, and cost nothing then.

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
                "DROP INDEX IF EXISTS deliveries_failed",
                "DROP INDEX IF EXISTS fulfilments_failed",
                "DROP TABLE IF EXISTS daily_mails",
            ],
        )
        .await
    }
}

const STATEMENTS: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS daily_mails (
        day TEXT PRIMARY KEY CHECK (length(day) = 10),
        message_id TEXT NOT NULL CHECK (length(message_id) <= 255),
        attempts BIGINT NOT NULL CHECK (attempts >= 0),
        due_at BIGINT,
        sent_at BIGINT
    )",
    "CREATE INDEX IF NOT EXISTS fulfilments_failed ON fulfilments (created_at) WHERE status = 'FAILED'",
    "CREATE INDEX IF NOT EXISTS deliveries_failed ON deliveries (created_at) WHERE status = 'FAILED'",
];
