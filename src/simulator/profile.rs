//! The channels of the story: what each promises, and how its processor goes about a charge.

use super::clocks::{DAY, HOUR, MINUTE, SECOND};
use crate::domain::order::Fingerprint;
use crate::domain::schedule::{Capabilities, LateSuccess, OnRefund, Rules};
use crate::domain::{Currency, Money};
use std::collections::BTreeMap;

/// How a charge is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// At once, or declined at once.
    AtOnce,
    /// When the payer does it.
    ByThePayer,
    /// By a bank, after hours or days.
    ByABank,
}

#[derive(Debug)]
pub(super) struct Profile {
    pub(super) manner: Manner,
    pub(super) rules: Rules,
    /// The same under another account of the merchant.
    pub(super) switched: Rules,
}

/// The currency of every order.
pub(super) fn money(amount: i64) -> Option<Money> {
    Some(Money::new(amount, Currency::parse("CNY")?))
}

/// All channels.
pub(super) fn profiles() -> Vec<Profile> {
    vec![bank(), wallet(), card(), fragile(), debit(), token()]
}

/// What a channel promises unless it says otherwise.
const PLAIN: Capabilities = Capabilities {
    one_charge_per_key: true,
    resubmits: true,
    key_life_ms: None,
    closes: true,
    refunds: true,
    own_expiry: false,
    asynchronous: false,
    repeats_action: false,
    settles_within_ms: 0,
};

/// Charges at once, once for a key, for half an hour.
pub(super) fn bank() -> Profile {
    let capabilities = Capabilities {
        key_life_ms: Some(30 * MINUTE),
        ..PLAIN
    };
    profile("bank", Manner::AtOnce, rules(capabilities))
}

/// Shows a code that the payer scans, once more to who submits once more, and ends an unpaid order by itself.
fn wallet() -> Profile {
    let capabilities = Capabilities {
        own_expiry: true,
        repeats_action: true,
        ..PLAIN
    };
    let rules = Rules {
        late_success: LateSuccess::Refund,
        on_refund: OnRefund::Hold,
        ..rules(capabilities)
    };
    profile("wallet", Manner::ByThePayer, rules)
}

/// As a bank, with two persons for large sums, and late money is delivered.
fn card() -> Profile {
    let capabilities = Capabilities {
        key_life_ms: Some(DAY),
        settles_within_ms: HOUR,
        ..PLAIN
    };
    let second_person_above = Currency::parse("CNY").map(|currency| (currency, 60_000));
    let rules = Rules {
        late_success: LateSuccess::Fulfil,
        second_person_above: second_person_above.into_iter().collect(),
        ..rules(capabilities)
    };
    profile("card", Manner::AtOnce, rules)
}

/// Charges again whatever the key says.
fn fragile() -> Profile {
    let capabilities = Capabilities {
        one_charge_per_key: false,
        key_life_ms: Some(DAY),
        ..PLAIN
    };
    profile("fragile", Manner::AtOnce, rules(capabilities))
}

/// A debit that a bank takes days for; nobody can close it, and it is never sent again.
fn debit() -> Profile {
    let capabilities = Capabilities {
        one_charge_per_key: false,
        resubmits: false,
        closes: false,
        asynchronous: true,
        settles_within_ms: 5 * DAY,
        ..PLAIN
    };
    let rules = Rules {
        on_refund: OnRefund::Hold,
        ..rules(capabilities)
    };
    profile("debit", Manner::ByABank, rules)
}

/// Tokens that a payer sends: nothing is given back or closed.
fn token() -> Profile {
    let capabilities = Capabilities {
        closes: false,
        refunds: false,
        own_expiry: true,
        ..PLAIN
    };
    let rules = Rules {
        on_refund: OnRefund::Keep,
        ..rules(capabilities)
    };
    profile("token", Manner::ByThePayer, rules)
}

fn profile(name: &str, manner: Manner, rules: Rules) -> Profile {
    let account = |merchant: &str| Fingerprint {
        channel: name.to_owned(),
        merchant: merchant.to_owned(),
        live: true,
    };
    Profile {
        manner,
        switched: Rules {
            fingerprint: Some(account("M2")),
            ..rules.clone()
        },
        rules: Rules {
            fingerprint: Some(account("M1")),
            ..rules
        },
    }
}

/// As a configuration has them that says nothing else.
fn rules(capabilities: Capabilities) -> Rules {
    Rules {
        capabilities,
        fingerprint: None,
        late_success: LateSuccess::Manual,
        on_refund: OnRefund::Debt,
        ui_deadline_ms: MINUTE,
        submit_timeout_ms: 3 * SECOND,
        query_timeout_ms: 3 * SECOND,
        read_timeout_ms: 2 * MINUTE,
        schedule_ms: vec![MINUTE, 5 * MINUTE, 15 * MINUTE],
        pending_schedule_ms: vec![30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR],
        expiry_attempts: 24,
        expiry_margin_ms: 10 * MINUTE,
        startup_grace_ms: 2 * MINUTE,
        not_found_grace_ms: 2 * MINUTE,
        max_submits: 3,
        second_person_above: BTreeMap::new(),
    }
}
