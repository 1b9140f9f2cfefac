//! `oncepay migrate`: what `serve` does at its start, alone.

use super::args::Cli;
use super::problem::Problem;
use super::{out, place};
use crate::config::private;
use crate::store::{Database, ProcessLock};
use std::process::ExitCode;

pub(super) async fn run(cli: &Cli) -> Result<ExitCode, Problem> {
    let settings = place::settings(cli)?;
    private::prepare(&settings);
    let _lock = ProcessLock::take(&settings.database.url).await?;
    Database::open(&settings.database).await?;
    out::line("The schema is up to date.");
    Ok(ExitCode::SUCCESS)
}
