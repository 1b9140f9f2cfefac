//! `[alerts]`.

use crate::config::AlertSettings;
use crate::config::section::Section;
use crate::mail;
use secrecy::{ExposeSecret, SecretString};

pub(super) fn alerts(mut section: Section<'_>) -> AlertSettings {
    let default = AlertSettings::default();
    let address = "an e-mail address such as \"ops@example.com\"";
    let from = section.parsed("from", address, |text| {
        mail::address::parse(text).map(|_| text.to_owned())
    });
    let to = section.texts("to");
    for text in to.iter().flatten() {
        if mail::address::parse(text).is_none() {
            section.refuse("to", format!("`{text}` is refused; allowed is {address}"));
        }
    }
    if to.as_ref().is_some_and(Vec::is_empty) {
        section.refuse("to", "is empty; at least one address is needed");
    }
    let smtp_url = smtp_url(&mut section);
    if smtp_url.is_some() && (from.is_none() || to.is_none()) {
        section.refuse("smtp_url", "needs alerts.from and alerts.to beside it");
    }
    let digest_window_ms = section.duration_ms("digest_window", 0);
    let daily_at_ms = section.parsed(
        "daily_at",
        "an hour of the day (UTC) such as \"08:00\"",
        hour_ms,
    );
    section.finish();
    AlertSettings {
        from: from.unwrap_or(default.from),
        to: to.unwrap_or(default.to),
        smtp_url,
        digest_window_ms: digest_window_ms.unwrap_or(default.digest_window_ms),
        daily_at_ms: daily_at_ms.unwrap_or(default.daily_at_ms),
    }
}

/// `HH:MM` in milliseconds after midnight.
fn hour_ms(text: &str) -> Option<i64> {
    let (hour, minute) = text.split_once(':').filter(|_| text.len() == 5)?;
    let number = |part: &str, max: i64| {
        let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        let number = part.parse::<i64>().ok().filter(|_| digits)?;
        (number <= max).then_some(number)
    };
    let minutes = number(hour, 23)?
        .saturating_mul(60)
        .saturating_add(number(minute, 59)?);
    Some(minutes.saturating_mul(60_000))
}

/// It may hold a password, so it is never quoted.
fn smtp_url(section: &mut Section<'_>) -> Option<SecretString> {
    let secret = section.secret("smtp_url")?;
    if let Err(problem) = mail::smtp::check(secret.expose_secret()) {
        section.refuse("smtp_url", problem);
        return None;
    }
    Some(secret)
}
