//! Giving money back through Stripe: one refund for one number, whatever happens on the way.

use super::stage::{beside, channel_at, charge, money, refund, refund_word};
use crate::doubles::stripe::{StripeDouble, Trick, text};
use oncepay::channels::Channel;
use oncepay::domain::order::{RefundAnswer, RefundStatement};
use serde_json::json;
use std::sync::Arc;

const SEND: &str = "POST /v1/refunds";

/// An order that is paid, and its intent.
async fn paid(double: &StripeDouble, order_no: &str) -> (Arc<dyn Channel>, String) {
    let channel = beside(double);
    channel.submit(&charge(order_no)).await;
    (channel, text(&double.pay(order_no), "id"))
}

#[tokio::test]
async fn a_part_of_a_payment_goes_back_once() {
    let double = StripeDouble::start();
    let (channel, id) = paid(&double, "o-1").await;
    let call = refund("o-1", &id, "r-1");
    let answer = channel.refund(&call).await;
    let made = double.refunds();
    assert_eq!(
        answer,
        RefundAnswer::Succeeded(RefundStatement {
            refund_no: "r-1".to_owned(),
            amount: Some(500),
            trade_no: Some(id),
            channel_refund_no: Some(text(&made[0], "id")),
            summary: "succeeded".to_owned(),
        })
    );
    assert_eq!(channel.refund(&call).await, answer);
    assert_eq!(double.refunds().len(), 1);
    let posts = double.posts();
    let sent = posts.last().unwrap();
    assert_eq!(sent.key, "re:pay:order:o-1:r-1");
    assert_eq!(sent.field("metadata[out_trade_no]"), Some("o-1"));
}

#[tokio::test]
async fn a_refund_whose_reply_was_lost_is_found_by_its_number() {
    let double = StripeDouble::start();
    let (channel, id) = paid(&double, "lost").await;
    let call = refund("lost", &id, "r-1");
    double.next(SEND, Trick::DropBefore);
    assert_eq!(
        refund_word(&channel.refund(&call).await),
        "unknown: unavailable"
    );
    assert_eq!(channel.query_refund(&call).await, RefundAnswer::NotFound);
    double.next(SEND, Trick::DropAfter);
    assert_eq!(
        refund_word(&channel.refund(&call).await),
        "unknown: unavailable"
    );
    assert_eq!(refund_word(&channel.query_refund(&call).await), "succeeded");
    assert_eq!(refund_word(&channel.refund(&call).await), "succeeded");
    assert_eq!(double.refunds().len(), 1);
}

#[tokio::test]
async fn a_repeated_send_is_told_how_the_refund_stands_now_and_not_how_it_stood() {
    let double = StripeDouble::start();
    let (channel, id) = paid(&double, "turned").await;
    let call = refund("turned", &id, "r-1");
    assert_eq!(refund_word(&channel.refund(&call).await), "succeeded");
    let theirs = text(&double.refunds()[0], "id");
    double.change_refund(
        &theirs,
        &json!({"status": "failed", "failure_reason": "lost_or_stolen_card"}),
    );
    let answer = channel.refund(&call).await;
    assert_eq!(refund_word(&answer), "failed");
    assert_eq!(answer.summary(), "failed: lost_or_stolen_card");
    // And if that cannot be heard, nothing is known.
    double.next("GET /v1/refunds/", Trick::DropBefore);
    assert_eq!(
        refund_word(&channel.refund(&call).await),
        "unknown: unavailable"
    );
}

#[tokio::test]
async fn what_is_refunded_already_is_ours_or_a_definite_no() {
    let double = StripeDouble::start();
    let (channel, id) = paid(&double, "all").await;
    let mut call = refund("all", &id, "r-1");
    call.money = money(1999, "USD");
    channel.refund(&call).await;
    double.forget_keys();
    assert_eq!(refund_word(&channel.refund(&call).await), "succeeded");
    let second = channel.refund(&refund("all", &id, "r-2")).await;
    assert_eq!(refund_word(&second), "failed");
    assert!(second.summary().contains("charge_already_refunded"));
    // Whether ours is in the list is not known when the list is not.
    double.next(
        SEND,
        Trick::error(400, "invalid_request_error", "charge_already_refunded"),
    );
    double.next("GET /v1/refunds", Trick::DropBefore);
    let open = channel.refund(&refund("all", &id, "r-3")).await;
    assert_eq!(refund_word(&open), "unknown: unavailable");
}

#[tokio::test]
async fn two_refunds_with_one_number_are_for_a_person() {
    let double = StripeDouble::start();
    let (channel, id) = paid(&double, "twins").await;
    let call = refund("twins", &id, "r-1");
    channel.refund(&call).await;
    double.forget_keys();
    channel.refund(&call).await;
    assert_eq!(refund_word(&channel.query_refund(&call).await), "conflict");
}

#[tokio::test]
async fn what_cannot_be_sent_never_leaves() {
    let double = StripeDouble::start();
    let (channel, id) = paid(&double, "odd").await;
    let mut thousandths = refund("odd", &id, "r-1");
    thousandths.money = money(5_124, "KWD");
    let elsewhere = refund("odd", "ch_1/../../v1/payouts", "r-1");
    for call in [thousandths, elsewhere] {
        assert_eq!(refund_word(&channel.refund(&call).await), "failed");
    }
    assert!(double.posts().iter().all(|post| post.path != "/v1/refunds"));
    let nobody = channel_at("http://127.0.0.1:1");
    let call = refund("odd", &id, "r-1");
    assert_eq!(refund_word(&nobody.refund(&call).await), "not sent");
    assert_eq!(refund_word(&nobody.query_refund(&call).await), "not sent");
}

#[tokio::test]
async fn a_refund_that_began_at_stripe_is_known_by_stripes_number() {
    let double = StripeDouble::start();
    let (channel, id) = paid(&double, "external").await;
    let theirs = text(&double.refund_by_hand(&id, 700), "id");
    let mut call = refund("external", &id, &theirs);
    call.money = money(700, "USD");
    for named in [false, true] {
        call.channel_refund_no = named.then(|| theirs.clone());
        let RefundAnswer::Succeeded(statement) = channel.query_refund(&call).await else {
            panic!("it succeeded");
        };
        assert_eq!(
            (statement.refund_no, statement.amount),
            (theirs.clone(), Some(700))
        );
    }
}
