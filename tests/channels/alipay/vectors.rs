//! Vectors that Alipay's official SDK made, and that three other SDKs have checked.

use super::{NOW, action, call, channel, configured, opened, word};
use crate::doubles::alipay::{APP_PRIVATE, AlipayDouble, Mishap, signer};
use oncepay::channels::alipay::sign;
use oncepay::channels::{Notice, RawNotice, RejectionRule};
use oncepay::domain::order::{Answer, ChargeStatus};
use serde_json::Value;
use std::collections::BTreeMap;

fn vectors(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap()
}

fn verified(body: &[u8]) -> Result<Notice, oncepay::channels::Rejection> {
    let notice = RawNotice {
        headers: &BTreeMap::new(),
        query: "",
        body,
    };
    opened(configured()).unwrap().verify(&notice, NOW)
}

#[test]
fn requests_are_signed_as_the_official_sdk_signs_them() {
    let all = vectors(include_str!("../vectors/alipay/request_sign.json"));
    assert_eq!(all.len(), 3);
    for vector in all {
        let given = vector["params"].as_object().unwrap();
        let pairs: Vec<_> = given
            .iter()
            .map(|(n, v)| (n.as_str(), v.as_str().unwrap()))
            .collect();
        let text = sign::request_text(&pairs);
        assert_eq!(text, vector["canonical"].as_str().unwrap());
        let query = vector["query_string"].as_str().unwrap();
        let address = reqwest::Url::parse(&format!("http://gateway?{query}")).unwrap();
        let theirs = address
            .query_pairs()
            .find(|(name, _)| name == "sign")
            .unwrap()
            .1;
        let ours = signer(APP_PRIVATE).sign(text.as_bytes()).unwrap();
        assert_eq!(ours, theirs, "{}", vector["name"]);
        // The type of the signature is part of what a request signs, and of a notice it is not.
        let without: Vec<_> = pairs
            .into_iter()
            .filter(|(name, _)| *name != sign::SIGN_TYPE)
            .collect();
        let other = sign::request_text(&without);
        assert_ne!(signer(APP_PRIVATE).sign(other.as_bytes()).unwrap(), theirs);
    }
}

#[test]
fn every_notice_is_accepted_or_rejected_as_its_vector_says() {
    for vector in vectors(include_str!("../vectors/alipay/notify.json")) {
        let (name, expected) = (&vector["name"], &vector["expect"]);
        let body = vector["http"]["body"].as_str().unwrap();
        let seen = match verified(body.as_bytes()) {
            Ok(Notice::Charge {
                answer: Answer::Charge(said),
                ..
            }) => match said.status {
                ChargeStatus::Paid => "valid PAID",
                ChargeStatus::Closed => "valid CLOSED",
                ChargeStatus::Pending { .. } => "valid PENDING",
                _ => "valid, another status",
            },
            Ok(Notice::Refund { .. }) => "valid REFUND_EVENT",
            Ok(_) => "valid, of another kind",
            Err(rejection) => match rejection.rule {
                RejectionRule::Signature => "invalid",
                RejectionRule::MissingHeader => "missing",
                _ => "rejected by another rule",
            },
        };
        let expected = match (
            expected["signature"].as_str().unwrap(),
            expected["state"].as_str(),
        ) {
            ("reject_by_policy", _) => "invalid".to_owned(),
            ("valid", Some(state)) => format!("valid {state}"),
            (signature, _) => signature.to_owned(),
        };
        assert_eq!(seen, expected, "{name}");
    }
}

#[test]
fn the_text_of_a_notice_is_that_of_its_vector_byte_for_byte() {
    let mut compared = 0;
    for vector in vectors(include_str!("../vectors/alipay/notify.json")) {
        let Some(expected) = vector["canonical_to_verify"].as_str() else {
            continue;
        };
        let fields = vector["decoded_params"].as_object().unwrap();
        let bytes = |text: &str| text.as_bytes().to_vec();
        let fields = fields
            .iter()
            .map(|(name, value)| (bytes(name), bytes(value.as_str().unwrap())));
        let text = sign::notice_text(&fields.collect());
        assert_eq!(
            String::from_utf8(text).unwrap(),
            expected,
            "{}",
            vector["name"]
        );
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

#[tokio::test]
async fn every_reply_counts_as_its_vector_says() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    for vector in vectors(include_str!("../vectors/alipay/response.json")) {
        let name = vector["name"].as_str().unwrap();
        let raw = vector["raw_body"].as_str().unwrap();
        let order_no = if name == "query_trade_not_exist" {
            "ORDER20261130000009"
        } else {
            "ORDER20261130000001"
        };
        double.misbehave("alipay.trade.query", Mishap::Raw(raw.to_owned()));
        double.misbehave("alipay.trade.precreate", Mishap::Raw(raw.to_owned()));
        double.misbehave("alipay.trade.refund", Mishap::Raw(raw.to_owned()));
        let call = call(order_no, "qr");
        let queried = channel.query(&call).await;
        let submitted = channel.submit(&call).await;
        let refund = super::refund_call(order_no, "2026113022001400020500012345", "r", 8888);
        let refunded = channel.refund(&refund).await;
        let seen = (
            word(&queried),
            word(&submitted),
            super::refund_word(&refunded),
        );
        let expected = match name {
            "query_valid" => ("paid", "unreadable", "unreadable"),
            "precreate_escaped_slash" => ("unreadable", "pending", "unreadable"),
            "query_trade_not_exist" => ("not found", "unreadable", "unreadable"),
            "refund_unknown" | "refund_acq_system_error" => ("unreadable", "unreadable", "trouble"),
            "query_tampered" | "query_reserialised" | "error_response_unsigned" => {
                ("unreadable", "unreadable", "unreadable")
            }
            other => panic!("a vector without a story: {other}"),
        };
        assert_eq!(seen, expected, "{name}");
        if name == "precreate_escaped_slash" {
            let code = "https://qr.alipay.com/bavh4wjlxf12tper3a".to_owned();
            assert_eq!(action(&submitted), ("qr_code".to_owned(), code));
        }
    }
}
