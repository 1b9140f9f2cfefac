//! The schema of oncepay's database, step by step. A step that has been released never changes.

mod m20260701_000001_orders;
mod m20260701_000002_alerts;
mod m20260701_000003_keys;

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::prelude::{DbErr, MigrationTrait, SchemaManager, async_trait};
use sea_orm_migration::sea_orm::ConnectionTrait;

/// All steps, oldest first.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20260701_000001_orders::Migration),
            Box::new(m20260701_000002_alerts::Migration),
            Box::new(m20260701_000003_keys::Migration),
        ]
    }
}

/// Runs these statements, which SQLite and PostgreSQL understand alike.
///
/// Each of them may find its work done: SQLite is left half-way when the machine stops in the middle of a step.
pub(crate) async fn run(manager: &SchemaManager<'_>, statements: &[&str]) -> Result<(), DbErr> {
    for statement in statements {
        manager
            .get_connection()
            .execute_unprepared(statement)
            .await?;
    }
    Ok(())
}
