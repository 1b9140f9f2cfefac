//! Refunds whose end is not known: asked about, sent again under the same number, and never made twice.

use crate::support::{Processor, Shop, Stage, alerts_of, eventually};
use serde_json::{Value, json};

fn id(order: &Value) -> &str {
    order["order_id"].as_str().expect("an id")
}

/// How much of the order is given back, and its status.
async fn stands(shop: &Shop, order: &Value) -> (i64, String) {
    let order = shop.get(id(order)).await;
    let refunded = order["amount_refunded"].as_i64().expect("an amount");
    (
        refunded,
        order["status"].as_str().expect("a status").to_owned(),
    )
}

fn as_it_was() -> (i64, String) {
    (0, "PAID".to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_reply_is_asked_for_and_the_refund_is_not_made_again() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let subject = "VIP #no-callback #lost-refund-reply";
    let paid = shop.paid("rd-1", 1000, subject).await;

    let asked = shop.refund(&paid, "r-1", 400).await;
    // Whether its wait is over or the channel was asked meanwhile: it is never called failed.
    assert!(
        ["UNKNOWN", "SUCCEEDED"].contains(&asked.text("status")),
        "{:?}",
        asked.body
    );
    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    assert_eq!(
        stands(&shop, &paid).await,
        (400, "PARTIALLY_REFUNDED".to_owned())
    );
    let calls = processor.calls("rd-1").await;
    assert_eq!(calls.refunds, 1, "{calls:?}");
    assert!(calls.refund_queries >= 1, "{calls:?}");
    processor.refunded_once("rd-1", "r-1", 400).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_never_arrived_goes_out_again_under_the_same_number() {
    let processor = Processor::start().await;
    let stage = Stage {
        read_timeout: "1600ms",
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let paid = shop
        .paid("rd-2", 1000, "VIP #no-callback #lost-refund=1")
        .await;

    shop.refund(&paid, "r-1", 1000).await;
    let in_doubt = shop.refund_of(&paid, "r-1").await;
    assert_ne!(in_doubt["status"], "FAILED");
    assert_eq!(stands(&shop, &paid).await, (0, "REFUNDING".to_owned()));
    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    assert_eq!(stands(&shop, &paid).await, (1000, "REFUNDED".to_owned()));
    let calls = processor.calls("rd-2").await;
    assert_eq!(calls.refunds, 2, "{calls:?}");
    assert!(
        calls.refund_queries >= 1,
        "asked before it was sent again: {calls:?}"
    );
    processor.refunded_once("rd-2", "r-1", 1000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_in_the_middle_of_a_send_it_is_asked_about_first() {
    let processor = Processor::start().await;
    let stage = Stage {
        read_timeout: "60s",
        schedule: r#"["500ms", "1500ms", "60s"]"#,
        ..Stage::default()
    };
    let mut shop = Shop::open(&processor, stage).await;
    let paid = shop
        .paid("rd-3", 1000, "VIP #no-callback #refund-delay=30s")
        .await;

    let asked = shop.refund(&paid, "r-1", 400).await;
    assert_eq!(
        (asked.status, asked.text("status")),
        (202, "PROCESSING"),
        "{:?}",
        asked.body
    );
    processor.refunded_once("rd-3", "r-1", 400).await;
    shop.crash();
    assert_eq!(processor.calls("rd-3").await.refund_queries, 0);
    shop.start_again().await;

    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    assert_eq!(
        stands(&shop, &paid).await,
        (400, "PARTIALLY_REFUNDED".to_owned())
    );
    let calls = processor.calls("rd-3").await;
    assert_eq!(calls.refunds, 1, "{calls:?}");
    assert!(calls.refund_queries >= 1, "{calls:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_between_answer_and_end_a_pending_refund_goes_on() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let subject = "VIP #no-callback #refund=pending #no-refund-callback";
    let paid = shop.paid("rd-4", 1000, subject).await;

    let asked = shop.refund(&paid, "r-1", 400).await;
    assert_eq!(
        (asked.status, asked.text("status")),
        (202, "PROCESSING"),
        "{:?}",
        asked.body
    );
    assert!(!asked.text("channel_refund_no").is_empty());
    assert_eq!(stands(&shop, &paid).await, (0, "REFUNDING".to_owned()));
    shop.crash_and_start_again().await;
    processor.settle_refund("rd-4", "r-1", "SUCCEEDED").await;
    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    assert_eq!(processor.calls("rd-4").await.refunds, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_is_not_done_and_may_fail_in_the_end() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    for (order_no, subject) in [
        ("rd-5a", "VIP #no-callback #refund=failed-later"),
        // Nobody calls back: it is found by asking.
        (
            "rd-5b",
            "VIP #no-callback #refund=failed-later #no-refund-callback",
        ),
    ] {
        let paid = shop.paid(order_no, 1000, subject).await;
        let asked = shop.refund(&paid, "r-1", 400).await;
        assert_eq!(
            (asked.status, asked.text("status")),
            (202, "PROCESSING"),
            "{:?}",
            asked.body
        );
        assert_eq!(stands(&shop, &paid).await, (0, "REFUNDING".to_owned()));
        processor.settle_refund(order_no, "r-1", "FAILED").await;
        shop.refund_becomes(&paid, "r-1", "FAILED").await;
        assert_eq!(stands(&shop, &paid).await, as_it_was(), "{order_no}");
        // What it held back is free again.
        let rest = shop.refund(&paid, "r-2", 1000).await;
        assert_eq!(rest.status, 202, "{:?}", rest.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_fails_after_it_had_succeeded_is_taken_back_and_somebody_is_told() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let subject = "VIP #no-callback #refund=bounced #refund-after=1s";
    let paid = shop.paid("rd-6", 1000, subject).await;

    let done = shop.refund(&paid, "r-1", 1000).await;
    assert_eq!(done.text("status"), "SUCCEEDED", "{:?}", done.body);
    shop.refund_becomes(&paid, "r-1", "FAILED").await;
    assert_eq!(stands(&shop, &paid).await, as_it_was());
    let alerts = alerts_of(&shop, id(&paid)).await;
    assert_eq!(alerts, ["refund_failed action open"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_channel_is_broken_nothing_counts_as_given_back_and_then_a_person_is_told_once() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::with_a_short_ladder()).await;
    let paid = shop
        .paid("rd-7", 1000, "VIP #no-callback #refund=unknown")
        .await;

    let asked = shop.refund(&paid, "r-1", 1000).await;
    assert_eq!(asked.status, 202, "{:?}", asked.body);
    assert_eq!(stands(&shop, &paid).await, (0, "REFUNDING".to_owned()));
    let manual = shop.refund_becomes(&paid, "r-1", "MANUAL").await;
    assert_eq!(manual["channel_refund_no"], Value::Null);
    assert_eq!(stands(&shop, &paid).await, (0, "REFUNDING".to_owned()));
    let alerts = alerts_of(&shop, id(&paid)).await;
    assert_eq!(alerts, ["refund_manual action open"]);
    // While somebody looks, it holds its share of the money.
    let more = shop.refund(&paid, "r-2", 1).await;
    assert_eq!(more.text("code"), "refund-exceeds-order", "{:?}", more.body);
    assert!(processor.refunds("rd-7").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn another_amount_than_was_asked_for_is_a_persons_business() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let paid = shop
        .paid("rd-8", 1000, "VIP #no-callback #wrong-refund=7")
        .await;

    let asked = shop.refund(&paid, "r-1", 400).await;
    assert_eq!(
        (asked.status, asked.text("status")),
        (202, "MANUAL"),
        "{:?}",
        asked.body
    );
    assert_eq!(asked.body["amount"], 400);
    assert_eq!(stands(&shop, &paid).await, (0, "REFUNDING".to_owned()));
    let alerts = alerts_of(&shop, id(&paid)).await;
    assert_eq!(alerts, ["refund_manual action open"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_comes_late_ends_the_doubt() {
    let processor = Processor::start().await;
    let stage = Stage {
        query_timeout: "300ms",
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let subject = "VIP #no-callback #refund-delay=2s #refund-query=timeout";
    let paid = shop.paid("rd-9", 1000, subject).await;
    let asked = shop.refund(&paid, "r-1", 400).await;
    assert_eq!(asked.status, 202, "{:?}", asked.body);
    let events = eventually("the reply has come", || async {
        let events = shop.events(id(&paid)).await;
        let replied = events
            .iter()
            .any(|event| event["to"] == "PARTIALLY_REFUNDED");
        replied
            .then_some(events.clone())
            .ok_or_else(|| json!(events).to_string())
    })
    .await;
    assert_eq!(events.last().expect("events")["kind"], "refund_reply");
    assert_eq!(processor.calls("rd-9").await.refunds, 1);
}
