//! Refunds: their numbers, and what every code and every status means.

use super::{ORDER, Stage, charge, refund};
use crate::doubles::wechat::{Mishap, Op};
use oncepay::channels::RefundCall;
use oncepay::domain::order::{Reason, RefundAnswer};
use serde_json::{Value, json};

fn word(answer: &RefundAnswer) -> &'static str {
    match answer {
        RefundAnswer::Succeeded(_) => "succeeded",
        RefundAnswer::Pending(_) => "pending",
        RefundAnswer::Failed(_) => "failed",
        RefundAnswer::Repeatable { .. } => "repeatable",
        RefundAnswer::Conflict { .. } => "conflict",
        RefundAnswer::NotFound => "not-found",
        RefundAnswer::Throttled { .. } => "throttled",
        RefundAnswer::NotSent { .. } => "not-sent",
        RefundAnswer::Unknown(_) => "unknown",
    }
}

/// A paid order; the call that refunds a part of it.
async fn paid() -> (Stage, RefundCall) {
    let stage = Stage::open().await;
    stage.channel.submit(&charge("native")).await;
    stage.gateway.pay(ORDER);
    let trade = stage.gateway.inside().book.charges[ORDER]
        .transaction_id
        .clone();
    (stage, refund(&trade.expect("a trade")))
}

#[tokio::test]
async fn a_refund_is_made_once_and_asked_about() {
    let (stage, call) = paid().await;
    assert_eq!(word(&stage.channel.query_refund(&call).await), "not-found");

    let answer = stage.channel.refund(&call).await;
    let RefundAnswer::Pending(said) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(said.refund_no, "r-1");
    assert_eq!(said.amount, Some(1000));
    assert_eq!(said.trade_no.as_deref(), Some(&*call.trade_no));
    assert!(said.channel_refund_no.is_some());
    let sent: Value = serde_json::from_slice(&stage.gateway.last(Op::Refund).body).unwrap();
    assert_eq!(
        sent,
        json!({"transaction_id": call.trade_no, "out_refund_no": format!("{ORDER}@r-1"), "reason": "退货",
               "notify_url": "https://merchant.example/notify/wechat",
               "amount": {"refund": 1000, "total": 8888, "currency": "CNY"}})
    );

    stage.gateway.next(Op::Refund, Mishap::LostReply);
    assert_eq!(word(&stage.channel.refund(&call).await), "unknown");
    stage.gateway.end_refund(&format!("{ORDER}@r-1"), "SUCCESS");
    assert_eq!(word(&stage.channel.query_refund(&call).await), "succeeded");
    assert_eq!(
        stage.gateway.inside().book.refunds.len(),
        1,
        "one refund of two sends"
    );
    assert_eq!(
        stage
            .gateway
            .last(Op::QueryRefund)
            .target
            .rsplit('/')
            .next()
            .unwrap(),
        format!("{ORDER}@r-1")
    );
}

#[tokio::test]
async fn another_amount_under_the_same_number_is_unknown_and_moves_nothing() {
    let (stage, call) = paid().await;
    stage.channel.refund(&call).await;
    let mut other = call.clone();
    other.money.amount = 2000;
    assert_eq!(word(&stage.channel.refund(&other).await), "unknown");
    assert_eq!(stage.gateway.inside().book.refunds.len(), 1);
}

#[tokio::test]
async fn every_status_of_a_refund_means_what_the_table_says() {
    let (stage, call) = paid().await;
    stage.channel.refund(&call).await;
    for (status, meaning) in [
        ("PROCESSING", "pending"),
        ("SUCCESS", "succeeded"),
        ("CLOSED", "failed"),
        ("ABNORMAL", "repeatable"),
        ("FROZEN", "unknown"),
    ] {
        stage.gateway.end_refund(&format!("{ORDER}@r-1"), status);
        assert_eq!(
            word(&stage.channel.query_refund(&call).await),
            meaning,
            "{status}"
        );
        assert_eq!(
            word(&stage.channel.refund(&call).await),
            meaning,
            "{status}"
        );
    }
}

