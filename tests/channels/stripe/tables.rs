//! Every row of the tables, through the adapter.

use super::stage::{beside, charge, refund, refund_word, word};
use crate::doubles::stripe::{StripeDouble, Trick, text};
use serde_json::json;

#[tokio::test]
async fn every_status_of_an_intent_has_its_meaning() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let mut call = charge("status");
    channel.submit(&call).await;
    let id = text(&double.intent("status"), "id");
    for named in [false, true] {
        call.channel_ref = named.then(|| id.clone());
        for (status, charge, meaning) in [
            ("requires_payment_method", json!(null), "payable"),
            ("requires_confirmation", json!(null), "payable"),
            ("requires_action", json!("ch_1"), "payable"),
            ("processing", json!("ch_1"), "processing"),
            ("requires_capture", json!("ch_1"), "pending"),
            ("succeeded", json!("ch_1"), "paid"),
            (
                "succeeded",
                json!({"id": "ch_1", "refunded": false}),
                "paid",
            ),
            (
                "succeeded",
                json!({"id": "ch_1", "refunded": true}),
                "paid and refunded",
            ),
            ("canceled", json!(null), "closed"),
            ("frozen", json!(null), "unexplained"),
        ] {
            let fields =
                json!({"status": status, "latest_charge": charge, "amount_received": 1999});
            double.change_intent("status", &fields);
            let answer = channel.query(&call).await;
            assert_eq!(word(&answer), meaning, "{status}: {answer:?}");
        }
    }
}

/// Status, type, code; and what it means to a submit, a query, a close and a refund.
const ERRORS: [(u16, &str, &str, [&str; 4]); 21] = [
    (500, "api_error", "", [UNAVAILABLE; 4]),
    (502, "api_error", "", [UNAVAILABLE; 4]),
    (503, "api_connection_error", "", [UNAVAILABLE; 4]),
    (504, "", "", [UNAVAILABLE; 4]),
    (402, "api_error", "", [UNAVAILABLE; 4]),
    (400, "api_connection_error", "", [UNAVAILABLE; 4]),
    (
        409,
        "invalid_request_error",
        "idempotency_key_in_use",
        [UNAVAILABLE; 4],
    ),
    (409, "invalid_request_error", "", [UNAVAILABLE; 4]),
    (
        400,
        "idempotency_error",
        "",
        ["key conflict", UNREADABLE, UNREADABLE, "conflict"],
    ),
    (429, "invalid_request_error", "rate_limit", ["throttled"; 4]),
    (
        429,
        "invalid_request_error",
        "lock_timeout",
        [UNAVAILABLE; 4],
    ),
    (429, "invalid_request_error", "", [UNREADABLE; 4]),
    (402, "card_error", "card_declined", [UNREADABLE; 4]),
    (402, "card_error", "processing_error", [UNREADABLE; 4]),
    (400, "card_error", "processing_error", [UNREADABLE; 4]),
    (
        400,
        "invalid_request_error",
        "amount_too_small",
        ["declined", UNREADABLE, UNREADABLE, "failed"],
    ),
    (
        400,
        "invalid_request_error",
        "",
        ["declined", UNREADABLE, UNREADABLE, "failed"],
    ),
    (
        401,
        "invalid_request_error",
        "",
        ["not sent", UNAVAILABLE, UNAVAILABLE, "not sent"],
    ),
    (
        403,
        "invalid_request_error",
        "",
        ["not sent", UNAVAILABLE, UNAVAILABLE, "not sent"],
    ),
    (
        404,
        "invalid_request_error",
        "resource_missing",
        ["not sent", UNREADABLE, UNREADABLE, "not sent"],
    ),
    (418, "teapot_error", "short_and_stout", [UNREADABLE; 4]),
];
const UNAVAILABLE: &str = "unknown: unavailable";
const UNREADABLE: &str = "unknown: unreadable";

#[tokio::test]
async fn every_error_has_its_meaning_for_every_call() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let mut call = charge("errors");
    channel.submit(&call).await;
    let id = text(&double.intent("errors"), "id");
    call.channel_ref = Some(id.clone());
    for (status, kind, code, meanings) in ERRORS {
        let [submit, query, close, refunding] = meanings;
        let next = |what: &str| double.next(what, Trick::error(status, kind, code));
        let name = format!("{status} {kind} {code}");
        next("POST /v1/payment_intents");
        assert_eq!(word(&channel.submit(&call).await), submit, "submit {name}");
        next("GET /v1/payment_intents");
        assert_eq!(word(&channel.query(&call).await), query, "query {name}");
        next("POST /v1/payment_intents/");
        assert_eq!(word(&channel.close(&call).await), close, "close {name}");
        next("POST /v1/refunds");
        let sent = channel.refund(&refund("errors", &id, "r-1")).await;
        assert_eq!(refund_word(&sent), refunding, "refund {name}");
        assert!(!sent.summary().contains("in words"), "{sent:?}");
    }
}

#[tokio::test]
async fn an_error_that_shows_the_intent_is_told_by_the_intent() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let call = charge("shown");
    channel.submit(&call).await;
    let intent = double.intent("shown");
    let body =
        json!({"error": {"type": "card_error", "code": "card_declined", "payment_intent": intent}});
    let body = body.to_string();
    double.next(
        "POST /v1/payment_intents",
        Trick::Answer { status: 402, body },
    );
    assert_eq!(word(&channel.submit(&call).await), "payable");
}

#[tokio::test]
async fn every_status_of_a_refund_has_its_meaning() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    channel.submit(&charge("refunds")).await;
    double.pay("refunds");
    let id = text(&double.intent("refunds"), "id");
    let mut call = refund("refunds", &id, "r-1");
    channel.refund(&call).await;
    let theirs = text(&double.refunds()[0], "id");
    for named in [false, true] {
        call.channel_refund_no = named.then(|| theirs.clone());
        for (status, meaning) in [
            ("pending", "pending"),
            ("requires_action", "pending"),
            ("succeeded", "succeeded"),
            ("failed", "failed"),
            ("canceled", "failed"),
            ("frozen", UNREADABLE),
        ] {
            double.change_refund(&theirs, &json!({"status": status}));
            let answer = channel.query_refund(&call).await;
            assert_eq!(refund_word(&answer), meaning, "{status}");
        }
    }
}
