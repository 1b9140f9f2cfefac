//! The schema of oncepay's database, step by step. A step that has been released never changes.

mod m20260701_000001_orders;
mod m20260701_000002_alerts;
mod m20260701_000003_keys;

pub use sea_orm_migration::MigratorTrait;
use sea_orm_migration::prelude::{DbErr, MigrationTrait, SchemaManager, async_trait};
use sea_orm_migration::sea_orm::{ConnectionTrait, DbBackend};

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

/// Stands at the end of a table whose rows are found by their primary key alone: SQLite then keeps them in that key's
/// tree and needs no second one. PostgreSQL has no such choice.
pub(crate) const BY_KEY: &str = "/* by key */";

/// Runs these statements, which SQLite and PostgreSQL understand alike but for [`BY_KEY`].
///
/// Each of them may find its work done: SQLite is left half-way when the machine stops in the middle of a step.
pub(crate) async fn run(manager: &SchemaManager<'_>, statements: &[&str]) -> Result<(), DbErr> {
    let by_key = if manager.get_database_backend() == DbBackend::Sqlite {
        "WITHOUT ROWID"
    } else {
        ""
    };
    for statement in statements {
        manager
            .get_connection()
            .execute_unprepared(&statement.replace(BY_KEY, by_key))
            .await?;
    }
    Ok(())
}
