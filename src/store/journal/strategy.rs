//! How a batch becomes rows.

use super::batch::Limits;
use super::fault::Fault;
use super::presence::Presence;
use super::queue::Run;
use super::sqlite::Sqlite;
use super::types::JournalKind;
use super::{batch, naive, postgres};
use crate::store::audit::{self, AuditKey, AuditRow};
use crate::store::mapping::Prepared;
use crate::store::place::Place;
use crate::store::single::Single;
use entities::{audit_log, runtime};
use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait,
    IntoActiveModel, QuerySelect, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};

/// How the journal writes.
#[derive(Debug)]
pub(super) enum Way {
    /// Many decisions in one write, on a connection of its own.
    Sqlite(Box<Sqlite>),
    /// The same in one text.
    Postgres,
    /// A write each.
    Naive,
    Discard,
}

impl Way {
    pub(super) fn of(kind: JournalKind, place: &Place) -> Self {
        match (kind, place.file()) {
            (JournalKind::Grouped, Some(file)) => {
                Self::Sqlite(Box::new(Sqlite::at(file.to_owned())))
            }
            (JournalKind::Grouped, None) => Self::Postgres,
            (JournalKind::Naive, _) => Self::Naive,
            (JournalKind::Discard, _) => Self::Discard,
        }
    }
}

/// The way of writing behind the journal, and the connection that it reads on, and writes on where it has no other.
#[derive(Debug)]
pub(super) struct Strategy {
    pub(super) way: Way,
    pub(super) connection: DatabaseConnection,
    pub(super) epoch: i64,
    pub(super) presence: Presence,
    pub(super) audit_key: AuditKey,
}

impl Strategy {
    pub(super) const fn limits(&self) -> Limits {
        Limits {
            batch_max: match self.way {
                Way::Naive => 1,
                Way::Sqlite(_) | Way::Postgres | Way::Discard => batch::BATCH_MAX,
            },
            adds_up: matches!(self.way, Way::Sqlite(_) | Way::Discard),
        }
    }

    /// Writes these decisions in one write, and says of each whether it found its order as expected. After an error
    /// nothing is written, except that a lost connection may hide a commit.
    pub(super) async fn write(&mut self, batch: &[&Prepared]) -> Result<Vec<bool>, Fault> {
        self.ready()?;
        let matched = self.rows(batch).await?;
        self.is_found_again()?;
        Ok(matched)
    }

    /// Between two writes: what an embedded database wants done then.
    pub(super) fn rest(&mut self) {
        if let Way::Sqlite(sqlite) = &mut self.way
            && sqlite.keep_log_short()
        {
            self.presence.log_was_shortened();
        }
    }

    /// After a write that failed: a log that fills the disk can be folded in without more room.
    pub(super) fn make_room(&mut self) {
        if let Way::Sqlite(sqlite) = &mut self.way
            && self.presence.before().is_ok()
            && sqlite.makes_room()
        {
            self.presence.log_was_shortened();
        }
    }

    /// What is written now can be found again. A connection that was opened by the file's name may be another file's.
    fn ready(&mut self) -> Result<(), Fault> {
        self.presence.before()?;
        if let Way::Sqlite(sqlite) = &mut self.way
            && sqlite.opens()?
        {
            let found = self.presence.before();
            return self.leaves_unless(found);
        }
        Ok(())
    }

    /// Looks once more: what went into a file that is gone is worth nothing.
    fn is_found_again(&mut self) -> Result<(), Fault> {
        let found = self.presence.after();
        self.leaves_unless(found)
    }

    /// Nothing follows into a file that is gone.
    fn leaves_unless(&mut self, found: Result<(), Fault>) -> Result<(), Fault> {
        if let (Err(_), Way::Sqlite(sqlite)) = (&found, &mut self.way) {
            sqlite.close();
        }
        found
    }

    async fn rows(&mut self, batch: &[&Prepared]) -> Result<Vec<bool>, Fault> {
        let sealed = match batch.iter().find_map(|write| write.audit()) {
            Some(row) => Some(self.seal(&self.connection, row).await?),
            None => None,
        };
        let (connection, epoch) = (&self.connection, self.epoch);
        match &mut self.way {
            Way::Sqlite(sqlite) => sqlite.write(epoch, batch, sealed),
            Way::Postgres => Ok(postgres::write(connection, epoch, batch, sealed).await?),
            Way::Naive => {
                let mut matched = Vec::with_capacity(batch.len());
                for write in batch {
                    // A batch of this way is one write.
                    matched.push(naive::write(connection, epoch, write, sealed.clone()).await?);
                }
                Ok(matched)
            }
            Way::Discard => Ok(vec![true; batch.len()]),
        }
    }

    /// The row as it follows the newest one of the chain. Nobody else writes, so that this one stays the newest.
    async fn seal<C: ConnectionTrait>(
        &self,
        db: &C,
        row: &AuditRow,
    ) -> Result<audit_log::Model, DbErr> {
        let head = audit::newest(db).await?;
        Ok(row.sealed(&self.audit_key, &head))
    }

    /// Runs statements in a write of their own; rows affected by each, or `None` when the epoch is over.
    pub(super) async fn run(&mut self, run: &Run) -> Result<Option<Vec<u64>>, Fault> {
        self.ready()?;
        let sealed = match &run.audit {
            Some(row) => Some(self.seal(&self.connection, row).await?),
            None => None,
        };
        let rows = match &mut self.way {
            Way::Sqlite(sqlite) => sqlite.run(self.epoch, &run.statements, sealed)?,
            Way::Postgres | Way::Naive | Way::Discard => self.execute(run, sealed).await?,
        };
        self.is_found_again()?;
        Ok(rows)
    }

    async fn execute(
        &self,
        run: &Run,
        sealed: Option<audit_log::Model>,
    ) -> Result<Option<Vec<u64>>, DbErr> {
        let write = begin(&self.connection).await?;
        if !epoch_stands(&write, self.epoch).await? {
            write.rollback().await?;
            return Ok(None);
        }
        let mut rows = Vec::with_capacity(run.statements.len());
        for statement in &run.statements {
            rows.push(write.execute_raw(statement.clone()).await?.rows_affected());
        }
        if let Some(sealed) = sealed
            && rows.first().is_some_and(|changed| *changed > 0)
        {
            audit_log::Entity::insert(sealed.into_active_model().reset_all())
                .exec_without_returning(&write)
                .await?;
        }
        write.commit().await?;
        Ok(Some(rows))
    }

    /// Whether a write that has failed here is over: no server can still be at it.
    pub(super) fn is_embedded(&self) -> bool {
        self.connection.get_database_backend() == sea_orm::DbBackend::Sqlite
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
        .single(write)
        .await?;
    Ok(row.is_some_and(|row| row.epoch == epoch))
}
