//! What people did, as a chain: each row's code covers the row before it.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, STATEMENTS).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, &["DROP TABLE IF EXISTS audit_log"]).await
    }
}

const STATEMENTS: &[&str] = &["CREATE TABLE IF NOT EXISTS audit_log (
        seq BIGINT PRIMARY KEY CHECK (seq >= 1),
        at BIGINT NOT NULL,
        actor TEXT NOT NULL CHECK (length(actor) BETWEEN 1 AND 128),
        action TEXT NOT NULL CHECK (length(action) BETWEEN 1 AND 64),
        subject TEXT NOT NULL CHECK (length(subject) BETWEEN 1 AND 400),
        detail TEXT NOT NULL,
        decision_id TEXT NOT NULL,
        mac TEXT NOT NULL CHECK (length(mac) = 64)
    )"];
