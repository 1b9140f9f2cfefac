//! The table of the protocol, row by row: what an authenticated reply means.

use crate::support::{
    SECRET, call, channel, meaning, processor_with_a_clock_off_by, signing_processor,
};
use oncepay::channels::Channel;
use oncepay::channels::http::sign::{self, Stamped};
use oncepay::channels::signing::SigningKey;
use secrecy::SecretString;

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
    (429, NEWS, [UNAVAILABLE, UNAVAILABLE, UNAVAILABLE]),
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

#[actix_web::test]
async fn a_reply_of_another_time_is_not_believed() {
    for (seconds, expected) in [
        (-400, UNREADABLE),
        (400, UNREADABLE),
        (-200, "PAID"),
        (200, "PAID"),
    ] {
        let channel = channel(&processor_with_a_clock_off_by(seconds, 200, PAID));
        let answer = channel.query(&call("1", "a")).await;
        assert_eq!(meaning(&answer), expected, "{seconds} s");
    }
}

/// Signatures that were made by another program (Python's `hmac`) from the texts as the protocol has them.
#[test]
fn texts_are_signed_as_another_program_signs_them() {
    let key = SigningKey::parse(&SecretString::from(SECRET)).unwrap();
    let one = Stamped {
        id: "msg_1",
        timestamp: "1796032812",
    };
    let two = Stamped {
        id: "msg_2",
        timestamp: "1796032812",
    };
    assert_eq!(
        key.sign(&sign::request_text(
            one,
            "POST",
            "/sandbox/charges",
            br#"{"order_no":"1"}"#
        )),
        "v1,uLXuGWbvB62G6a/hhnZnBEBLFicrbpzVeedoWN5duJo="
    );
    let path = format!("/pay/charges/{}?a=b", sign::encode_segment("pay:order:1"));
    assert_eq!(
        key.sign(&sign::request_text(one, "GET", &path, b"")),
        "v1,9UPWgDqEFDsml78FGd3aTV4zRlanQMx9G63yZ3b03TU="
    );
    assert_eq!(
        key.sign(&sign::reply_text(two, "msg_1", "404", NOT_FOUND.as_bytes())),
        "v1,R/9uzzZPt8FnkziQP7KdK2LaJ5tmUAPjeR1iCj+BUkE="
    );
}
