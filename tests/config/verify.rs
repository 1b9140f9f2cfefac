//! `callback verify`: which rule a notice fails, without a server.

use crate::commands::oncepay;
use crate::support::GOOD;
use oncepay::channels::signing::SigningKey;
use secrecy::SecretString;
use std::path::Path;

const BODY: &str = r#"{"type":"charge.updated","data":{"trade_no":"T1","order_no":"o-1","idempotency_key":"pay:order:o-1","amount":1999,"currency":"CNY","status":"PAID"}}"#;
const AT: &str = "1785052800";

fn verify(folder: &Path, headers: &str, at: &str) -> (Option<i32>, serde_json::Value) {
    std::fs::write(folder.join("oncepay.toml"), GOOD).unwrap();
    std::fs::write(folder.join("headers"), headers).unwrap();
    std::fs::write(folder.join("body"), BODY).unwrap();
    let output = oncepay(folder)
        .args([
            "callback",
            "verify",
            "--channel",
            "sandbox",
            "--headers",
            "headers",
            "--body",
            "body",
            "--json",
        ])
        .args(["--at", at])
        .output()
        .unwrap();
    (
        output.status.code(),
        serde_json::from_slice(&output.stdout).unwrap(),
    )
}

fn signed() -> String {
    let key = SigningKey::parse(&SecretString::from(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    ))
    .unwrap();
    let signature = key.sign(&[format!("evt_1.{AT}.{BODY}").as_bytes()]);
    format!("Webhook-Id: evt_1\nwebhook-timestamp: {AT}\nwebhook-signature: {signature}\n")
}

#[test]
fn a_good_notice_is_accepted_at_its_time() {
    let folder = tempfile::tempdir().unwrap();
    for at in [AT, "2026-07-26T16:01:00+08:00"] {
        let (code, told) = verify(folder.path(), &signed(), at);
        assert_eq!(
            (code, told["accepted"].as_bool()),
            (Some(0), Some(true)),
            "{told}"
        );
        assert_eq!(told["order_no"], "o-1");
        assert_eq!(told["channel_trade_no"], "T1");
    }
}

#[test]
fn the_rule_that_fails_is_named_and_no_secret_is() {
    let folder = tempfile::tempdir().unwrap();
    let (code, told) = verify(folder.path(), &signed(), "2026-07-26T09:00:00Z");
    assert_eq!(
        (code, told["rule"].as_str()),
        (Some(1), Some("timestamp")),
        "{told}"
    );
    let (code, told) = verify(folder.path(), &signed().replace("evt_1", "evt_2"), AT);
    assert_eq!(
        (code, told["rule"].as_str()),
        (Some(1), Some("signature")),
        "{told}"
    );
    assert!(
        told["signed_text"]
            .as_str()
            .unwrap()
            .starts_with("evt_2.1785052800."),
        "{told}"
    );
    assert!(!told.to_string().contains("MfKQ9r8"), "{told}");
    let (code, told) = verify(folder.path(), "webhook-id: evt_1", AT);
    assert_eq!(
        (code, told["rule"].as_str()),
        (Some(1), Some("missing_header")),
        "{told}"
    );
}

#[test]
fn a_time_that_is_none_is_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    let output = oncepay(folder.path())
        .args([
            "callback",
            "verify",
            "--channel",
            "sandbox",
            "--headers",
            "h",
            "--body",
            "b",
            "--at",
            "noon",
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_it_repeats_of_a_notice_has_no_card_and_keeps_the_order_number() {
    let folder = tempfile::tempdir().unwrap();
    // Both pass for a card number; one is the merchant's.
    let body = r#"{"type":"charge.updated","data":{"order_no":"20260726000017","note":"4111111111111111"}}"#;
    std::fs::write(folder.path().join("other"), body).unwrap();
    std::fs::write(folder.path().join("oncepay.toml"), GOOD).unwrap();
    std::fs::write(folder.path().join("headers"), signed()).unwrap();
    let output = oncepay(folder.path())
        .args([
            "--json",
            "callback",
            "verify",
            "--channel",
            "sandbox",
            "--headers",
            "headers",
        ])
        .args(["--body", "other", "--at", AT])
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("20260726000017"), "{told}");
    assert!(
        told.contains("[card number]") && !told.contains("4111111111111111"),
        "{told}"
    );
}
