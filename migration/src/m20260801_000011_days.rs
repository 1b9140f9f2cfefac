//! What a day's figures are found by, however many days there were before. Orders that were paid grow this index at its
//! end alone; second payments and webhooks that ended with their endpoint are few.

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
                "DROP INDEX IF EXISTS deliveries_ended",
                "DROP INDEX IF EXISTS refunds_status",
                "DROP INDEX IF EXISTS payments_second",
                "DROP INDEX IF EXISTS orders_paid",
            ],
        )
        .await
    }
}

const STATEMENTS: &[&str] = &[
    "CREATE INDEX IF NOT EXISTS orders_paid ON orders (paid_at) WHERE paid_at IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS payments_second ON payments (at) WHERE NOT own",
    "CREATE INDEX IF NOT EXISTS refunds_status ON refunds (status, updated_at)",
    "CREATE INDEX IF NOT EXISTS deliveries_ended ON deliveries (delivery_id) WHERE status = 'ENDED'",
];
