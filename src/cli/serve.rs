//! `oncepay serve`.

use super::args::{Cli, LogLines, Serve};
use super::problem::Problem;
use crate::config::{Settings, Sources};
use crate::runtime::Runtime;
use crate::telemetry::{LogFormat, logs};
use std::io::IsTerminal;
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
    start_logging(args.log_format)?;
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

/// Starts logging. Without a wish: people read a terminal, programs read what is not one.
pub(super) fn start_logging(lines: Option<LogLines>) -> Result<(), Problem> {
    let format = match lines {
        Some(LogLines::Human) => LogFormat::Human,
        Some(LogLines::Json) => LogFormat::Json,
        None if std::io::stderr().is_terminal() => LogFormat::Human,
        None => LogFormat::Json,
    };
    logs::init(format).map_err(|error| Problem::plain(error.to_string()))
}
