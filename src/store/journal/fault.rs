//! What an error of the database means for the writes that met it.

use super::types::{Committed, Conflict, JournalError};
use sea_orm::sqlx::Error as SqlxError;
use sea_orm::sqlx::error::DatabaseError;
use sea_orm::{DbErr, RuntimeErr};

/// The three ways in which a write fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// One of the writes breaks a constraint or cannot be understood: the batch is bisected to find it.
    Refused(Refused),
    /// The database is busy, full or gone, and nothing was written: it is repeated.
    Away(String),
    /// As `Away`, but the commit may have happened: it is looked up before it is repeated.
    Unclear(String),
}

impl Fault {
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Refused(Refused::Conflict(conflict)) => format!("{conflict:?}"),
            Self::Refused(Refused::Other(reason)) | Self::Away(reason) | Self::Unclear(reason) => {
                reason.clone()
            }
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

impl From<&DbErr> for Fault {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the database layer's errors are open-ended"
    )]
    fn from(error: &DbErr) -> Self {
        match error {
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
    let (away, unclear, broken) = if sqlite {
        let primary = code.parse::<u32>().unwrap_or_default() & 0xff;
        // busy, locked; then: out of memory, read-only, interrupted, I/O, full, cannot open, protocol
        (
            matches!(primary, 5 | 6),
            matches!(primary, 7..=10 | 13..=15),
            primary == 19,
        )
    } else {
        let class = code.get(..2).unwrap_or_default();
        // rolled back, resources, lock not available, read-only; then: connection, shutdown, system
        (
            matches!(class, "40" | "53" | "55" | "25"),
            matches!(class, "08" | "57" | "58"),
            class == "23",
        )
    };
    if away {
        Fault::Away(text)
    } else if unclear {
        Fault::Unclear(text)
    } else if broken {
        Fault::Refused(constraint(error, &text))
    } else {
        Fault::Refused(Refused::Other(text))
    }
}

/// SQLite names table and column in its message, PostgreSQL the table beside it.
fn constraint(error: &dyn DatabaseError, text: &str) -> Refused {
    let concerns =
        |table: &str| error.table() == Some(table) || text.contains(&format!("failed: {table}."));
    if error.is_unique_violation() && concerns("payments") {
        Refused::Conflict(Conflict::TradeNo)
    } else if error.is_unique_violation() && concerns("callbacks") {
        Refused::Conflict(Conflict::Callback)
    } else if concerns("idempotency_keys") && !error.is_check_violation() {
        // Another payload leaves the key without a digest, which the column refuses.
        Refused::Conflict(Conflict::IdempotencyKey)
    } else {
        Refused::Other(text.to_owned())
    }
}
