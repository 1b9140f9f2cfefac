//! What a channel's settings may be, and what it admits.

use crate::support::{SECRET, channel, clock, settings};
use oncepay::channels::http::HttpChannel;
use oncepay::channels::{Acknowledge, Admission, Channel};
use oncepay::domain::{Currency, Money};
use secrecy::SecretString;

#[test]
fn bad_settings_are_refused_with_their_key() {
    for (base, part) in [
        ("http://pay.example.com", "base_url is not https"),
        ("ftp://127.0.0.1", "base_url is not https"),
        ("pay.example.com", "base_url is not an address"),
        (
            "https://user:pass@pay.example.com",
            "base_url carries a user",
        ),
        ("https://pay.example.com/?a=b", "base_url carries a query"),
    ] {
        let error = HttpChannel::new(settings(base), clock()).unwrap_err();
        let text = error.to_string();
        assert!(
            text.starts_with("channels.sandbox.") && text.contains(part),
            "{text}"
        );
    }
    for secret in [
        "",
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "whsec_",
        "whsec_????",
        "whsec_c2hvcnQ=",
    ] {
        let mut weak = settings("https://pay.example.com");
        weak.secret = SecretString::from(secret);
        let text = HttpChannel::new(weak, clock()).unwrap_err().to_string();
        assert!(text.starts_with("channels.sandbox.secret must"), "{text}");
        assert!(
            secret.is_empty() || secret == "whsec_" || !text.contains(secret),
            "{text}"
        );
    }
}

#[test]
fn a_channel_is_live_unless_it_is_loopback_or_says_that_it_is_not() {
    for (base, live, expected) in [
        ("https://pay.example.com", None, true),
        ("https://pay.example.com", Some(false), false),
        ("http://127.0.0.1:8080/sandbox", None, false),
        ("http://localhost:8080", Some(true), false),
        ("http://[::1]:8080", None, false),
        ("http://pay.localhost:8080", None, false),
        ("http://[::ffff:127.0.0.1]:8080", None, false),
    ] {
        let mut settings = settings(base);
        settings.live = live;
        let account = HttpChannel::new(settings, clock()).unwrap().account();
        assert_eq!(
            (account.live, account.channel.as_str()),
            (expected, "sandbox"),
            "{base}"
        );
    }
}

#[test]
fn secrets_are_not_printed() {
    let printed = format!(
        "{:?} {:?}",
        settings("https://a.example"),
        channel("https://a.example")
    );
    assert!(!printed.contains("MfKQ"), "{printed}");
    assert!(!printed.contains(SECRET));
}

#[test]
fn an_order_that_cannot_be_carried_names_its_field() {
    let mut settings = settings("https://pay.example.com");
    settings.amount_max = Some(5000);
    let channel = HttpChannel::new(settings, clock()).unwrap();
    let fits = Admission {
        order_no: "1",
        method: "direct",
        money: Money::new(5000, Currency::parse("CNY").unwrap()),
        subject: "月卡",
        expires_in_s: 7200,
        payer: None,
    };
    assert_eq!(channel.admits(&fits), Ok(()));
    let long = "月".repeat(129);
    let more = Money::new(5001, fits.money.currency);
    for (order, field) in [
        (
            Admission {
                subject: &long,
                ..fits
            },
            "subject",
        ),
        (
            Admission {
                subject: "",
                ..fits
            },
            "subject",
        ),
        (
            Admission {
                method: "two words",
                ..fits
            },
            "method",
        ),
        (Admission { method: "", ..fits }, "method"),
        (
            Admission {
                money: more,
                ..fits
            },
            "amount",
        ),
    ] {
        assert_eq!(channel.admits(&order).unwrap_err().field, field);
    }
    assert_eq!(
        channel.acknowledgement(Acknowledge::Received).body,
        "success"
    );
}