/// Code, HTTP status, and its meaning as the answer of a send and of a query.
const CODES: &str = "
SYSTEM_ERROR          500  unknown     unknown
BANKERROR             400  unknown     unknown
FREQUENCY_LIMITED     429  throttled   throttled
FREQUENCY_LIMIT_EXCEED 429 throttled   throttled
RATELIMIT_EXCEEDED    429  throttled   throttled
RESOURCE_NOT_EXISTS   404  unknown     not-found
ORDERNOTEXIST         404  unknown     unknown
ORDERPAID             400  unknown     unknown
ORDER_CLOSED          400  unknown     unknown
OUT_TRADE_NO_USED     403  unknown     unknown
USERPAYING            202  unknown     unknown
TRADE_ERROR           403  failed      unknown
RULE_LIMIT            403  failed      unknown
NO_AUTH               403  failed      unknown
PARAM_ERROR           400  failed      unknown
APPID_MCHID_NOT_MATCH 400  failed      unknown
MCH_NOT_EXISTS        404  failed      unknown
INVALID_REQUEST       400  unknown     unknown
SIGN_ERROR            401  not-sent    not-sent
NOT_ENOUGH            403  repeatable  unknown
NOTENOUGH             403  repeatable  unknown
USER_ACCOUNT_ABNORMAL 403  repeatable  unknown
NO_STATEMENT_EXIST    400  unknown     unknown
STATEMENT_CREATING    400  unknown     unknown
NEVER_HEARD_OF        403  unknown     unknown
NOT_ENOUGH            503  unknown     unknown
";

#[tokio::test]
async fn every_code_means_what_the_table_says() {
    let (stage, call) = paid().await;
    for line in CODES.lines().filter(|line| !line.is_empty()) {
        let mut cells = line.split_whitespace();
        let mut cell = || cells.next().expect("four cells");
        let (code, status) = (cell(), cell().parse().unwrap());
        stage.gateway.next_code(Op::Refund, status, code);
        stage.gateway.next_code(Op::QueryRefund, status, code);
        let answers = [
            stage.channel.refund(&call).await,
            stage.channel.query_refund(&call).await,
        ];
        for answer in answers {
            assert_eq!(word(&answer), cell(), "{line}: {answer:?}");
        }
    }
    assert!(stage.gateway.inside().book.refunds.is_empty());
}

#[tokio::test]
async fn an_answer_about_another_refund_says_nothing() {
    let (stage, call) = paid().await;
    stage.channel.refund(&call).await;
    let right = stage
        .gateway
        .inside()
        .book
        .query_refund(&format!("{ORDER}@r-1"))
        .1
        .unwrap();
    for (pointer, value) in [
        ("/out_refund_no", json!("ORDER20261130000002@r-1")),
        ("/out_trade_no", json!("ORDER20261130000002")),
        ("/amount/currency", json!("USD")),
        ("/amount/refund", json!("1000")),
    ] {
        let mut other = right.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        stage
            .gateway
            .next(Op::QueryRefund, Mishap::Says((200, Some(other))));
        let answer = stage.channel.query_refund(&call).await;
        let RefundAnswer::Unknown(unknown) = answer else {
            panic!("{pointer}: {answer:?}")
        };
        assert_eq!(unknown.reason, Reason::UnreadableReply);
    }
}

#[tokio::test]
async fn numbers_with_dots_and_long_ones_are_numbers_there() {
    let (stage, call) = paid().await;
    for (refund_no, number) in [
        ("late.1@x", format!("{ORDER}@late*1@x")),
        (&*"r".repeat(44), format!("{ORDER}@{}", "r".repeat(44))),
    ] {
        let mut call = call.clone();
        call.refund_no = refund_no.to_owned();
        assert_eq!(word(&stage.channel.refund(&call).await), "pending");
        assert_eq!(word(&stage.channel.query_refund(&call).await), "pending");
        assert!(stage.gateway.inside().book.refunds.contains_key(&number));
    }
    for length in [45, 51, 52, 64] {
        let mut call = call.clone();
        call.refund_no = "s".repeat(length);
        assert_eq!(word(&stage.channel.refund(&call).await), "pending");
        assert_eq!(word(&stage.channel.query_refund(&call).await), "pending");
    }
    let inside = stage.gateway.inside();
    assert_eq!(inside.book.refunds.len(), 6);
    assert!(inside.book.refunds.keys().all(|number| number.len() <= 64));
}
