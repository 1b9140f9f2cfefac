//! Limits of callers, accounts and channels: what is read, what is refused, and how it is said.

use crate::support::{GOOD, accept, refused_at, with};
use oncepay::config::{CircuitSettings, Rate};
use oncepay::domain::Currency;

fn limits(lines: &str) -> String {
    format!("[limits]\n{lines}\n{GOOD}")
}

fn channel(lines: &str) -> String {
    with("read_timeout", &format!("{lines}\nread_timeout"))
}

#[test]
fn without_a_word_callers_with_a_key_are_free_and_a_silent_channel_is_noticed() {
    let settings = accept(GOOD);
    let limits = &settings.limits;
    assert_eq!(limits.requests_per_key, None);
    assert_eq!(limits.callbacks_per_address, Rate::parse("200/s"));
    assert_eq!(limits.unauthenticated_per_address, Rate::parse("100/s"));
    assert!(limits.account_daily.is_empty());
    let sandbox = &settings.channels["sandbox"];
    assert_eq!((sandbox.rate, sandbox.amount_max), (None, None));
    let expected = CircuitSettings {
        failures: 10,
        pause_ms: 30_000,
    };
    assert_eq!(sandbox.circuit, Some(expected));
}

#[test]
fn limits_are_read_as_they_are_written() {
    let text = "requests_per_key = \"10/m\"\ncallbacks_per_address = \"off\"\n\
                unauthenticated_per_address = \"500/h\"\naccount_daily = { CNY = 500000, usd = 1 }";
    let limits = accept(&limits(text)).limits;
    assert_eq!(limits.requests_per_key, Rate::parse("10/m"));
    assert_eq!(limits.callbacks_per_address, None);
    assert_eq!(limits.unauthenticated_per_address, Rate::parse("500/h"));
    let daily = |code| limits.account_daily[&Currency::parse(code).unwrap()];
    assert_eq!((daily("CNY"), daily("USD")), (500_000, 1));
    let text = "rate = \"20/s\"\ncircuit = { failures = 5 }\namount_max = 100";
    let sandbox = accept(&channel(text)).channels["sandbox"].clone();
    assert_eq!(sandbox.rate, Rate::parse("20/s"));
    assert_eq!(sandbox.amount_max, Some(100));
    let circuit = sandbox.circuit.unwrap();
    assert_eq!((circuit.failures, circuit.pause_ms), (5, 30_000));
    let off = accept(&channel("circuit = \"off\"\nrate = \"off\""));
    let sandbox = &off.channels["sandbox"];
    assert_eq!((sandbox.circuit, sandbox.rate), (None, None));
}

#[test]
fn a_limit_that_is_none_names_its_key_and_what_is_allowed() {
    for key in [
        "requests_per_key",
        "callbacks_per_address",
        "unauthenticated_per_address",
    ] {
        for bad in ["\"fast\"", "\"0/s\"", "\"10/d\"", "200", "\"-1/s\""] {
            let path = format!("limits.{key}");
            let says = if bad == "200" { "a string" } else { "10/m" };
            refused_at(&limits(&format!("{key} = {bad}")), &path, says);
        }
    }
    let daily = |amounts: &str| limits(&format!("account_daily = {{ {amounts} }}"));
    refused_at(
        &daily("CNY = \"much\""),
        "limits.account_daily.CNY",
        "a whole number",
    );
    refused_at(&daily("CNY = -1"), "limits.account_daily.CNY", "whole");
    refused_at(&daily("ABC = 1"), "limits.account_daily.ABC", "ISO 4217");
    refused_at(
        &limits("account_daily = 5"),
        "limits.account_daily",
        "a table",
    );
    refused_at(
        &channel("rate = \"many\""),
        "channels.sandbox.rate",
        "200/s",
    );
    refused_at(
        &channel("circuit = \"on\""),
        "channels.sandbox.circuit",
        "`on` is refused; allowed is \"off\" or a table",
    );
    refused_at(
        &channel("circuit = 5"),
        "channels.sandbox.circuit",
        "a table",
    );
    refused_at(
        &channel("circuit = { failures = 0 }"),
        "channels.sandbox.circuit.failures",
        "from 1",
    );
    refused_at(
        &channel("circuit = { pause = \"0s\" }"),
        "channels.sandbox.circuit.pause",
        "more than 0",
    );
    refused_at(
        &channel("circuit = { times = 3 }"),
        "channels.sandbox.circuit.times",
        "failures",
    );
    refused_at(
        &channel("amount_max = 0"),
        "channels.sandbox.amount_max",
        "from 1",
    );
}

#[test]
fn a_secret_in_the_wrong_place_is_not_repeated() {
    let key = "sk_live_51HabcDEFghiJKL";
    refused_at(
        &channel(&format!("rate = \"{key}\"")),
        "channels.sandbox.rate",
        "sk_live_[secret]",
    );
}

#[test]
fn an_overdraft_names_an_account_that_can_be() {
    let ledger = |lines: &str| format!("[ledger]\n{lines}\n{GOOD}");
    let settings = accept(&ledger("overdraft = { user-42 = 50, \"*\" = 0 }"));
    assert_eq!(settings.ledger.overdraft["user-42"], 50);
    assert_eq!(settings.ledger.overdraft["*"], 0);
    refused_at(
        &ledger("overdraft = { \"user 42\" = 50 }"),
        "ledger.overdraft.user 42",
        "no account's name",
    );
}
