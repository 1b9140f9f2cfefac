//! One process for one database.

use super::StoreError;
use super::place::Place;
use super::session::LockSession;
use fs4::{FileExt, TryLockError};
use std::fs::File;
use std::path::Path;
use std::time::Duration;
use tokio::time::Instant;

/// How soon PostgreSQL notices the end of a process, at the latest.
const NOTICES_WITHIN: Duration = Duration::from_secs(3);
const TRY_AGAIN: Duration = Duration::from_millis(100);

/// The lock on a database: a locked file beside the SQLite file (where it really is, not where a link to it is), an
/// advisory lock on a connection of its own in PostgreSQL. Dropping it frees the database.
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
    Session(LockSession),
}

impl ProcessLock {
    /// Takes the lock, or says who seems to have it.
    ///
    /// # Errors
    /// `InUse` when another process has it, `Unusable` when the database cannot be reached or its file has two names.
    pub async fn take(url: &str) -> Result<Self, StoreError> {
        let place = Place::parse(url)?.settled()?;
        let held = match &place {
            Place::Sqlite { file, .. } => lock_file(file)?,
            Place::Postgres { .. } => {
                let session = LockSession::begin(place.clone()).await?;
                Held::Session(session.ok_or_else(|| {
                    StoreError::InUse(format!(
                        "another process holds the advisory lock of {place}"
                    ))
                })?)
            }
        };
        Ok(Self { held })
    }

    /// Takes the lock as who follows another process: PostgreSQL frees the lock of one that has ended when it notices that
    /// its connection has.
    ///
    /// # Errors
    /// As [`ProcessLock::take`].
    pub async fn take_over(url: &str) -> Result<Self, StoreError> {
        let until = Instant::now() + NOTICES_WITHIN;
        loop {
            match Self::take(url).await {
                Err(StoreError::InUse(_)) if is_server(url) && Instant::now() < until => {
                    tokio::time::sleep(TRY_AGAIN).await;
                }
                taken => return taken,
            }
        }
    }

    /// Completes when the database is another runtime's: someone else has the lock, or has had it and moved the
    /// epoch from `epoch`. A lock that ended with its connection and that nobody took is taken again. Never, on SQLite.
    pub async fn lost(&mut self, epoch: i64) {
        match &mut self.held {
            Held::File { .. } => std::future::pending().await,
            Held::Session(session) => session.lost(epoch).await,
        }
    }
}

fn is_server(url: &str) -> bool {
    matches!(Place::parse(url), Ok(Place::Postgres { .. }))
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
