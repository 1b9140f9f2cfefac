//! Values that are good alone and dangerous together.

use super::problem::{ConfigError, Problem};
use super::public_address::is_public;
use super::{ChannelKind, ChannelSettings, Settings, address, duration::show};
use crate::domain::order::Fingerprint;
use crate::domain::schedule::LateSuccess;

/// Refuses pairs of settings under which an order could be charged twice, never settled, or paid with play money.
pub fn pairs(settings: &Settings) -> Result<(), ConfigError> {
    let mut problems = Vec::new();
    clocks(settings, &mut problems);
    for (name, channel) in &settings.channels {
        let at = |key: &str| format!("channels.{name}.{key}");
        channel_clocks(settings, channel, &at, &mut problems);
        play_money(settings, channel, &at, &mut problems);
    }
    receiver(settings, &mut problems);
    refuse_if_any(problems)
}

fn refuse_if_any(problems: Vec<Problem>) -> Result<(), ConfigError> {
    if problems.is_empty() {
        Ok(())
    } else {
        Err(ConfigError { problems })
    }
}

fn add(problems: &mut Vec<Problem>, path: impl Into<String>, message: String) {
    problems.push(Problem {
        path: path.into(),
        message,
    });
}

fn clocks(settings: &Settings, problems: &mut Vec<Problem>) {
    let (submit, deadline) = (
        settings.checks.submit_timeout_ms,
        settings.server.ui_deadline_ms,
    );
    if submit >= deadline {
        let message = format!(
            "{} is not less than server.ui_deadline ({}): the user would be answered before the order is UNKNOWN",
            show(submit),
            show(deadline)
        );
        add(problems, "checks.submit_timeout", message);
    }
    let live = settings.channels.iter().find(|(_, channel)| channel.live);
    if let Some((name, _)) = live
        && address::is_loopback(&settings.server.public_url)
    {
        let message = format!(
            "{} is loopback and channels.{name} is live: its callbacks could never arrive; give the public address",
            settings.server.public_url
        );
        add(problems, "server.public_url", message);
    }
}

fn channel_clocks(
    settings: &Settings,
    channel: &ChannelSettings,
    at: &dyn Fn(&str) -> String,
    problems: &mut Vec<Problem>,
) {
    let deadline = settings.server.ui_deadline_ms;
    if channel.read_timeout_ms <= deadline {
        let message = format!(
            "{} must exceed server.ui_deadline ({}): a reply after the deadline would be thrown away",
            show(channel.read_timeout_ms),
            show(deadline)
        );
        add(problems, at("read_timeout"), message);
    }
    let grace = channel
        .not_found_grace_ms
        .unwrap_or(settings.checks.not_found_grace_ms);
    let ladder = settings
        .checks
        .schedule_ms
        .iter()
        .fold(0, |sum: i64, rung| sum.saturating_add(*rung));
    let needed = channel.read_timeout_ms.saturating_add(grace);
    if settings.checks.max_submits > 1 && ladder < needed {
        let message = format!(
            "the ladder ends after {}, before {} + not_found_grace of {} have passed ({}): nothing could ever be \
             resubmitted; lengthen it, or set checks.max_submits = 1",
            show(ladder),
            at("read_timeout"),
            show(grace),
            show(needed)
        );
        add(problems, "checks.schedule", message);
    }
}

/// Whoever can order on a channel that moves no real money gets goods for nothing.
fn play_money(
    settings: &Settings,
    channel: &ChannelSettings,
    at: &dyn Fn(&str) -> String,
    problems: &mut Vec<Problem>,
) {
    if channel.live || settings.sandbox.allow {
        return;
    }
    let way_out = match channel.kind {
        ChannelKind::Tokenpay(_) => {
            "set live = true if its gateway takes real transfers, take it out, or set sandbox.allow = true"
        }
        ChannelKind::Http { .. }
        | ChannelKind::Alipay(_)
        | ChannelKind::Wechat(_)
        | ChannelKind::Stripe(_) => "take it out, or set sandbox.allow = true",
    };
    let live = settings.channels.iter().find(|(_, other)| other.live);
    if let Some((live, _)) = live {
        let message =
            format!("moves no real money and stands beside the live channels.{live}; {way_out}");
        add(problems, at("base_url"), message);
    }
    if !settings.server.listen.ip().to_canonical().is_loopback() {
        let message = format!(
            "moves no real money and server.listen ({}) is not loopback; {way_out}",
            settings.server.listen
        );
        add(problems, at("base_url"), message);
    }
}

/// Whoever can write the configuration may mean a receiver beside us; whoever can only write names may not.
fn receiver(settings: &Settings, problems: &mut Vec<Problem>) {
    let Some(url) = settings.fulfilment.url.as_deref() else {
        return;
    };
    let literal = address::literal(url).is_some_and(|ip| !is_public(ip));
    if (literal || address::is_loopback(url)) && !settings.fulfilment.allow_private {
        let message = "is a private address; set fulfilment.allow_private = true if that is meant";
        add(problems, "fulfilment.url", message.to_owned());
    }
}

/// Refuses what a server of our own cannot do: it mounts everything at the root. (An app that mounts the routes in a
/// scope names that scope in its public address.)
pub fn check_serving(settings: &Settings) -> Result<(), ConfigError> {
    let public_url = &settings.server.public_url;
    let path = address::web(public_url).map(|url| url.path().trim_matches('/').to_owned());
    match path {
        Some(path) if !path.is_empty() => Err(ConfigError::one(
            "server.public_url",
            format!(
                "{public_url} has the path /{path}, and `serve` has nothing below it; allowed is an address without a \
                 path"
            ),
        )),
        Some(_) | None => Ok(()),
    }
}

/// Refuses to give late money back through a channel that makes no refunds.
pub fn check_refunds(settings: &Settings, channel: &str, refunds: bool) -> Result<(), ConfigError> {
    let configured = settings.channels.get(channel);
    let policy = configured.map(|configured| configured.late_success);
    if policy == Some(LateSuccess::Refund) && !refunds {
        return Err(ConfigError::one(
            format!("channels.{channel}.late_success"),
            "`refund` is refused, since this channel makes no refunds; allowed is \"manual\" or \"fulfil\"",
        ));
    }
    Ok(())
}

/// Refuses settings that dropped a channel, or changed its account, while orders are in flight or in `MANUAL` there.
pub fn check_against_rows(
    settings: &Settings,
    accounts_in_flight: &[Fingerprint],
) -> Result<(), ConfigError> {
    let mut problems = Vec::new();
    for account in accounts_in_flight {
        let path = format!("channels.{}", account.channel);
        let way_out = "bring it back until they are settled";
        match settings.channels.get(&account.channel) {
            None => add(
                &mut problems,
                path,
                format!("is gone while orders are in flight there; {way_out}"),
            ),
            Some(channel) if channel.merchant != account.merchant => {
                let message = format!(
                    "is `{}` while orders of `{}` are in flight there; {way_out}",
                    channel.merchant, account.merchant
                );
                add(&mut problems, format!("{path}.merchant"), message);
            }
            Some(channel) if channel.live != account.live => {
                let message = format!(
                    "is {} while orders with live = {} are in flight there; {way_out}",
                    channel.live, account.live
                );
                add(&mut problems, format!("{path}.live"), message);
            }
            Some(_) => {}
        }
    }
    refuse_if_any(problems)
}
