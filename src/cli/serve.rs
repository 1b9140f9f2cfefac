//! `oncepay serve`.

use super::args::{Cli, LogLines, Serve};
use super::problem::Problem;
use crate::config::{Settings, Sources};
use crate::telemetry::{LogFormat, logs};
<<<<<<< HEAD
use crate::runtime::Runtime;
use std::io::IsTerminal;
=======
>>>>>>> w-ops
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
<<<<<<< HEAD
    start_logging()?;
    let settings = loaded.settings.clone();
    let listening = move |_| {
        if let Some(first_start) = &loaded.first_start {
            super::welcome(first_start, &settings);
        }
    };
    Box::pin(crate::runtime::serve(Runtime::builder(loaded.settings), listening))
=======
    log(args.log_format)?;
    Box::pin(crate::runtime::serve(loaded.settings, loaded.first_start))
>>>>>>> w-ops
        .await
        .map_err(|error| Problem::plain(error.to_string()))?;
    Ok(ExitCode::SUCCESS)
}

<<<<<<< HEAD
/// People read a terminal, programs read what is not one.
fn start_logging() -> Result<(), Problem> {
    let format = if std::io::stderr().is_terminal() {
        LogFormat::Human
    } else {
        LogFormat::Json
=======
/// Starts logging; lines go to standard error, so that data on standard output stays clean.
pub(super) fn log(lines: LogLines) -> Result<(), Problem> {
    let format = match lines {
        LogLines::Json => LogFormat::Json,
        LogLines::Human => LogFormat::Human,
>>>>>>> w-ops
    };
    logs::init(format).map_err(|error| Problem::plain(error.to_string()))
}
