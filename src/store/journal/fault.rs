//! What an error of the database means for the writes that met it.

use super::types::{Committed, Conflict, JournalError};
use sea_orm::sqlx::Error as SqlxError;
use sea_orm::sqlx::error::DatabaseError;
use sea_orm::{DbErr, RuntimeErr};

/// The ways in which a write fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// One of the writes breaks a constraint or cannot be understood: the batch is bisected to find it.
    Refused(Refused),
    /// The database is busy, full or gone, and nothing was written: it is repeated.
    Away(String),
    /// As `Away`, but the commit may have happened: it is looked up before it is repeated.
    Unclear(String),
    /// What was committed before is gone from the database's log: nothing may follow it.
    Cut(String),
}

impl Fault {
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Refused(Refused::Conflict(conflict)) => format!("{conflict:?}"),
            Self::Refused(Refused::Other(reason))
            | Self::Away(reason)
            | Self::Unclear(reason)
            | Self::Cut(reason) => reason.clone(),
        }
    }
}

/// What is wrong with one write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refused {
    Conflict(Conflict),
    Other(String),
}

impl Refused {
    /// The answer to the write that failed alone.
    pub(super) fn answer(self) -> Result<Committed, JournalError> {
        match self {
            Self::Conflict(conflict) => Ok(Committed::Conflict(conflict)),
            Self::Other(reason) => Err(JournalError::Refused(reason)),
        }
    }
}

impl From<DbErr> for Fault {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the database layer's errors are open-ended"
    )]
    fn from(error: DbErr) -> Self {
        match &error {
            DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => Self::Away(error.to_string()),
            DbErr::Exec(RuntimeErr::SqlxError(inner))
            | DbErr::Query(RuntimeErr::SqlxError(inner)) => of_driver(inner),
            other => Self::Refused(Refused::Other(other.to_string())),
        }
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the driver's errors are open-ended"
)]
fn of_driver(error: &SqlxError) -> Fault {
    match error {
        SqlxError::Database(inner) => of_database(inner.as_ref()),
        SqlxError::PoolTimedOut | SqlxError::PoolClosed => Fault::Away(error.to_string()),
        SqlxError::Io(_)
        | SqlxError::Tls(_)
        | SqlxError::Protocol(_)
        | SqlxError::WorkerCrashed => Fault::Unclear(error.to_string()),
        other => Fault::Refused(Refused::Other(other.to_string())),
    }
}

fn of_database(error: &dyn DatabaseError) -> Fault {
    let code = error.code().unwrap_or_default();
    let text = error.to_string();
    let sqlite = error
        .try_downcast_ref::<sea_orm::sqlx::sqlite::SqliteError>()
        .is_some();
    if sqlite {
        return of_sqlite(code.parse().unwrap_or_default(), text);
    }
    let class = code.get(..2).unwrap_or_default();
    // rolled back, resources, lock not available, read-only; then: connection, shutdown, system
    match class {
        "40" | "53" | "55" | "25" => Fault::Away(text),
        "08" | "57" | "58" => Fault::Unclear(text),
        "23" => Fault::Refused(constraint(
            &text,
            &Broken {
                is_unique: error.is_unique_violation(),
                is_check: error.is_check_violation(),
                table: error.table(),
            },
        )),
        _ => Fault::Refused(Refused::Other(text)),
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        match error.sqlite_error() {
            Some(inner) => of_sqlite(inner.extended_code, text),
            None => Self::Refused(Refused::Other(text)),
        }
    }
}

/// By the extended code of an error of SQLite.
fn of_sqlite(code: i32, text: String) -> Fault {
    match code & 0xff {
        // busy, locked
        5 | 6 => Fault::Away(text),
        // out of memory, read-only, interrupted, I/O, full, cannot open, protocol
        7..=10 | 13..=15 => Fault::Unclear(text),
        19 => Fault::Refused(constraint(
            &text,
            &Broken {
                // of a primary key, of another one
                is_unique: matches!(code, 1555 | 2067),
                is_check: code == 275,
                table: None,
            },
        )),
        _ => Fault::Refused(Refused::Other(text)),
    }
}

/// A constraint that a write breaks.
struct Broken<'a> {
    is_unique: bool,
    is_check: bool,
    /// SQLite names table and column in its message, PostgreSQL the table beside it.
    table: Option<&'a str>,
}

fn constraint(text: &str, broken: &Broken<'_>) -> Refused {
    let concerns =
        |table: &str| broken.table == Some(table) || text.contains(&format!("failed: {table}."));
    if broken.is_unique && concerns("payments") {
        Refused::Conflict(Conflict::TradeNo)
    } else if broken.is_unique && concerns("callbacks") {
        Refused::Conflict(Conflict::Callback)
    } else if text.contains("refunds exceed the payment") {
        // The words of the trigger, which both databases pass on.
        Refused::Conflict(Conflict::RefundCap)
    } else if broken.is_unique && concerns("ledger_entries") {
        Refused::Conflict(Conflict::LedgerSource)
    } else if concerns("idempotency_keys") && !broken.is_check {
        // Another payload leaves the key without a digest, which the column refuses.
        Refused::Conflict(Conflict::IdempotencyKey)
    } else {
        Refused::Other(text.to_owned())
    }
}
