//! What the network and whoever stands in it can do to a call.

use super::{call, channel, configured, opening, refund_call, refund_word, word};
use crate::doubles::alipay::{AlipayDouble, Mishap};
use oncepay::channels::alipay;
use std::time::Duration;

#[tokio::test]
async fn nothing_that_breaks_after_the_request_left_is_an_end() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let mut call = call("W1", "qr");
    for (mishap, expected) in [
        (Mishap::DropBefore, "trouble"),
        (Mishap::DropAfter, "trouble"),
        (Mishap::Unsigned, "unreadable"),
        (Mishap::WronglySigned, "unreadable"),
        (Mishap::Html(502), "trouble"),
        (Mishap::Html(404), "unreadable"),
        (Mishap::Html(302), "unreadable"),
        (Mishap::Html(200), "unreadable"),
    ] {
        double.misbehave("alipay.trade.precreate", mishap.clone());
        let answer = channel.submit(&call).await;
        assert_eq!(word(&answer), expected, "{mishap:?}");
    }
    call.timeout = Duration::from_millis(200);
    double.misbehave(
        "alipay.trade.precreate",
        Mishap::Delay(Duration::from_secs(2)),
    );
    assert_eq!(word(&channel.submit(&call).await), "no answer");
    let sent = double.calls("alipay.trade.precreate");
    assert_eq!(sent.len(), 9, "each of them was sent once");
    assert!(
        sent.iter().all(|content| *content == sent[0]),
        "and with the same content"
    );
}

#[tokio::test]
async fn where_nobody_listens_nothing_was_sent() {
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let gateway = format!("http://127.0.0.1:{port}/gateway.do");
    let channel = alipay::open(opening(&gateway), configured()).unwrap();
    assert_eq!(word(&channel.submit(&call("W2", "qr")).await), "not sent");
    let refund = refund_call("W2", "T", "r", 1);
    assert_eq!(refund_word(&channel.refund(&refund).await), "not sent");
}

#[tokio::test]
async fn a_reply_that_can_be_read_in_two_ways_is_not_read() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let call = call("W3", "qr");
    channel.submit(&call).await;
    double.pay("W3");
    let content = serde_json::json!({"code": "10000", "out_trade_no": "W3", "trade_no": "T", "trade_status": "TRADE_SUCCESS",
                                     "total_amount": "88.88", "note": "a } \" and },\"sign\":\"x\" inside"});
    let key = Some(crate::doubles::alipay::ALIPAY_PRIVATE);
    let whole =
        crate::doubles::alipay::reply("alipay_trade_query_response", &content, key, Some("any"));
    double.misbehave("alipay.trade.query", Mishap::Raw(whole.clone()));
    assert_eq!(
        word(&channel.query(&call).await),
        "paid",
        "braces inside of texts do not count"
    );
    let inside = whole.trim_start_matches('{').trim_end_matches('}');
    for twice in [
        format!("{{\"alipay_trade_query_response\":{{\"code\":\"20000\"}},{inside}}}"),
        format!("{{{inside},\"sign\":\"x\"}}"),
        format!("{{{inside},\"error_response\":{{\"code\":\"40002\"}}}}"),
        format!("{whole}{whole}"),
        format!("[{whole}]"),
    ] {
        double.misbehave("alipay.trade.query", Mishap::Raw(twice.clone()));
        assert_eq!(word(&channel.query(&call).await), "unreadable", "{twice}");
    }
}
