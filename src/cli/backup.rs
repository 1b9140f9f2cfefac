//! `oncepay backup FILE`: a whole, consistent copy, also while the server runs.

use super::args::Cli;
use super::problem::Problem;
use super::{out, place, sqlite};
use sea_orm::{ConnectionTrait, DbBackend, Statement};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

const POSTGRES: &str =
    "use pg_dump --format=custom --file=FILE, it is consistent while the server runs";

pub(super) async fn run(cli: &Cli, file: &Path) -> Result<ExitCode, Problem> {
    let settings = place::settings(cli)?;
    let database = sqlite::file(&settings, POSTGRES)?;
    if file.exists() {
        return Err(Problem::Plain(format!(
            "{} is there already; it is not overwritten",
            file.display()
        )));
    }
    let unfinished = sqlite::beside(file, ".unfinished");
    remove_if_there(&unfinished)?;
    copy(&database, &unfinished).await?;
    sqlite::look_over(&unfinished).await?;
    // A link fails where a rename would overwrite what someone else has put there meanwhile.
    let failed = |error: std::io::Error| Problem::file(file, &error);
    std::fs::hard_link(&unfinished, file).map_err(failed)?;
    std::fs::remove_file(&unfinished).map_err(failed)?;
    sqlite::sync(file).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    if cli.json {
        out::json(&json!({"file": file, "bytes": bytes}));
    } else {
        out::line(format_args!(
            "{} holds the whole database ({bytes} bytes).",
            file.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

async fn copy(database: &Path, to: &Path) -> Result<(), Problem> {
    let connection = sqlite::connect(database, false).await?;
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
    copied.map_err(|error| sqlite::unusable(to, &error))?;
    closed.map_err(|error| sqlite::unusable(database, &error))?;
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
