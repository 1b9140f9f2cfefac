//! `[channels.NAME]`.

use super::limits;
use crate::config::secret::{SIGNING_BYTES_MIN, is_signing_key};
use crate::config::section::Section;
use crate::config::{ChannelSettings, address, defaults};
use crate::domain::schedule::LateSuccess;
use secrecy::SecretString;
use std::collections::BTreeMap;

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
    match section.text("kind").as_deref() {
        Some("http") => http(name, section),
        Some("alipay" | "wechat" | "stripe" | "tokenpay") => {
            section.refuse(
                "kind",
                "this kind is not available in this version; allowed is \"http\"",
            );
            None
        }
        Some(other) => {
            section.refuse("kind", format!("`{other}` is refused; allowed is \"http\""));
            None
        }
        None => {
            section.refuse("kind", "is missing; allowed is \"http\"");
            None
        }
    }
}

fn http(name: &str, mut section: Section<'_>) -> Option<ChannelSettings> {
    let base_url = base_url(&mut section);
    let secret = secret(&mut section);
    let live = section.flag("live");
    let merchant = section.parsed("merchant", "1–64 printable characters", |text| {
        ((1..=64).contains(&text.chars().count()) && !text.chars().any(char::is_control))
            .then(|| text.to_owned())
    });
    let read_timeout_ms = section.duration_ms("read_timeout", 1);
    let late_success = late_success(&mut section);
    let not_found_grace_ms = section.duration_ms("not_found_grace", 1);
    let amount_max = section.integer("amount_max", 1..=i64::MAX);
    if live == Some(true) && base_url.as_deref().is_some_and(address::is_loopback) {
        section.refuse("live", "a channel whose base_url is loopback is never live");
    }
    let rate = limits::rate(&mut section, "rate").flatten();
    let circuit = limits::circuit(&mut section);
    section.finish();
    let base_url = base_url?;
    Some(ChannelSettings {
        live: live.unwrap_or(true) && !address::is_loopback(&base_url),
        base_url,
        secret: secret?,
        read_timeout_ms: read_timeout_ms.unwrap_or(defaults::READ_TIMEOUT_MS),
        late_success: late_success.unwrap_or(LateSuccess::Manual),
        not_found_grace_ms,
        amount_max,
        rate,
        circuit,
        merchant: merchant.unwrap_or_else(|| name.to_owned()),
    })
}

/// Without a slash at its end. In the clear only to this machine.
fn base_url(section: &mut Section<'_>) -> Option<String> {
    let allowed = "an https address (http if it is loopback) without user, query and fragment";
    let text = section.text("base_url");
    if text.is_none() {
        section.refuse("base_url", format!("is missing; needed is {allowed}"));
    }
    let url = address::web(&text?)
        .map(|url| url.as_str().trim_end_matches('/').to_owned())
        .filter(|url| url.starts_with("https://") || address::is_loopback(url));
    if url.is_none() {
        section.refuse("base_url", format!("is refused; allowed is {allowed}"));
    }
    url
}

fn secret(section: &mut Section<'_>) -> Option<SecretString> {
    let secret = section.secret("secret");
    let Some(secret) = secret else {
        if !section.was_refused("secret") {
            section.refuse(
                "secret",
                "is missing; needed is whsec_ and the key in base64",
            );
        }
        return None;
    };
    if !is_signing_key(&secret) {
        let message = format!("allowed is whsec_ and at least {SIGNING_BYTES_MIN} bytes in base64");
        section.refuse("secret", message);
        return None;
    }
    Some(secret)
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
