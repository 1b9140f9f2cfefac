//! Many decisions in one write on SQLite: row by row, on the journal's own thread and connection.
//!
//! A statement costs some microseconds here, since nothing is handed to another thread; what a batch saves is the
//! commit, with its wait for the disk. A decision whose order is not as it expects writes nothing, and the next goes on.

mod bind;
mod cells;
mod ledger;
mod log;
mod order;
mod texts;

use super::fault::Fault;
use crate::store::connect::{JOURNAL_BUSY_TIMEOUT, journal_pragmas};
use crate::store::mapping::Prepared;
use cells::Write;
use entities::audit_log;
use log::Log;
use rusqlite::{Connection, OpenFlags};
use sea_orm::Statement;
use std::path::PathBuf;
use texts::Texts;

/// Statements that are kept prepared: all of ours, and those of rare writes that come often.
const KEPT_STATEMENTS: usize = 100;

/// The connection of the journal's writes; it is opened when it is first used.
pub(super) struct Sqlite {
    file: PathBuf,
    connection: Option<Connection>,
    log: Log,
    texts: Texts,
}

impl std::fmt::Debug for Sqlite {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Sqlite").field(&self.file).finish()
    }
}

impl Sqlite {
    pub(super) fn at(file: PathBuf) -> Self {
        Self {
            file,
            connection: None,
            log: Log::new(),
            texts: Texts::new(),
        }
    }

    /// Opens the connection if it is not open; true if it was not.
    pub(super) fn opens(&mut self) -> Result<bool, Fault> {
        if self.connection.is_some() {
            return Ok(false);
        }
        let opened = open(&self.file).map_err(|error| Fault::Away(error.to_string()))?;
        self.connection = Some(opened);
        Ok(true)
    }

    /// Between two writes: see [`log`]. True if its file is shorter now.
    pub(super) fn keep_log_short(&mut self) -> bool {
        let Some(connection) = &self.connection else {
            return false;
        };
        self.log.keep_short(connection).unwrap_or_else(|error| {
            tracing::warn!(%error, "the database's log could not be folded in; it is tried again");
            false
        })
    }

    /// A write has failed for want of something.
    pub(super) fn makes_room(&mut self) -> bool {
        self.log.begin_anew();
        self.keep_log_short()
    }

    pub(super) fn close(&mut self) {
        self.connection = None;
    }

    /// Writes these decisions, and says of each whether it found its order as expected. After an error nothing is
    /// written, except that an unclear one may hide a commit.
    pub(super) fn write(
        &mut self,
        epoch: i64,
        decisions: &[&Prepared],
        mut audit: Option<audit_log::Model>,
    ) -> Result<Vec<bool>, Fault> {
        let none = vec![false; decisions.len()];
        let matched = self.in_one(epoch, |write| {
            let each = decisions.iter().map(|decision| match decision {
                Prepared::Order(rows) => {
                    let sealed = decision.audit().and_then(|_| audit.take());
                    order::write(write, rows, sealed)
                }
                Prepared::Account(rows) => ledger::of_account(write, rows),
            });
            each.collect()
        })?;
        Ok(matched.unwrap_or(none))
    }

    /// Runs statements in a write of their own; rows affected by each, or `None` when the epoch is over. `sealed` is
    /// added if the first of them changes a row.
    pub(super) fn run(
        &mut self,
        epoch: i64,
        statements: &[Statement],
        sealed: Option<audit_log::Model>,
    ) -> Result<Option<Vec<u64>>, Fault> {
        self.in_one(epoch, |write| {
            let mut rows = Vec::with_capacity(statements.len());
            for statement in statements {
                let values = statement.values.iter().flat_map(|values| &values.0);
                rows.push(write.change(&statement.sql, values.cloned())?);
            }
            if let Some(row) = &sealed
                && rows.first().is_some_and(|changed| *changed > 0)
            {
                write.row(&write.texts.audit, row)?;
            }
            Ok(rows)
        })
    }

    /// What `work` does, in one write; `None`, and nothing done, when the epoch is over.
    fn in_one<T>(
        &mut self,
        epoch: i64,
        work: impl FnOnce(&Write<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Fault> {
        let Some(connection) = &self.connection else {
            return Err(Fault::Away("the database is not open".to_owned()));
        };
        let write = Write {
            connection,
            texts: &self.texts,
        };
        let done = write.in_one(epoch, work);
        if done.is_err() && !is_out_of_it(connection) {
            // Nothing could be begun on it any more.
            self.connection = None;
        }
        Ok(done?)
    }
}

/// Leaves a write that has failed: SQLite keeps what it has done so far until it is told.
fn is_out_of_it(connection: &Connection) -> bool {
    connection.is_autocommit()
        || connection.execute_batch("ROLLBACK").is_ok()
        || connection.is_autocommit()
}

fn open(file: &PathBuf) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(JOURNAL_BUSY_TIMEOUT)?;
    for (name, value) in journal_pragmas() {
        connection.pragma_update(None, name, value)?;
    }
    connection.set_prepared_statement_cache_capacity(KEPT_STATEMENTS);
    Ok(connection)
}
