//! How a batch becomes rows.

use super::types::JournalKind;
use super::{batch, grouped, naive};
use crate::store::mapping::Prepared;
use entities::runtime;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait, QuerySelect,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
};

/// The way of writing behind the journal, and the connection that it writes on.
#[derive(Debug)]
pub(super) struct Strategy {
    pub(super) kind: JournalKind,
    pub(super) connection: DatabaseConnection,
    pub(super) epoch: i64,
}

impl Strategy {
    pub(super) const fn batch_max(&self) -> usize {
        match self.kind {
            JournalKind::Naive => 1,
            JournalKind::Grouped | JournalKind::Discard => batch::BATCH_MAX,
        }
    }

    /// Writes these decisions in one write, and says of each whether it found its order as expected. After an error
    /// nothing is written, except that a lost connection may hide a commit.
    pub(super) async fn write(&self, batch: &[&Prepared]) -> Result<Vec<bool>, DbErr> {
        match self.kind {
            JournalKind::Discard => Ok(vec![true; batch.len()]),
            JournalKind::Grouped => grouped::write(&self.connection, self.epoch, batch).await,
            JournalKind::Naive => {
                let mut matched = Vec::with_capacity(batch.len());
                for write in batch {
                    matched.push(naive::write(&self.connection, self.epoch, write).await?);
                }
                Ok(matched)
            }
        }
    }

    /// Runs statements in a write of their own; rows affected by each, or `None` when the epoch is over.
    pub(super) async fn run(&self, statements: &[Statement]) -> Result<Option<Vec<u64>>, DbErr> {
        let write = begin(&self.connection).await?;
        if !epoch_stands(&write, self.epoch).await? {
            write.rollback().await?;
            return Ok(None);
        }
        let mut rows = Vec::with_capacity(statements.len());
        for statement in statements {
            rows.push(write.execute_raw(statement.clone()).await?.rows_affected());
        }
        write.commit().await?;
        Ok(Some(rows))
    }

    /// Whether a write that has failed here is over: no server can still be at it.
    pub(super) fn is_embedded(&self) -> bool {
        self.connection.get_database_backend() == sea_orm::DbBackend::Sqlite
    }

    /// Leaves an open write, if an error has left one: SQLite keeps the earlier statements of a text.
    pub(super) async fn abandon(&self) {
        if self.is_embedded() {
            // It fails when no write is open, which is what we want.
            drop(self.connection.execute_unprepared("ROLLBACK").await);
        }
    }
}

/// Begins a write. On SQLite it takes the write lock at once: a write that reads first and is then refused the lock
/// fails without waiting.
pub(super) async fn begin(connection: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    connection
        .begin_with_options(TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        })
        .await
}

/// Whether the epoch is ours, and stays so until the write ends.
pub(super) async fn epoch_stands(write: &DatabaseTransaction, epoch: i64) -> Result<bool, DbErr> {
    let row = runtime::Entity::find_by_id(1)
        .lock_shared()
        .one(write)
        .await?;
    Ok(row.is_some_and(|row| row.epoch == epoch))
}
