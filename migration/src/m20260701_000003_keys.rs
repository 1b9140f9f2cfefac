//! Idempotency keys of requests, and API keys by their digests.

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
                "DROP TABLE IF EXISTS api_keys",
                "DROP TABLE IF EXISTS idempotency_keys",
            ],
        )
        .await
    }
}

const STATEMENTS: &[&str] = &[
    "CREATE TABLE IF NOT EXISTS idempotency_keys (
        owner TEXT NOT NULL CHECK (length(owner) BETWEEN 1 AND 128),
        route TEXT NOT NULL CHECK (length(route) BETWEEN 1 AND 128),
        key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
        payload_digest TEXT NOT NULL,
        order_no TEXT NOT NULL,
        created_at BIGINT NOT NULL,
        PRIMARY KEY (owner, route, key)
    )",
    "CREATE TABLE IF NOT EXISTS api_keys (
        name TEXT PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 128),
        role TEXT NOT NULL CHECK (role = 'merchant' OR role = 'viewer' OR role = 'operator' OR role = 'admin'),
        scopes TEXT NOT NULL,
        digest TEXT NOT NULL UNIQUE,
        created_at BIGINT NOT NULL,
        revoked_at BIGINT
    )",
];
