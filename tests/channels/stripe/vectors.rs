//! Webhooks that the official stripe-python and stripe-node have signed and judged.

use super::stage::{opening, settings, try_open};
use crate::doubles::stripe::KEY;
use oncepay::channels::{Notice, RawNotice, Rejection, RejectionRule};
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{Answer, ChargeStatus};
use serde::Deserialize;
use std::collections::BTreeMap;

const VECTORS: &str = include_str!("../vectors/stripe/webhook.json");
const CURRENT: &str = include_str!("../vectors/stripe/whsec.txt");
const OLD: &str = include_str!("../vectors/stripe/whsec_old.txt");

#[derive(Deserialize)]
struct Vector {
    name: String,
    now: i64,
    secret_literal: Option<String>,
    http: Http,
    expect: Expected,
}

#[derive(Deserialize)]
struct Http {
    headers: BTreeMap<String, String>,
    body: String,
}

#[derive(Deserialize)]
struct Expected {
    result: String,
    state: Option<String>,
}

fn verified(vector: &Vector, secrets: &[&str]) -> Result<Notice, Rejection> {
    let opening = opening("https://api.stripe.com", false, false);
    let channel = try_open(opening, settings(KEY, secrets)).unwrap();
    let lower = |(name, value): (&String, &String)| (name.to_lowercase(), value.clone());
    let headers = vector.http.headers.iter().map(lower).collect();
    let notice = RawNotice {
        headers: &headers,
        query: "",
        body: vector.http.body.as_bytes(),
    };
    channel.verify(&notice, UnixMillis(vector.now * 1000))
}

fn vectors() -> Vec<Vector> {
    serde_json::from_str(VECTORS).unwrap()
}

#[test]
fn every_vector_is_judged_as_the_official_libraries_do() {
    let mut seen = 0;
    for vector in vectors() {
        let name = vector.name.as_str();
        let rule = match name {
            "only_v0" | "wrong_secret" | "tampered_body" | "uppercase_hex" => {
                Some(RejectionRule::Signature)
            }
            "old_timestamp" => Some(RejectionRule::Timestamp),
            // The official libraries look at the age alone, and leave this to a policy; ours is to reject it.
            "future_timestamp" => Some(RejectionRule::Timestamp),
            "header_missing" => Some(RejectionRule::MissingHeader),
            // They take the line break of a pasted secret for a part of it; it is trimmed here, so that the key is right.
            "secret_with_newline" => None,
            _ => {
                assert_eq!(vector.expect.result, "accept", "{name}");
                None
            }
        };
        let secret = vector.secret_literal.as_deref().unwrap_or(CURRENT);
        let result = verified(&vector, &[secret]);
        assert_eq!(
            result.as_ref().err().map(|it| it.rule),
            rule,
            "{name}: {result:?}"
        );
        if let Err(rejection) = result {
            assert!(!rejection.explanation.contains('\n'), "{rejection:?}");
            assert!(!format!("{rejection:?}").contains("testOnly_current"));
        }
        seen += 1;
    }
    assert_eq!(seen, 15);
}

#[test]
fn the_statuses_in_the_vectors_are_ours() {
    for vector in vectors() {
        let Some(state) = vector.expect.state.as_deref() else {
            continue;
        };
        let notice = verified(&vector, &[CURRENT]).unwrap();
        if state == "REFUND_EVENT" {
            // The sum of all refunds: each of them is told under its own number.
            assert!(matches!(notice, Notice::Unrelated { .. }), "{notice:?}");
            continue;
        }
        let Notice::Charge {
            key,
            order_no,
            answer: Answer::Charge(told),
            ..
        } = notice
        else {
            panic!("{notice:?}");
        };
        assert_eq!(key, "evt_1TestOnly000000000000001");
        assert_eq!(order_no, "ORDER20261130000001");
        assert_eq!(
            told.trade_no.as_deref(),
            Some("pi_3TestOnly0000000000000001")
        );
        assert_eq!(told.money.unwrap().to_string(), "88.88 USD");
        let as_expected = match state {
            "PAID" => told.status == ChargeStatus::Paid,
            "PENDING" => told.status == ChargeStatus::Processing,
            "ATTEMPT_FAILED_STILL_PAYABLE" => matches!(told.status, ChargeStatus::Pending { .. }),
            "CLOSED" => told.status == ChargeStatus::Closed,
            other => panic!("{other}"),
        };
        assert!(as_expected, "{state}: {told:?}");
    }
}

#[test]
fn during_a_rotation_either_secret_counts() {
    let all = vectors();
    let named = |name: &str| all.iter().find(|it| it.name == name).unwrap();
    for name in ["valid", "wrong_secret", "multiple_v1_second_matches"] {
        assert!(verified(named(name), &[CURRENT, OLD]).is_ok(), "{name}");
        assert!(verified(named(name), &[OLD, CURRENT]).is_ok(), "{name}");
    }
    assert!(verified(named("valid"), &[OLD]).is_err());
}

#[test]
fn a_header_that_is_odd_is_not_made_sense_of() {
    let all = vectors();
    let valid = all.iter().find(|it| it.name == "valid").unwrap();
    let header = valid.http.headers["Stripe-Signature"].clone();
    let (time, signature) = header.split_once(',').unwrap();
    for (odd, rule) in [
        (signature.to_owned(), RejectionRule::Timestamp),
        (
            format!("{time},{time},{signature}"),
            RejectionRule::Timestamp,
        ),
        (
            format!("t=+1796032812,{signature}"),
            RejectionRule::Timestamp,
        ),
        (format!("t=,{signature}"), RejectionRule::Timestamp),
        (time.to_owned(), RejectionRule::Signature),
        (format!("{time},v1="), RejectionRule::Signature),
        (header.replace("v1", "v2"), RejectionRule::Signature),
        (format!("{}0", header), RejectionRule::Signature),
        (",,,".to_owned(), RejectionRule::Timestamp),
    ] {
        let mut headers = valid.http.headers.clone();
        headers.insert("Stripe-Signature".to_owned(), odd.clone());
        let vector = Vector {
            name: odd.clone(),
            now: valid.now,
            secret_literal: None,
            http: Http {
                headers,
                body: valid.http.body.clone(),
            },
            expect: Expected {
                result: String::new(),
                state: None,
            },
        };
        assert_eq!(
            verified(&vector, &[CURRENT]).unwrap_err().rule,
            rule,
            "{odd}"
        );
    }
}
