//! Callbacks: the vectors of another implementation, the rules in their order, and the sandbox's own.

use crate::support::{Bench, Merchant, SECRET, call, channel, statement};
use oncepay::channels::signing::SigningKey;
use oncepay::channels::{Channel, Notice, RawNotice, RejectionRule};
use oncepay::domain::UnixMillis;
use oncepay::domain::order::{ChargeStatus, Reason, RefundAnswer};
use secrecy::SecretString;
use std::collections::{BTreeMap, BTreeSet};

const NOW: UnixMillis = UnixMillis(1_796_032_812_000);
const NEW_SECRET: &str = "whsec_bmV3LXNlY3JldC1uZXctc2VjcmV0LW5ldy1zZWNyZXQ=";
const CHARGE: &str = r#"{"type":"charge.updated","data":{"trade_no":"T1","order_no":"1","idempotency_key":"pay:order:1","amount":1999,"currency":"CNY","status":"PAID"}}"#;

/// Headers as a processor with this secret sends them.
fn headers(secret: &str, timestamp: &str, body: &str) -> BTreeMap<String, String> {
    let key = SigningKey::parse(&SecretString::from(secret)).unwrap();
    let signature = key.sign(&[b"msg_1.", timestamp.as_bytes(), b".", body.as_bytes()]);
    [
        ("webhook-id", "msg_1"),
        ("webhook-timestamp", timestamp),
        ("webhook-signature", &signature),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}

fn verify(
    headers: &BTreeMap<String, String>,
    body: &[u8],
) -> Result<Notice, oncepay::channels::Rejection> {
    let notice = RawNotice {
        headers,
        query: "",
        body,
    };
    channel("http://127.0.0.1:1").verify(&notice, NOW)
}

fn signed(body: &str) -> Result<Notice, RejectionRule> {
    verify(&headers(SECRET, "1796032812", body), body.as_bytes()).map_err(|it| it.rule)
}

#[test]
fn vectors_of_another_implementation_are_judged_alike() {
    let text = include_str!("vectors/generic_hmac_notify.json");
    assert_eq!(
        include_str!("vectors/standardwebhooks_secret.txt").trim(),
        SECRET
    );
    let vectors: serde_json::Value = serde_json::from_str(text).unwrap();
    let mut judged = 0;
    for vector in vectors.as_array().unwrap() {
        let name = vector["name"].as_str().unwrap();
        let headers: BTreeMap<String, String> =
            serde_json::from_value(vector["http"]["headers"].clone()).unwrap();
        let body = vector["http"]["body"].as_str().unwrap();
        let result = verify(&headers, body.as_bytes());
        let expected = match name {
            "valid" => Ok(Notice::Unrelated {
                kind: "payment.succeeded".to_owned(),
            }),
            "old" | "future" => Err(RejectionRule::Timestamp),
            "tampered" | "wrong_secret" => Err(RejectionRule::Signature),
            other => panic!("no expectation for {other}"),
        };
        if let Err(rejection) = &result
            && let Some(signed) = &rejection.signed_text
        {
            assert_eq!(signed, vector["signed_content"].as_str().unwrap());
            assert!(!format!("{rejection:?}").contains(SECRET));
        }
        assert_eq!(result.map_err(|it| it.rule), expected, "{name}");
        judged += 1;
    }
    assert_eq!(judged, 5);
}

#[test]
fn the_first_rule_that_fails_is_named() {
    let right = headers(SECRET, "1796032812", CHARGE);
    for name in right.keys() {
        let mut missing = right.clone();
        missing.remove(name);
        let rule = verify(&missing, CHARGE.as_bytes()).unwrap_err().rule;
        assert_eq!(rule, RejectionRule::MissingHeader, "{name}");
    }
    for timestamp in [
        "1",
        "1796032511",
        "1796033113",
        "soon",
        "+1796032812",
        "1796032812.0",
    ] {
        let old = headers(SECRET, timestamp, CHARGE);
        let rule = verify(&old, CHARGE.as_bytes()).unwrap_err().rule;
        assert_eq!(rule, RejectionRule::Timestamp, "{timestamp}");
    }
    let foreign = headers(NEW_SECRET, "1796032812", CHARGE);
    let rule = verify(&foreign, CHARGE.as_bytes()).unwrap_err().rule;
    assert_eq!(rule, RejectionRule::Signature);
}

#[test]
fn the_edges_of_the_tolerance_are_accepted() {
    for timestamp in ["1796032512", "1796033112"] {
        let edge = headers(SECRET, timestamp, CHARGE);
        assert!(verify(&edge, CHARGE.as_bytes()).is_ok(), "{timestamp}");
    }
}

#[test]
fn two_keys_live_at_once_while_one_replaces_the_other() {
    let old = headers(SECRET, "1796032812", CHARGE);
    let mut both = headers(NEW_SECRET, "1796032812", CHARGE);
    let one = old["webhook-signature"].clone();
    let two = both["webhook-signature"].clone();
    for signatures in [
        format!("{one} {two}"),
        format!("{two} {one}"),
        format!("v1a,x {one}"),
    ] {
        both.insert("webhook-signature".to_owned(), signatures);
        assert!(verify(&both, CHARGE.as_bytes()).is_ok());
    }
    let mut settings = crate::support::settings("http://127.0.0.1:1");
    settings.previous_secret = Some(SecretString::from(SECRET));
    settings.secret = SecretString::from(NEW_SECRET);
    let clock = crate::support::clock();
    let rotating = oncepay::channels::http::HttpChannel::new(settings, clock).unwrap();
    for secret in [SECRET, NEW_SECRET] {
        let headers = headers(secret, "1796032812", CHARGE);
        let notice = RawNotice {
            headers: &headers,
            query: "",
            body: CHARGE.as_bytes(),
        };
        assert!(rotating.verify(&notice, NOW).is_ok());
    }
}

#[test]
fn a_notice_is_verified_as_it_arrived_and_may_hold_more_than_is_known() {
    let odd = "{ \"new\": [1.0, 1e2],\n \"data\": {\"status\":\"PAID\", \"currency\":\"CNY\", \"amount\" : 1999,\
        \"note\":\"VIP+ %2B 月卡\", \"fee\":0, \"attach\":\"\", \"idempotency_key\":\"pay:order:1\",\
        \"order_no\":\"1\",\"trade_no\":\"T1\"}, \"type\":\"charge.updated\"}";
    let Ok(Notice::Charge {
        key,
        status,
        order_no,
        answer,
    }) = signed(odd)
    else {
        panic!("{:?}", signed(odd));
    };
    assert_eq!(
        (key.as_str(), status.as_str(), order_no.as_str()),
        ("msg_1", "PAID", "1")
    );
    assert_eq!(statement(&answer).status, ChargeStatus::Paid);
    assert_eq!(statement(&answer).trade_no.as_deref(), Some("T1"));
}

#[test]
fn a_verified_notice_with_a_field_missing_or_odd_is_malformed() {
    for field in [
        "trade_no",
        "order_no",
        "idempotency_key",
        "amount",
        "currency",
        "status",
    ] {
        let mut body: serde_json::Value = serde_json::from_str(CHARGE).unwrap();
        body["data"].as_object_mut().unwrap().remove(field);
        assert_eq!(
            signed(&body.to_string()),
            Err(RejectionRule::Malformed),
            "{field}"
        );
    }
    for (from, to) in [
        ("1999", "1999.0"),
        ("1999", "\"1999\""),
        ("1999", "1e3"),
        ("1999", "-0"),
        ("1999", "9223372036854775808"),
        ("CNY", "yuan"),
        ("T1", ""),
        ("T1", "T\\u0000"),
        ("\"order_no\":\"1\"", "\"order_no\":\"\\u0000\""),
        ("\"data\":", "\"date\":"),
        ("\"amount\":1999", "\"amount\":1,\"amount\":1999"),
    ] {
        let body = CHARGE.replace(from, to);
        assert_eq!(signed(&body), Err(RejectionRule::Malformed), "{to}");
    }
    let long = CHARGE.replace("T1", &"T".repeat(256));
    assert_eq!(signed(&long), Err(RejectionRule::Malformed));
    for body in ["", "[]", "{}", "{\"type\":1}", "null"] {
        assert_eq!(signed(body), Err(RejectionRule::Malformed), "{body}");
    }
}

#[test]
fn types_and_statuses_that_are_not_ours_are_told_apart() {
    assert_eq!(
        signed(r#"{"type":"payout.created"}"#),
        Ok(Notice::Unrelated {
            kind: "payout.created".to_owned()
        })
    );
    let Ok(Notice::Charge { status, answer, .. }) = signed(&CHARGE.replace("PAID", "FROZEN"))
    else {
        panic!("a status is no reason to reject");
    };
    assert_eq!(status, "FROZEN");
    assert_eq!(
        statement(&answer).status,
        ChargeStatus::Unexplained("FROZEN".to_owned())
    );
}

const REFUND: &str = r#"{"type":"refund.updated","data":{"order_no":"1","idempotency_key":"pay:order:1","trade_no":"T1","refund_no":"r-1","amount":500,"status":"SUCCEEDED"}}"#;

/// The news of a refund's notice.
fn news(body: &str) -> oncepay::domain::order::RefundNews {
    let Ok(Notice::Refund { order_no, news, .. }) = signed(body) else {
        panic!("{:?}", signed(body));
    };
    assert_eq!(order_no, "1");
    news
}

#[test]
fn a_notice_of_a_refund_says_which_one_and_how_it_stands() {
    let told = news(REFUND);
    assert_eq!(told.refund_no, "r-1");
    assert_eq!(told.trade_no.as_deref(), Some("T1"));
    assert!(!told.cumulative);
    let RefundAnswer::Succeeded(statement) = told.answer else {
        panic!("{:?}", told.answer);
    };
    assert_eq!(statement.refund_no, "r-1");
    assert_eq!(statement.amount, Some(500));
    assert_eq!(statement.trade_no.as_deref(), Some("T1"));
    let pending = news(&REFUND.replace("SUCCEEDED", "PENDING")).answer;
    assert!(matches!(pending, RefundAnswer::Pending(_)), "{pending:?}");
    let failed = news(&REFUND.replace("SUCCEEDED", "FAILED")).answer;
    assert!(matches!(failed, RefundAnswer::Failed(_)), "{failed:?}");
}

#[test]
fn a_notice_of_a_refund_with_a_new_word_or_another_key_says_nothing() {
    for (from, to) in [
        ("SUCCEEDED", "REVERTED"),
        ("SUCCEEDED", "succeeded"),
        ("pay:order:1", "pay:order:2"),
    ] {
        let answer = news(&REFUND.replace(from, to)).answer;
        let RefundAnswer::Unknown(unknown) = answer else {
            panic!("{to}: {answer:?}");
        };
        assert_eq!(unknown.reason, Reason::UnreadableReply, "{to}");
    }
}

#[test]
fn a_notice_of_a_refund_with_a_field_missing_or_odd_is_malformed() {
    for field in [
        "order_no",
        "idempotency_key",
        "trade_no",
        "refund_no",
        "amount",
        "status",
    ] {
        let mut body: serde_json::Value = serde_json::from_str(REFUND).unwrap();
        body["data"].as_object_mut().unwrap().remove(field);
        let rule = signed(&body.to_string()).unwrap_err();
        assert_eq!(rule, RejectionRule::Malformed, "{field}");
    }
    for (from, to) in [
        ("500", "0"),
        ("500", "-500"),
        ("500", "500.0"),
        ("r-1", ""),
        ("r-1", "r\\u0000"),
        ("T1", "T\\n1"),
    ] {
        let rule = signed(&REFUND.replace(from, to)).unwrap_err();
        assert_eq!(rule, RejectionRule::Malformed, "{to}");
    }
}

#[actix_web::test]
async fn the_sandbox_sends_until_it_is_acknowledged_with_the_same_id() {
    let bench = Bench::start();
    let merchant = Merchant::start(2);
    let mut order = call("7001", "a");
    order.notify_url.clone_from(&merchant.url);
    bench.channel.submit(&order).await;
    let arrived = merchant.callbacks(3).await;
    let ids: BTreeSet<&String> = arrived.iter().map(|it| &it.headers["webhook-id"]).collect();
    assert_eq!(ids.len(), 1);
    for callback in &arrived {
        let notice = RawNotice {
            headers: &callback.headers,
            query: "",
            body: &callback.body,
        };
        let now = oncepay::clock::SystemClock::start().wall();
        assert!(bench.channel.verify(&notice, now).is_ok());
    }
}

#[actix_web::test]
async fn a_pending_charge_is_paid_later_and_its_five_notices_are_one() {
    let bench = Bench::start();
    let merchant = Merchant::start(0);
    let mut order = call("7002", "a #pending #pay-after=100ms #callbacks=5");
    order.notify_url.clone_from(&merchant.url);
    bench.channel.submit(&order).await;
    let arrived = merchant.callbacks(5).await;
    let ids: BTreeSet<&String> = arrived.iter().map(|it| &it.headers["webhook-id"]).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(bench.charge("7002").await["status"], "PAID");
}

#[actix_web::test]
async fn a_payer_who_pays_twice_makes_two_notices_with_two_trades() {
    let bench = Bench::start();
    let merchant = Merchant::start(0);
    let mut order = call("7003", "a #pay-twice #wrong-amount=1");
    order.notify_url.clone_from(&merchant.url);
    bench.channel.submit(&order).await;
    let arrived = merchant.callbacks(2).await;
    let mut trades = BTreeSet::new();
    for callback in arrived {
        let body: serde_json::Value = serde_json::from_slice(&callback.body).unwrap();
        assert_eq!(body["data"]["amount"], 1);
        trades.insert(body["data"]["trade_no"].as_str().unwrap().to_owned());
    }
    assert_eq!(trades.len(), 2);
    assert_eq!(bench.charge("7003").await["charged_times"], 2);
}

#[actix_web::test]
async fn a_late_success_pays_what_was_closed() {
    let bench = Bench::start();
    bench.submit("7004", "a #pending #late-success").await;
    bench.close("7004").await;
    assert_eq!(bench.charge("7004").await["status"], "CLOSED");
    bench.control(r#"{"pay": "pay:order:7004"}"#).await;
    assert_eq!(bench.charge("7004").await["status"], "PAID");
}

#[actix_web::test]
async fn what_was_closed_stays_closed_otherwise() {
    let bench = Bench::start();
    bench.submit("7005", "a #pending").await;
    bench.close("7005").await;
    bench.control(r#"{"pay": "pay:order:7005"}"#).await;
    assert_eq!(bench.charge("7005").await["status"], "CLOSED");
    assert_eq!(bench.charge("7005").await["charged_times"], 0);
}

#[actix_web::test]
async fn a_notice_can_be_asked_for() {
    let bench = Bench::start();
    let merchant = Merchant::start(0);
    let mut order = call("7006", "a #no-callback");
    order.notify_url.clone_from(&merchant.url);
    bench.channel.submit(&order).await;
    let command = r#"{"notify": {"key": "pay:order:7006", "copies": 3}}"#;
    bench.control(command).await;
    assert_eq!(merchant.callbacks(3).await.len(), 3);
}
