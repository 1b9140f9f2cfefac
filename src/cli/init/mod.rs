//! `oncepay init`: files of a deployment, made for this configuration.

mod compose;
mod nginx;
mod systemd;

use super::args::{Cli, Deployment};
use super::problem::Problem;
use super::{out, place};
use std::process::ExitCode;

pub(super) fn run(cli: &Cli, what: Deployment) -> Result<ExitCode, Problem> {
    let settings = place::settings(cli)?;
    let file = match what {
        Deployment::Systemd => systemd::unit(),
        Deployment::Nginx => nginx::site(&settings),
        Deployment::Compose => compose::file(&settings),
    };
    out::line(file.trim_end());
    Ok(ExitCode::SUCCESS)
}
