//! `[limits]`, and what limits of channels look like.

use crate::config::rate::{self, Rate};
use crate::config::section::Section;
use crate::config::{CircuitSettings, LimitSettings};
use crate::domain::Currency;
use std::collections::BTreeMap;

pub(super) fn limits(mut section: Section<'_>) -> LimitSettings {
    let default = LimitSettings::default();
    let settings = LimitSettings {
        requests_per_key: rate(&mut section, "requests_per_key")
            .unwrap_or(default.requests_per_key),
        callbacks_per_address: rate(&mut section, "callbacks_per_address")
            .unwrap_or(default.callbacks_per_address),
        unauthenticated_per_address: rate(&mut section, "unauthenticated_per_address")
            .unwrap_or(default.unauthenticated_per_address),
        account_daily: by_currency(&mut section, "account_daily"),
    };
    section.finish();
    settings
}

/// `Some(None)` is "off".
#[expect(
    clippy::option_option,
    reason = "no word, no limit and a limit are three things"
)]
pub(super) fn rate(section: &mut Section<'_>, key: &'static str) -> Option<Option<Rate>> {
    section.parsed(key, rate::FORM, |text| match text {
        "off" => Some(None),
        text => Rate::parse(text).map(Some),
    })
}

/// `{ CNY = 500000 }`: minor units by code of ISO 4217.
pub(super) fn by_currency(section: &mut Section<'_>, key: &'static str) -> BTreeMap<Currency, i64> {
    let amounts = section.amounts(key);
    let known = |code: &str| {
        let code = code.to_ascii_uppercase();
        let known = iso_currency::Currency::from_code(&code).is_some();
        Currency::parse(&code).filter(|_| known)
    };
    amounts
        .into_iter()
        .filter_map(|(code, amount)| {
            let currency = known(&code);
            if currency.is_none() {
                let key = format!("{key}.{code}");
                section.refuse(&key, "is not a currency; allowed are codes of ISO 4217");
            }
            Some((currency?, amount))
        })
        .collect()
}

/// `{ failures = 10, pause = "30s" }`, either of which may be left out, or "off".
pub(super) fn circuit(section: &mut Section<'_>) -> Option<CircuitSettings> {
    if section.is_text("circuit") {
        let allowed = "\"off\" or a table such as { failures = 10, pause = \"30s\" }";
        section.parsed("circuit", allowed, |text| (text == "off").then_some(()));
        return None;
    }
    let mut inner = section.section("circuit");
    let failures = inner.integer("failures", 1..=100_000);
    let pause_ms = inner.duration_ms("pause", 1);
    inner.finish();
    let default = CircuitSettings::default();
    Some(CircuitSettings {
        failures: failures
            .and_then(|failures| u32::try_from(failures).ok())
            .unwrap_or(default.failures),
        pause_ms: pause_ms.unwrap_or(default.pause_ms),
    })
}
