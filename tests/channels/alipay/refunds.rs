//! Refunds: what is one, what is none, and what only the query tells.

use super::{call, channel, refund_call, refund_word, word};
use crate::doubles::alipay::{AlipayDouble, Mishap};
use oncepay::domain::order::RefundAnswer;
use serde_json::json;

const QUERY: &str = "alipay.trade.fastpay.refund.query";

#[tokio::test]
async fn a_trade_is_given_back_in_parts_and_each_part_once() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let charge = call("R1", "qr");
    channel.submit(&charge).await;
    let trade_no = double.pay("R1");
    let first = refund_call("R1", &trade_no, "r.1@a-b", 3000);

    assert_eq!(
        refund_word(&channel.query_refund(&first).await),
        "not found"
    );
    let done = channel.refund(&first).await;
    let RefundAnswer::Succeeded(said) = &done else {
        panic!("{done:?}")
    };
    assert_eq!((said.refund_no.as_str(), said.amount), ("r.1@a-b", None));
    assert_eq!(said.trade_no.as_ref(), Some(&trade_no));
    assert_eq!(
        double.calls("alipay.trade.refund")[0],
        json!({"out_trade_no": "R1", "trade_no": trade_no, "refund_amount": "30.00", "out_request_no": "r.1@a-b",
               "refund_reason": "returned"})
    );
    assert_eq!(
        refund_word(&channel.refund(&first).await),
        "unreadable",
        "again: fund_change=N"
    );
    match channel.query_refund(&first).await {
        RefundAnswer::Succeeded(said) => assert_eq!(said.amount, Some(3000)),
        other => panic!("{other:?}"),
    }
    let other = refund_call("R1", &trade_no, "r.1@a-b", 3001);
    assert_eq!(refund_word(&channel.refund(&other).await), "conflict");
    let too_much = refund_call("R1", &trade_no, "r-2", 8888);
    assert_eq!(refund_word(&channel.refund(&too_much).await), "failed");
    let rest = refund_call("R1", &trade_no, "r-2", 5888);
    assert_eq!(refund_word(&channel.refund(&rest).await), "succeeded");
    assert_eq!(double.trade("R1").unwrap().refunded(), 8888);
    assert_eq!(word(&channel.query(&charge).await), "paid and refunded");
}

#[tokio::test]
async fn a_lost_answer_is_found_by_the_query() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    channel.submit(&call("R2", "qr")).await;
    let trade_no = double.pay("R2");
    let refund = refund_call("R2", &trade_no, "r", 100);
    for (mishap, then) in [
        (Mishap::DropBefore, "not found"),
        (Mishap::DropAfter, "succeeded"),
    ] {
        double.misbehave("alipay.trade.refund", mishap);
        assert_eq!(refund_word(&channel.refund(&refund).await), "trouble");
        assert_eq!(refund_word(&channel.query_refund(&refund).await), then);
    }
}

#[tokio::test]
async fn that_a_call_was_accepted_is_no_refund() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let refund = refund_call("R3", "T3", "r", 100);
    let good = json!({"code": "10000", "out_trade_no": "R3", "trade_no": "T3", "fund_change": "Y", "refund_fee": "1.00"});
    for (field, value, expected) in [
        ("fund_change", json!("Y"), "succeeded"),
        ("fund_change", json!("N"), "unreadable"),
        ("fund_change", json!(null), "unreadable"),
        ("fund_change", json!("y"), "unreadable"),
        ("refund_fee", json!("0.99"), "unreadable"),
        ("refund_fee", json!(null), "unreadable"),
        ("refund_fee", json!("5.00"), "succeeded"),
        ("out_trade_no", json!("R4"), "unreadable"),
        ("out_trade_no", json!(null), "unreadable"),
        ("trade_no", json!("T4"), "unreadable"),
    ] {
        let mut content = good.clone();
        content[field] = value.clone();
        double.misbehave("alipay.trade.refund", Mishap::Content(content));
        let answer = channel.refund(&refund).await;
        assert_eq!(refund_word(&answer), expected, "{field} {value}");
    }
}

#[tokio::test]
async fn a_query_of_a_refund_tells_only_what_it_says() {
    let double = AlipayDouble::start();
    let channel = channel(&double);
    let refund = refund_call("R5", "T5", "r", 100);
    let good = json!({"code": "10000", "out_trade_no": "R5", "trade_no": "T5", "out_request_no": "r",
                      "refund_status": "REFUND_SUCCESS", "refund_amount": "1.00"});
    for (changes, expected) in [
        (json!({}), "succeeded"),
        (
            json!({"refund_status": null, "refund_amount": null}),
            "not found",
        ),
        (
            json!({"refund_status": "", "refund_amount": ""}),
            "not found",
        ),
        (json!({"refund_status": null}), "unreadable"),
        (json!({"refund_amount": null}), "unreadable"),
        (json!({"refund_amount": "1.005"}), "unreadable"),
        (json!({"refund_status": "REFUND_DREAMT"}), "unreadable"),
        (json!({"out_request_no": "another"}), "unreadable"),
        (json!({"out_request_no": null}), "unreadable"),
        (json!({"trade_no": "another"}), "unreadable"),
    ] {
        let mut content = good.clone();
        for (field, value) in changes.as_object().unwrap() {
            content[field] = value.clone();
        }
        double.misbehave(QUERY, Mishap::Content(content));
        let answer = channel.query_refund(&refund).await;
        assert_eq!(refund_word(&answer), expected, "{changes}");
    }
    // Another amount is told as it stands: whoever asked compares it.
    let mut other = good.clone();
    other["refund_amount"] = json!("2.00");
    double.misbehave(QUERY, Mishap::Content(other));
    match channel.query_refund(&refund).await {
        RefundAnswer::Succeeded(said) => assert_eq!(said.amount, Some(200)),
        other => panic!("{other:?}"),
    }
}
