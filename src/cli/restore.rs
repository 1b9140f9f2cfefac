//! `oncepay restore FILE`: a backup takes the place of the database, which is kept aside.

use super::args::{Cli, Restore};
use super::problem::Problem;
use super::{out, place, sqlite};
use crate::clock::SystemClock;
use crate::config::restored::RESTORE_ASKS_MS;
use crate::config::{Settings, duration};
use crate::domain::UnixMillis;
use crate::moment::rfc3339;
use crate::store::ProcessLock;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const POSTGRES: &str = "stop the server, use pg_restore, then `oncepay restore --mark`, so that orders which the \
                        backup has forgotten are asked about before they are charged";

pub(super) async fn run(cli: &Cli, args: &Restore) -> Result<ExitCode, Problem> {
    let settings = place::settings(cli)?;
    // Held until the end: no server may start on a database that is being exchanged.
    let _lock = ProcessLock::take(&settings.database.url).await?;
    let now = SystemClock::start().wall();
    match &args.file {
        Some(file) => restore(&settings, file, now).await?,
        None => mark(&settings, now)?,
    }
    let until = rfc3339(now.plus(RESTORE_ASKS_MS));
    let grace = duration::show(settings.longest_grace_ms());
    out::line(format_args!(
        "Until {until} first submits are preceded by a query: a channel may know orders that are forgotten here.\n\
         In the first {grace} after each start its *not found* proves nothing, so new orders may wait as UNPAID so long; \
         they go on by themselves."
    ));
    Ok(ExitCode::SUCCESS)
}

async fn restore(settings: &Settings, backup: &Path, now: UnixMillis) -> Result<(), Problem> {
    let database = sqlite::file(settings, POSTGRES)?;
    sqlite::look_over(backup).await?;
    let failed = |error: std::io::Error| Problem::file(&database, &error);
    let incoming = sqlite::beside(&database, ".incoming");
    // Not the file alone: a database that was set aside, or copied by hand, may have its newest rows in its log.
    sqlite::copy(backup, &incoming).await?;
    sqlite::sync(&incoming).map_err(failed)?;
    // The mark comes first: with it and the old database one query too many is made, without it and the new one a
    // charge too many.
    mark(settings, now)?;
    let aside = set_aside(&database, now).map_err(failed)?;
    std::fs::rename(&incoming, &database).map_err(failed)?;
    sqlite::sync(&database).map_err(failed)?;
    out::line(format_args!(
        "{} is restored from {}.",
        database.display(),
        backup.display()
    ));
    if let Some(aside) = aside {
        out::line(format_args!(
            "What was there is kept as {}.",
            aside.display()
        ));
    }
    Ok(())
}

fn mark(settings: &Settings, now: UnixMillis) -> Result<(), Problem> {
    let file = settings.restored_file();
    let failed = |error: std::io::Error| Problem::file(&file, &error);
    settings.note_restore(now).map_err(failed)?;
    sqlite::sync(&file).map_err(failed)
}

/// Moves the database and what SQLite keeps beside it out of the way, under one name; its log first, since a log
/// that is left behind would be played into the new database.
fn set_aside(database: &Path, now: UnixMillis) -> std::io::Result<Option<PathBuf>> {
    if !database.exists() {
        return Ok(None);
    }
    let aside = sqlite::beside(database, &format!(".before-restore-{}", now.0));
    for ending in ["-wal", "-shm"] {
        match std::fs::rename(
            sqlite::beside(database, ending),
            sqlite::beside(&aside, ending),
        ) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    std::fs::rename(database, &aside)?;
    Ok(Some(aside))
}
