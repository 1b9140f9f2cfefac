//! `[ledger]`.

use crate::config::section::Section;
use crate::config::{LedgerSettings, address, defaults};
use crate::domain::schedule::OnRefund;

/// A period of a subscription is at least a minute: what is shorter is a slip of the pen.
const PERIOD_LEAST_MS: i64 = 60_000;

pub(super) fn ledger(mut section: Section<'_>) -> LedgerSettings {
    let overdraft = section.amounts("overdraft");
    for (account, _) in &overdraft {
        if account != "*" && !address::is_key_name(account) {
            let key = format!("overdraft.{account}");
            section.refuse(&key, "is no account's name; allowed is 1–64 of A-Z a-z 0-9 _ - . @, or \"*\" for every other");
        }
    }
    let allowed = "\"debt\", \"hold\" or \"keep\"";
    let on_refund = section.parsed("on_refund", allowed, |text| match text {
        "debt" => Some(OnRefund::Debt),
        "hold" => Some(OnRefund::Hold),
        "keep" => Some(OnRefund::Keep),
        _ => None,
    });
    let period_ms = section.duration_ms("subscription_period", PERIOD_LEAST_MS);
    section.finish();
    LedgerSettings {
        overdraft: overdraft.into_iter().collect(),
        on_refund: on_refund.unwrap_or(OnRefund::Debt),
        subscription_period_ms: period_ms.unwrap_or(defaults::SUBSCRIPTION_PERIOD_MS),
    }
}
