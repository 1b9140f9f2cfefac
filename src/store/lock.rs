//! One process for one database.

use super::StoreError;

/// The lock on a database: a locked file beside the SQLite file, an advisory lock on a connection of its own in
/// PostgreSQL. Dropping it frees the database.
#[derive(Debug)]
pub struct ProcessLock {}

impl ProcessLock {
    /// Takes the lock, or says who seems to have it.
    pub async fn take(url: &str) -> Result<Self, StoreError> {
        todo!("{url}")
    }

    /// Completes when the lock is lost (PostgreSQL closed its connection). Never, on SQLite.
    pub async fn lost(&mut self) {
        todo!()
    }
}
