//! The command line: a face like the API. It parses, asks, prints; it decides nothing about orders.

mod alerts;
mod args;
mod audit;
mod backup;
mod callback;
mod callback_words;
mod check;
mod client;
mod demo;
mod drill;
mod init;
mod keys;
mod ledger;
mod migrate;
mod orders;
mod out;
mod place;
mod problem;
mod rehearsal;
mod restore;
mod sandbox;
mod serve;
mod shown;
mod simulate;
mod sqlite;
mod view;
mod welcome;

pub use welcome::welcome;

use args::{Cli, Command};
use clap::Parser;
use problem::Problem;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command of these arguments, the program's name first: 0 done, 1 failed (or rejected), 2 wrong usage.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return told(&error),
    };
    match actix_web::rt::System::new().block_on(command(&cli)) {
        Ok(code) => code,
        Err(problem) => {
            if cli.json {
                out::json(&problem.as_json());
            }
            out::problem(&problem);
            ExitCode::FAILURE
        }
    }
}

/// Help and version are printed and good; everything else is a usage error.
fn told(error: &clap::Error) -> ExitCode {
    // A closed pipe is the reader's choice.
    error.print().unwrap_or_default();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

async fn command(cli: &Cli) -> Result<ExitCode, Problem> {
    let serve = Command::Serve(args::Serve::default());
    match cli.command.as_ref().unwrap_or(&serve) {
        Command::Serve(args) => serve::run(cli, args).await,
        Command::Demo => demo::run().await,
        Command::Drill => drill::run(cli).await,
        Command::Simulate(args) => Ok(simulate::run(cli, args)),
        Command::Sandbox(args) => sandbox::run(args).await,
        Command::Migrate => migrate::run(cli).await,
        Command::Init { what } => init::run(cli, *what),
        Command::Config { .. } => check::run(cli),
        Command::Keys { action } => keys::run(cli, action).await,
        Command::Orders { action } => orders::run(cli, action).await,
        Command::Alerts { action } => alerts::run(cli, action).await,
        Command::Audit { action } => audit::run(cli, action).await,
        Command::Ledger { action } => ledger::run(cli, *action).await,
        Command::Callback { action } => callback::run(cli, action),
        Command::Backup { file } => backup::run(cli, file).await,
        Command::Restore(args) => restore::run(cli, args).await,
    }
}
