//! `oncepay serve`.

use super::args::{Cli, LogLines, Serve};
use super::problem::Problem;
use crate::config::{Settings, Sources};
use crate::runtime::Runtime;
use crate::telemetry::{LogFormat, logs};
use std::process::ExitCode;

pub(super) async fn run(cli: &Cli, args: &Serve) -> Result<ExitCode, Problem> {
    let mut sources = Sources::of_process(cli.config.clone());
    sources.may_create = true;
    let flags = [
        ("server.listen", &args.listen),
        ("database.url", &args.database),
    ];
    sources.flags = flags
        .into_iter()
        .filter_map(|(path, value)| Some((path.to_owned(), value.clone()?)))
        .collect();
    let loaded = Settings::load(&sources)?;
    log(args.log_format)?;
    let settings = loaded.settings.clone();
    let listening = move |_| {
        if let Some(first_start) = &loaded.first_start {
            super::welcome(first_start, &settings);
        }
    };
    Box::pin(crate::runtime::serve(
        Runtime::builder(loaded.settings),
        listening,
    ))
    .await
    .map_err(|error| Problem::plain(error.to_string()))?;
    Ok(ExitCode::SUCCESS)
}

/// Starts logging; lines go to standard error, so that data on standard output stays clean.
pub(super) fn log(lines: LogLines) -> Result<(), Problem> {
    let format = match lines {
        LogLines::Json => LogFormat::Json,
        LogLines::Human => LogFormat::Human,
    };
    logs::init(format).map_err(|error| Problem::plain(error.to_string()))
}
