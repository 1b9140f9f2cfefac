//! What the orders of one account on one day add up to is read in each create's write.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(
            manager,
            &[
                "CREATE INDEX IF NOT EXISTS orders_of_account ON orders (account, created_at)
                WHERE account IS NOT NULL",
            ],
        )
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, &["DROP INDEX IF EXISTS orders_of_account"]).await
    }
}
