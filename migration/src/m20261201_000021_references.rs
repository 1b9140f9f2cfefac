//! What an order is found by where a channel names the charge and not the order: by its payment, or before that by the
//! name that the channel has given. An order of a channel that gives no such names has no entry, so that what happens to
//! it touches nothing here.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, STATEMENTS).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        crate::run(manager, &["DROP INDEX IF EXISTS orders_reference"]).await
    }
}

const STATEMENTS: &[&str] = &[
    "CREATE INDEX IF NOT EXISTS orders_reference ON orders (channel, channel_ref) WHERE channel_ref IS NOT NULL",
];
