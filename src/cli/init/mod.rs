//! `oncepay init`: files of a deployment, made for this configuration. They need none of its secrets.

mod compose;
mod folders;
mod nginx;
mod systemd;

use super::args::{Cli, Deployment};
use super::out;
use super::problem::Problem;
use crate::config::{Outline, Sources, check_serving};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;

pub(super) fn run(cli: &Cli, what: Deployment) -> Result<ExitCode, Problem> {
    let sources = Sources::of_process(cli.config.clone());
    let outline = Outline::load(&sources)?;
    check_serving(&outline.settings)?;
    let file = match what {
        Deployment::Systemd => systemd::unit(&outline.settings),
        Deployment::Nginx => nginx::site(&outline.settings),
        Deployment::Compose => compose::file(&outline, sources.file_in_use().as_deref()),
    };
    out::line(file.trim_end());
    Ok(ExitCode::SUCCESS)
}

/// Where this machine reaches a listener.
fn reachable(listen: SocketAddr) -> SocketAddr {
    match listen.ip() {
        ip if ip.is_unspecified() => {
            SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), listen.port())
        }
        ip => SocketAddr::new(ip, listen.port()),
    }
}
