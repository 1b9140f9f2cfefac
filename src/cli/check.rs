//! `oncepay config check`.

use super::args::Cli;
use super::problem::Problem;
use super::{out, place};
use crate::clock::{SharedClock, SystemClock};
use crate::config::{
    ConfigError, Problem as ConfigProblem, Settings, Sources, check_refunds, check_serving,
    duration::show,
};
use crate::runtime::open_channel;
use serde_json::json;
use std::process::ExitCode;

pub(super) fn run(cli: &Cli) -> Result<ExitCode, Problem> {
    let file = Sources::of_process(cli.config.clone()).file_in_use();
    let settings = place::settings(cli)?;
    check_serving(&settings)?;
    open_channels(&settings)?;
    let from = file.map_or_else(
        || "no file, defaults".to_owned(),
        |file| file.display().to_string(),
    );
    if cli.json {
        let channels: Vec<_> = settings
            .channels
            .iter()
            .map(|(name, channel)| json!({"name": name, "live": channel.live, "merchant": channel.merchant}))
            .collect();
        out::json(&json!({
            "file": from,
            "listen": settings.server.listen.to_string(),
            "channels": channels,
            "warnings": settings.warnings(),
        }));
        return Ok(ExitCode::SUCCESS);
    }
    out::line(format_args!("The configuration is good ({from})."));
    out::line(format_args!("  listens on    {}", settings.server.listen));
    out::line(format_args!(
        "  public        {}",
        settings.server.public_url
    ));
    out::line(format_args!(
        "  answers after {} at the latest; a submit is UNKNOWN after {}",
        show(settings.server.ui_deadline_ms),
        show(settings.checks.submit_timeout_ms)
    ));
    for (name, channel) in &settings.channels {
        let money = if channel.live {
            "live"
        } else {
            "no real money"
        };
        out::line(format_args!(
            "  channel       {name} ({money}) at {}",
            channel.base_url
        ));
    }
    out::line(format_args!("  keys          {}", settings.keys.len()));
    for warning in settings.warnings() {
        out::line(format_args!("warning: {warning}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a key is one, and matches its other half, is known once its channel is opened. What is wrong with each is told
/// at once.
fn open_channels(settings: &Settings) -> Result<(), ConfigError> {
    let clock: SharedClock = SystemClock::start();
    let mut problems = Vec::new();
    for (name, channel) in &settings.channels {
        match open_channel(name, channel, &clock) {
            Ok(opened) => {
                let checked = check_refunds(settings, name, opened.capabilities().refunds);
                problems.extend(checked.err().into_iter().flat_map(|error| error.problems));
            }
            Err(error) => problems.push(told(name, &error.to_string())),
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(ConfigError { problems })
    }
}

/// A channel names its key first, where it is about one.
fn told(name: &str, refusal: &str) -> ConfigProblem {
    let section = format!("channels.{name}");
    let (path, message) = refusal
        .split_once(' ')
        .filter(|(key, _)| key.starts_with(&section))
        .unwrap_or((&section, refusal));
    ConfigProblem {
        path: path.trim_end_matches(':').to_owned(),
        message: message.to_owned(),
    }
}
