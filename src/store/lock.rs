//! One process for one database.

use super::StoreError;
use super::connect::{Role, connect};
use super::place::Place;
use fs4::{FileExt, TryLockError};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// How often PostgreSQL is asked whether the connection that holds the lock still lives.
const POLL: Duration = Duration::from_secs(1);
/// A server that is only slow still holds it: one that answers says so at once, and nothing is written meanwhile that
/// the epoch does not cover.
const ANSWERS_WITHIN: Duration = Duration::from_secs(5);
/// Marks our advisory locks among those of others: "once" in ASCII.
const LOCK_CLASS: i32 = 0x6f6e_6365;

/// The lock on a database: a locked file beside the SQLite file, an advisory lock on a connection of its own in
/// PostgreSQL. Dropping it frees the database.
#[derive(Debug)]
pub struct ProcessLock {
    held: Held,
}

#[derive(Debug)]
enum Held {
    /// The system frees it when the file is closed, also by a crash.
    File {
        _file: File,
    },
    Connection(DatabaseConnection),
}

impl ProcessLock {
    /// Takes the lock, or says who seems to have it.
    ///
    /// # Errors
    /// `InUse` when another process has it, `Unusable` when the database cannot be reached.
    pub async fn take(url: &str) -> Result<Self, StoreError> {
        let place = Place::parse(url)?;
        place.make_folder()?;
        let held = match &place {
            Place::Sqlite { file, .. } => lock_file(file)?,
            Place::Postgres { .. } => lock_server(&place).await?,
        };
        Ok(Self { held })
    }

    /// Completes when the lock is lost (PostgreSQL closed its connection). Never, on SQLite.
    pub async fn lost(&mut self) {
        let Held::Connection(connection) = &self.held else {
            return std::future::pending().await;
        };
        loop {
            tokio::time::sleep(POLL).await;
            let alive = tokio::time::timeout(ANSWERS_WITHIN, held_here(connection)).await;
            if !matches!(alive, Ok(Ok(true))) {
                return;
            }
        }
    }
}

fn lock_file(database: &Path) -> Result<Held, StoreError> {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    let shown = path.to_string_lossy().into_owned();
    let failed = |error: std::io::Error| StoreError::Unusable(format!("{shown}: {error}"));
    let file = File::options()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(failed)?;
    match FileExt::try_lock(&file) {
        Ok(()) => Ok(Held::File { _file: file }),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(format!(
            "another process has locked {shown}"
        ))),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

async fn lock_server(place: &Place) -> Result<Held, StoreError> {
    let connection = connect(place, Role::Lock).await?;
    let taken = ask(
        &connection,
        "SELECT pg_try_advisory_lock($1, hashtext(current_database())) AS answer",
    )
    .await?;
    if taken {
        Ok(Held::Connection(connection))
    } else {
        Err(StoreError::InUse(format!(
            "another process holds the advisory lock of {place}"
        )))
    }
}

/// Whether this very connection still holds the lock: the pool replaces one that was closed, and that has none.
async fn held_here(connection: &DatabaseConnection) -> Result<bool, StoreError> {
    ask(
        connection,
        "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() \
         AND classid::bigint = $1::bigint AND granted) AS answer",
    )
    .await
}

async fn ask(connection: &DatabaseConnection, sql: &str) -> Result<bool, StoreError> {
    let statement = Statement::from_sql_and_values(DbBackend::Postgres, sql, [LOCK_CLASS.into()]);
    let row = connection.query_one_raw(statement).await?;
    let answer = row.map(|row| row.try_get("", "answer")).transpose()?;
    Ok(answer.unwrap_or(false))
}
