//! A process that stands still for longer than every time-out, and goes on as if nothing had been: a laptop that was
//! closed, a machine that was moved, a debugger.

use super::{are_paid_once, begin, orders};
use crate::support::{Processor, Shop, Stage, eventually, refund};
use serde_json::Value;
use std::time::Duration;

/// Beyond the read time-out of 3 s and the whole ladder of 5 s of [`Stage::default`].
const STILL: Duration = Duration::from_secs(11);

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_was_stopped_for_longer_than_every_time_out_goes_on() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let paid = shop
        .paid("s-refunded", 1000, "VIP #no-callback #refund-delay=1s")
        .await;
    let slow = orders("s-slow", "VIP #delay=1s #no-callback", 6);
    let told = orders("s-told", "VIP #delay=1s #callbacks=2", 6);
    let lost = orders("s-lost", "VIP #lost-reply #no-callback", 6);
    let waits = orders("s-waits", "VIP #pay-after=2s", 6);
    let all = [slow, told, lost, waits].concat();
    begin(&shop, &all).await;
    let path = crate::support::refunds_of(&paid);
    let headers = [("prefer", "respond-async")];
    let body = refund("r-1", 400);
    let asked = shop.ask_with("POST", &path, &headers, Some(&body)).await;
    assert_eq!(asked.status, 202, "{:?}", asked.body);

    shop.running.signal("STOP");
    tokio::time::sleep(STILL).await;
    shop.running.signal("CONT");

    shop.is_ready().await;
    are_paid_once(&shop, &processor, &all).await;
    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    processor.refunded_once("s-refunded", "r-1", 400).await;
    assert!(shop.running.is_running(), "the same process goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_processor_that_was_stopped_for_longer_than_every_time_out_has_charged_once() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let paid = shop.paid("p-refunded", 1000, "VIP").await;
    processor.running.signal("STOP");
    let all = orders("p", "VIP", 12);
    begin(&shop, &all).await;
    let path = crate::support::refunds_of(&paid);
    let headers = [("prefer", "respond-async")];
    let body = refund("r-1", 400);
    let asked = shop.ask_with("POST", &path, &headers, Some(&body)).await;
    assert_eq!(asked.status, 202, "{:?}", asked.body);
    // Nobody answers: people are asked in the end, and nothing is called failed.
    let first = all.first().expect("an order");
    eventually("the ladder has ended", || async {
        let order = shop.find(super::number(first)).await.expect("it was made");
        let ended = order["status"] == "MANUAL";
        ended.then_some(()).ok_or_else(|| order.to_string())
    })
    .await;
    tokio::time::sleep(STILL).await;
    let failed = "SELECT COUNT(*) FROM orders WHERE status IN ('FAILED', 'CLOSED')";
    assert_eq!(shop.database.number(failed).await, 0);
    processor.running.signal("CONT");

    // What it finds in its sockets it takes for calls that were just made.
    let mut uncharged: Vec<Value> = Vec::new();
    for body in &all {
        let landed = processor.charge(super::number(body)).await;
        uncharged.extend(landed.is_none().then(|| body.clone()));
    }
    for body in &uncharged {
        is_submitted_again(&shop, body).await;
    }
    are_paid_once(&shop, &processor, &all).await;
    let order_id = paid["order_id"].as_str().expect("an id");
    let asked = format!("/v1/orders/{order_id}/query");
    shop.ask("POST", &asked, crate::support::OPERATOR, None)
        .await;
    eventually("the refund is decided or done", || async {
        let refund = shop.refund_of(&paid, "r-1").await;
        let rests = ["SUCCEEDED", "MANUAL"]
            .iter()
            .any(|it| refund["status"] == **it);
        rests.then_some(()).ok_or_else(|| refund.to_string())
    })
    .await;
    let refund = shop.refund_of(&paid, "r-1").await;
    if refund["status"] == "MANUAL" {
        let retry = serde_json::json!({"decision": "RETRY", "basis": "it did not answer",
            "expected_version": refund["version"]});
        shop.review_refund(&paid, "r-1", crate::support::OPERATOR, &retry)
            .await;
    }
    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    processor.refunded_once("p-refunded", "r-1", 400).await;
}

/// An operator has a case of people's submitted again: the channel is asked first.
async fn is_submitted_again(shop: &Shop, body: &Value) {
    let order = shop.find(super::number(body)).await.expect("it was made");
    if order["status"] == "MANUAL" {
        let review = serde_json::json!({"decision": "RESUBMIT", "basis": "it did not answer",
            "expected_version": order["version"]});
        let order_id = order["order_id"].as_str().expect("an id");
        shop.review(order_id, crate::support::OPERATOR, &review)
            .await;
    }
}
