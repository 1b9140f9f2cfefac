//! Opening the database: SQLite (embedded) or PostgreSQL, a read pool and the connection of the journal.

use super::StoreError;
use sea_orm::{DatabaseConnection, DbBackend};

/// `[database]`.
#[derive(Debug, Clone)]
pub struct DatabaseSettings {
    /// `sqlite://data/oncepay.db` or `postgres://…`.
    pub url: String,
    /// Connections of the read pool.
    pub readers: u32,
}

/// An open, migrated database.
#[derive(Debug, Clone)]
pub struct Database {
    /// Readers; on SQLite these connections are `query_only`.
    pub read: DatabaseConnection,
    /// The journal's connection; nobody else writes.
    pub write: DatabaseConnection,
    pub url: String,
}

impl Database {
    /// Opens the database and brings its schema up to date. Folders that are missing are made.
    pub async fn open(settings: &DatabaseSettings) -> Result<Self, StoreError> {
        todo!("{}", settings.url)
    }

    #[must_use]
    pub fn backend(&self) -> DbBackend {
        self.read.get_database_backend()
    }

    /// Takes the next epoch in the `runtime` row: every journal write is conditioned on it.
    pub async fn next_epoch(
        &self,
        started_at: crate::domain::UnixMillis,
    ) -> Result<i64, StoreError> {
        todo!("{started_at:?}")
    }

    /// Answers when the database does.
    pub async fn ping(&self) -> Result<(), StoreError> {
        todo!()
    }
}
