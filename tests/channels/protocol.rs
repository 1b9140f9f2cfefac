//! The table of the protocol, row by row: what an authenticated reply means.

use crate::support::{call, channel, meaning, signing_processor};
use oncepay::channels::Channel;

const PAID: &str = r#"{"trade_no":"T1","order_no":"1","idempotency_key":"pay:order:1","amount":1999,"currency":"CNY","status":"PAID","new_field":{"a":[1.5]}}"#;
const REFUNDED: &str = r#"{"trade_no":"T1","order_no":"1","idempotency_key":"pay:order:1","amount":1999,"currency":"CNY","status":"REFUNDED"}"#;
const FLOAT: &str = r#"{"trade_no":"T1","order_no":"1","idempotency_key":"pay:order:1","amount":1999.0,"currency":"CNY","status":"PAID"}"#;
const TWICE: &str = r#"{"trade_no":"T1","order_no":"1","idempotency_key":"pay:order:1","amount":1,"amount":1999,"currency":"CNY","status":"PAID"}"#;
const NO_KEY: &str =
    r#"{"trade_no":"T1","order_no":"1","amount":1999,"currency":"CNY","status":"PAID"}"#;
const NOT_FOUND: &str = r#"{"code":"not_found"}"#;
const CONFLICT: &str = r#"{"code":"idempotency_conflict"}"#;
const NEWS: &str = r#"{"code":"teapot"}"#;

const UNREADABLE: &str = "unknown: unreadable_reply";
const UNAVAILABLE: &str = "unknown: channel_unavailable";

/// A signed reply, and what it means to a submit, a query and a close.
const TABLE: [(u16, &str, [&str; 3]); 17] = [
    (200, PAID, ["PAID", "PAID", "PAID"]),
    (200, REFUNDED, ["REFUNDED", "REFUNDED", "REFUNDED"]),
    (200, FLOAT, [UNREADABLE, UNREADABLE, UNREADABLE]),
    (200, TWICE, [UNREADABLE, UNREADABLE, UNREADABLE]),
    (200, NO_KEY, [UNREADABLE, UNREADABLE, UNREADABLE]),
    (200, "", [UNREADABLE, UNREADABLE, UNREADABLE]),
    (201, PAID, [UNREADABLE, UNREADABLE, UNREADABLE]),
    (302, PAID, [UNREADABLE, UNREADABLE, UNREADABLE]),
    (400, NEWS, [UNREADABLE, UNREADABLE, UNREADABLE]),
    (401, NEWS, [UNREADABLE, UNREADABLE, UNREADABLE]),
    (404, NOT_FOUND, [UNREADABLE, "not found", "not found"]),
    (404, NEWS, [UNREADABLE, UNREADABLE, UNREADABLE]),
    (409, CONFLICT, ["key conflict", UNREADABLE, "cannot close"]),
    (409, NEWS, [UNREADABLE, UNREADABLE, "cannot close"]),
    (409, PAID, [UNREADABLE, UNREADABLE, "PAID"]),
    (429, NEWS, ["throttled", "throttled", "throttled"]),
    (500, PAID, [UNAVAILABLE, UNAVAILABLE, UNAVAILABLE]),
];

#[actix_web::test]
async fn an_authenticated_reply_means_what_the_table_says() {
    for (status, body, expected) in TABLE {
        let channel = channel(&signing_processor(status, body));
        let call = call("1", "a");
        let answers = [
            channel.submit(&call).await,
            channel.query(&call).await,
            channel.close(&call).await,
        ];
        assert_eq!(answers.each_ref().map(meaning), expected, "{status} {body}");
    }
}

/// *Paid* that names no trade proves nothing: the statement has none, whatever stands in its place.
#[actix_web::test]
async fn a_trade_without_a_name_is_no_trade() {
    for body in [
        r#"{"trade_no":"","order_no":"1","idempotency_key":"k","amount":1,"currency":"CNY","status":"PAID"}"#,
        r#"{"trade_no":null,"order_no":"1","idempotency_key":"k","amount":1,"currency":"CNY","status":"PAID"}"#,
        r#"{"trade_no":"T\u0000","order_no":"1","idempotency_key":"k","amount":1,"currency":"CNY","status":"PAID"}"#,
        r#"{"order_no":"1","idempotency_key":"k","amount":1,"currency":"CNY","status":"PAID"}"#,
    ] {
        let channel = channel(&signing_processor(200, body));
        let answer = channel.query(&call("1", "a")).await;
        assert_eq!(answer.trade_no(), None, "{body}");
        assert_eq!(meaning(&answer), "PAID");
    }
}
