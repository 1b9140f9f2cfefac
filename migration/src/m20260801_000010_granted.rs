//! Grants by the moment at which they were booked: the sweep holds them against their orders. It grows at its end alone,
//! and debits have no part in it. SQLite finds all that the sweep wants of an entry in it.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(
            manager,
            &[
                "CREATE INDEX IF NOT EXISTS ledger_entries_granted ON ledger_entries (at, quantity)
                WHERE substr(source, 1, 6) = 'order:'",
            ],
        )
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, &["DROP INDEX IF EXISTS ledger_entries_granted"]).await
    }
}
