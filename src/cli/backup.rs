//! `oncepay backup FILE`: a whole, consistent copy, also while the server runs.

use super::args::Cli;
use super::problem::Problem;
use super::{out, place, sqlite};
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
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(Problem::Plain(format!(
            "there is no folder {}",
            folder.display()
        )));
    }
    let unfinished = sqlite::beside(file, ".unfinished");
    sqlite::copy(&database, &unfinished).await?;
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
