//! The embedded database as a file: opened beside a running server, looked over, copied.

use super::problem::Problem;
use crate::config::Settings;
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, DbErr, Statement,
};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Tables without which a file is no database of ours.
const OUR_TABLES: [&str; 2] = ["orders", "order_events"];

/// The file of the embedded database; with PostgreSQL the explanation of what to do instead.
pub(super) fn file(settings: &Settings, instead: &str) -> Result<PathBuf, Problem> {
    settings
        .sqlite_file()
        .ok_or_else(|| Problem::Plain(format!("the database is PostgreSQL: {instead}")))
}

/// A connection that makes nothing and migrates nothing.
pub(super) async fn connect(file: &Path, read_only: bool) -> Result<DatabaseConnection, Problem> {
    if !file.exists() {
        return Err(Problem::Plain(format!(
            "there is no file {}",
            file.display()
        )));
    }
    if !is_sqlite(file).map_err(|error| Problem::file(file, &error))? {
        return Err(Problem::Plain(format!(
            "{} is no database of oncepay: it is no file of SQLite",
            file.display()
        )));
    }
    let mode = if read_only { "ro" } else { "rw" };
    let mut options = ConnectOptions::new(format!("sqlite://{}?mode={mode}", file.display()));
    options.max_connections(1).sqlx_logging(false);
    Database::connect(options)
        .await
        .map_err(|error| unusable(file, &error))
}

/// Every database begins with these bytes; one without a table has none at all.
fn is_sqlite(file: &Path) -> std::io::Result<bool> {
    const BEGINNING: &[u8] = b"SQLite format 3\0";
    let mut beginning = Vec::new();
    let length = u64::try_from(BEGINNING.len()).unwrap_or_default();
    std::fs::File::open(file)?
        .take(length)
        .read_to_end(&mut beginning)?;
    Ok(beginning.is_empty() || beginning == BEGINNING)
}

pub(super) fn unusable(file: &Path, error: &DbErr) -> Problem {
    Problem::Plain(format!("{}: {error}", file.display()))
}

/// Whether the file is whole and holds our tables.
pub(super) async fn look_over(file: &Path) -> Result<(), Problem> {
    let connection = connect(file, true).await?;
    let verdict = texts(&connection, "PRAGMA integrity_check").await;
    let tables = texts(
        &connection,
        "SELECT name FROM sqlite_master WHERE type = 'table'",
    )
    .await;
    let closed = connection.close().await;
    let (verdict, tables) = verdict
        .and_then(|verdict| Ok((verdict, tables?)))
        .and_then(|found| closed.map(|()| found))
        .map_err(|error| unusable(file, &error))?;
    if verdict != ["ok"] {
        let first = verdict.first().cloned().unwrap_or_default();
        return Err(Problem::Plain(format!(
            "{} is damaged: {first}",
            file.display()
        )));
    }
    let missing = OUR_TABLES
        .iter()
        .find(|table| !tables.iter().any(|name| name == *table));
    match missing {
        Some(table) => Err(Problem::Plain(format!(
            "{} is no database of oncepay: it has no table `{table}`",
            file.display()
        ))),
        None => Ok(()),
    }
}

/// A whole copy in one file, in the place of what is at `to`: also what still stands in the log beside the database.
pub(super) async fn copy(database: &Path, to: &Path) -> Result<(), Problem> {
    remove_if_there(to)?;
    let connection = connect(database, false).await?;
    let target = to
        .to_str()
        .ok_or_else(|| Problem::plain("the file's name is not UTF-8"))?;
    let copied = connection
        .execute_raw(Statement::from_sql_and_values(
            DbBackend::Sqlite,
            "VACUUM INTO ?",
            [target.into()],
        ))
        .await;
    let closed = connection.close().await;
    copied.map_err(|error| unusable(to, &error))?;
    closed.map_err(|error| unusable(database, &error))?;
    #[cfg(unix)]
    {
        // It holds what the database holds.
        use std::os::unix::fs::PermissionsExt;
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(to, private).map_err(|error| Problem::file(to, &error))?;
    }
    Ok(())
}

fn remove_if_there(file: &Path) -> Result<(), Problem> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Problem::file(file, &error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

async fn texts(connection: &DatabaseConnection, query: &str) -> Result<Vec<String>, DbErr> {
    let rows = connection
        .query_all_raw(Statement::from_string(DbBackend::Sqlite, query))
        .await?;
    rows.iter().map(|row| row.try_get_by_index(0)).collect()
}

/// Makes the file itself durable, and its name in its folder.
pub(super) fn sync(file: &Path) -> std::io::Result<()> {
    std::fs::File::open(file)?.sync_all()?;
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => std::fs::File::open(folder)?.sync_all(),
        Some(_) | None => std::fs::File::open(".")?.sync_all(),
    }
}

/// The path with more at its end.
pub(super) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
