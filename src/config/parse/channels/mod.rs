//! `[channels.NAME]`: what every channel has; each kind has a file for what is its own.

mod alipay;
mod http;
mod stripe;
mod tokenpay;
mod wechat;

use super::limits;
use crate::config::section::Section;
use crate::config::{ChannelKind, ChannelSettings, address, defaults};
use crate::domain::schedule::LateSuccess;
use secrecy::SecretString;
use std::collections::BTreeMap;

const KINDS: &str = "\"http\", \"alipay\", \"wechat\", \"stripe\" or \"tokenpay\"";

/// What a kind has read of its section.
struct OfKind {
    base_url: String,
    kind: ChannelKind,
    /// The merchant's id at the channel, where its keys belong to one.
    merchant: Option<String>,
    /// Whether its keys or its address say that it moves real money; `None`: they do not say.
    live: Option<bool>,
    /// Whether nothing on this machine can be the real channel.
    play_on_loopback: bool,
}

pub(super) fn all(sections: Vec<(String, Section<'_>)>) -> BTreeMap<String, ChannelSettings> {
    sections
        .into_iter()
        .filter_map(|(name, section)| Some((name.clone(), channel(&name, section)?)))
        .collect()
}

fn channel(name: &str, mut section: Section<'_>) -> Option<ChannelSettings> {
    if !address::is_name(name) {
        section.refuse("kind", "a channel's name is 1–64 of A-Z a-z 0-9 _ -");
    }
    let of_kind = match section.text("kind").as_deref() {
        Some("http") => http::read(&mut section),
        Some("alipay") => alipay::read(&mut section),
        Some("wechat") => wechat::read(&mut section),
        Some("stripe") => stripe::read(&mut section),
        Some("tokenpay") => tokenpay::read(&mut section),
        Some(other) => {
            section.refuse("kind", format!("`{other}` is refused; allowed is {KINDS}"));
            return None;
        }
        None => {
            section.refuse("kind", format!("is missing; allowed is {KINDS}"));
            return None;
        }
    };
    common(name, section, of_kind)
}

/// What every channel has. All of it is read, so that each fault is named at once.
fn common(
    name: &str,
    mut section: Section<'_>,
    of_kind: Option<OfKind>,
) -> Option<ChannelSettings> {
    let live = live(&mut section, of_kind.as_ref());
    let read_timeout_ms = section.duration_ms("read_timeout", 1);
    let late_success = late_success(&mut section);
    let not_found_grace_ms = section.duration_ms("not_found_grace", 1);
    let amount_max = section.integer("amount_max", 1..=i64::MAX);
    let rate = limits::rate(&mut section, "rate").flatten();
    let circuit = limits::circuit(&mut section);
    if let Some(of_kind) = &of_kind {
        suits(&mut section, &of_kind.kind, read_timeout_ms, late_success);
    }
    section.finish();
    let of_kind = of_kind?;
    Some(ChannelSettings {
        live,
        base_url: of_kind.base_url,
        kind: of_kind.kind,
        read_timeout_ms: read_timeout_ms.unwrap_or(defaults::READ_TIMEOUT_MS),
        late_success: late_success.unwrap_or(LateSuccess::Manual),
        not_found_grace_ms,
        amount_max,
        rate,
        circuit,
        merchant: of_kind.merchant.unwrap_or_else(|| name.to_owned()),
    })
}

/// Whether the channel moves real money: as its keys or its address say, or as it is written, else unless it is on this
/// machine.
fn live(section: &mut Section<'_>, of_kind: Option<&OfKind>) -> bool {
    let written = section.flag("live");
    let Some(of_kind) = of_kind else {
        return false;
    };
    let loopback = address::is_loopback(&of_kind.base_url);
    if loopback && of_kind.play_on_loopback {
        if written == Some(true) {
            let message = "a channel of this kind whose base_url is loopback is never live";
            section.refuse("live", message);
        }
        return false;
    }
    if let (Some(written), Some(said)) = (written, of_kind.live)
        && written != said
    {
        let message = format!("is {written}, and the channel's own keys or address say {said}");
        section.refuse("live", message);
    }
    written.or(of_kind.live).unwrap_or(!loopback)
}

/// What every channel has, where a kind cannot do with all of it.
fn suits(
    section: &mut Section<'_>,
    kind: &ChannelKind,
    read_timeout_ms: Option<i64>,
    late_success: Option<LateSuccess>,
) {
    match kind {
        ChannelKind::Stripe(_) => {
            if read_timeout_ms.is_some_and(|timeout| timeout >= stripe::READ_TIMEOUT_BELOW_MS) {
                let message = "must be less than 1h: a repeated call could reach Stripe when its key is forgotten, and \
                               charge anew";
                section.refuse("read_timeout", message);
            }
        }
        ChannelKind::Tokenpay(_) => {
            if late_success.is_some_and(|policy| policy != LateSuccess::Manual) {
                let message = "allowed is \"manual\": TokenPay makes no refunds, and its notice of a late payment \
                               proves nothing, so that a person looks at each";
                section.refuse("late_success", message);
            }
        }
        ChannelKind::Http { .. } | ChannelKind::Alipay(_) | ChannelKind::Wechat(_) => {}
    }
}

/// The merchant's id at a channel whose keys do not tell it.
fn merchant(section: &mut Section<'_>) -> Option<String> {
    section.parsed("merchant", "1–64 printable characters", |text| {
        is_merchant(text).then(|| text.to_owned())
    })
}

fn is_merchant(text: &str) -> bool {
    (1..=64).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

/// A text that must be there; `needed` completes "needed is …".
fn needed(
    section: &mut Section<'_>,
    key: &'static str,
    needed: &str,
    is_one: fn(&str) -> bool,
) -> Option<String> {
    let text = section.parsed(key, needed, |text| is_one(text).then(|| text.to_owned()));
    if text.is_none() && !section.was_refused(key) {
        section.refuse(key, format!("is missing; needed is {needed}"));
    }
    text
}

/// A secret that must be there.
fn needed_secret(
    section: &mut Section<'_>,
    key: &'static str,
    needed: &str,
) -> Option<SecretString> {
    let secret = section.secret(key);
    if secret.is_none() && !section.was_refused(key) {
        section.refuse(key, format!("is missing; needed is {needed}"));
    }
    secret
}

/// Without a slash at its end. In the clear only to this machine.
fn base_url(section: &mut Section<'_>, key: &'static str, default: Option<&str>) -> Option<String> {
    let allowed = "an https address (http if it is loopback) without user, query and fragment";
    let text = section.text(key).or_else(|| default.map(str::to_owned));
    if text.is_none() && !section.was_refused(key) {
        section.refuse(key, format!("is missing; needed is {allowed}"));
    }
    let url = address::web(&text?)
        .map(|url| url.as_str().trim_end_matches('/').to_owned())
        .filter(|url| url.starts_with("https://") || address::is_loopback(url));
    if url.is_none() {
        section.refuse(key, format!("is refused; allowed is {allowed}"));
    }
    url
}

fn late_success(section: &mut Section<'_>) -> Option<LateSuccess> {
    match section.text("late_success")?.as_str() {
        "manual" => Some(LateSuccess::Manual),
        "fulfil" => Some(LateSuccess::Fulfil),
        "refund" => Some(LateSuccess::Refund),
        other => {
            let message =
                format!("`{other}` is refused; allowed is \"manual\", \"fulfil\" or \"refund\"");
            section.refuse("late_success", message);
            None
        }
    }
}
