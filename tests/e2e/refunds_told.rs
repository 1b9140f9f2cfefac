//! The channel tells of refunds: of ours, and of those that began there.

use crate::support::{Processor, Shop, Stage, alerts_of, eventually, order, told};
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

async fn becomes_refunded(shop: &Shop, order: &Value, amount: i64, status: &str) {
    eventually("so much is given back", || async {
        let now = stands(shop, order).await;
        (now == (amount, status.to_owned()))
            .then_some(())
            .ok_or_else(|| format!("{now:?}"))
    })
    .await;
}

fn quiet() -> Stage {
    Stage {
        pending_schedule: r#"["10m"]"#,
        ..Stage::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_settles_a_pending_refund_and_its_repeats_change_nothing() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    let paid = shop
        .paid("rt-1", 1000, "VIP #no-callback #refund=pending")
        .await;
    shop.refund(&paid, "r-1", 400).await;
    processor.settle_refund("rt-1", "r-1", "SUCCEEDED").await;
    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    becomes_refunded(&shop, &paid, 400, "PARTIALLY_REFUNDED").await;

    let trade_no = processor.charge("rt-1").await.expect("charged").trade_no;
    let version = shop.get(id(&paid)).await["version"].clone();
    let body = told("rt-1", &trade_no, "r-1", 400, "SUCCEEDED");
    for notice in ["again", "again", "and-again"] {
        let heard = shop.hear(&processor, notice, &body).await;
        assert_eq!((heard.status, &heard.body), (200, &json!("success")));
    }
    let order = shop.get(id(&paid)).await;
    assert_eq!(order["version"], version);
    assert_eq!(order["amount_refunded"], 400);
    assert_eq!(processor.calls("rt-1").await.refund_queries, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_began_at_the_channel_is_kept_and_noted() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    let paid = shop.paid("rt-2", 1000, "VIP #no-callback").await;

    processor.refund_by_hand("rt-2", "theirs-1", 300).await;
    becomes_refunded(&shop, &paid, 300, "PARTIALLY_REFUNDED").await;
    let kept = shop.refund_of(&paid, "theirs-1").await;
    assert_eq!(kept["status"], "SUCCEEDED");
    assert_eq!(kept["amount"], 300);
    assert_eq!(
        alerts_of(&shop, id(&paid)).await,
        ["external_refund info open"]
    );
    let too_much = shop.refund(&paid, "r-1", 701).await;
    assert_eq!(too_much.text("code"), "refund-exceeds-order");

    processor.refund_by_hand("rt-2", "theirs-2", 700).await;
    becomes_refunded(&shop, &paid, 1000, "REFUNDED").await;
    assert_eq!(shop.refunds(&paid).await.len(), 2);
    assert_eq!(processor.calls("rt-2").await.refunds, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_began_at_the_channel_while_ours_is_under_way_is_kept_beside_it() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    let paid = shop
        .paid("rt-6", 1000, "VIP #no-callback #refund=pending")
        .await;
    let ours = shop.refund(&paid, "r-1", 500).await;
    assert_eq!(ours.text("status"), "PROCESSING", "{:?}", ours.body);

    let trade_no = processor.charge("rt-6").await.expect("charged").trade_no;
    let body = told("rt-6", &trade_no, "theirs-1", 300, "SUCCEEDED");
    let heard = shop.hear(&processor, "theirs", &body).await;
    assert_eq!(heard.status, 200, "{:?}", heard.body);
    assert_eq!(stands(&shop, &paid).await, (300, "REFUNDING".to_owned()));

    processor.settle_refund("rt-6", "r-1", "SUCCEEDED").await;
    becomes_refunded(&shop, &paid, 800, "PARTIALLY_REFUNDED").await;
    let alerts = alerts_of(&shop, id(&paid)).await;
    assert_eq!(alerts, ["external_refund info open"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_beyond_what_was_paid_is_somebodys_business_and_no_refund_of_ours() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    let paid = shop.paid("rt-3", 1000, "VIP #no-callback").await;
    processor.refund_by_hand("rt-3", "theirs-1", 1001).await;
    eventually("somebody is told", || async {
        let alerts = alerts_of(&shop, id(&paid)).await;
        (alerts == ["refund_conflict action open"])
            .then_some(())
            .ok_or_else(|| format!("{alerts:?}"))
    })
    .await;
    assert_eq!(stands(&shop, &paid).await, (0, "PAID".to_owned()));
    assert!(shop.refunds(&paid).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_signed_gives_nothing_back() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    let paid = shop.paid("rt-4", 1000, "VIP #no-callback").await;
    let trade_no = processor.charge("rt-4").await.expect("charged").trade_no;
    let body = told("rt-4", &trade_no, "forged", 1000, "SUCCEEDED");
    let notice = crate::support::Notice::of("forged", body.to_string());
    let wrong = "whsec_YW5vdGhlci1zZWNyZXQtYW5vdGhlci1zZWNyZXQtYW5vdGhlcg==";
    let heard = shop.tell("sandbox", wrong, &notice).await;
    assert_eq!(heard.status, 401, "{:?}", heard.body);
    for (id, odd) in [
        (
            "no-amount",
            json!({"type": "refund.updated", "data": {"order_no": "rt-4"}}),
        ),
        ("nothing", told("rt-4", &trade_no, "r-0", 0, "SUCCEEDED")),
        ("less", told("rt-4", &trade_no, "r-0", -5, "SUCCEEDED")),
    ] {
        let heard = shop.hear(&processor, id, &odd).await;
        assert_eq!(
            (heard.status, heard.text("code")),
            (400, "malformed-callback"),
            "{id}: {:?}",
            heard.body
        );
    }
    let other_key = {
        let mut body = told("rt-4", &trade_no, "r-0", 1000, "SUCCEEDED");
        body["data"]["idempotency_key"] = json!("pay:order:another");
        body
    };
    let new_word = told("rt-4", &trade_no, "r-0", 1000, "REVERTED");
    for (id, body) in [("other-key", other_key), ("new-word", new_word)] {
        let heard = shop.hear(&processor, id, &body).await;
        assert_eq!(heard.status, 200, "{id}: {:?}", heard.body);
    }
    assert_eq!(stands(&shop, &paid).await, (0, "PAID".to_owned()));
    assert!(shop.refunds(&paid).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_of_an_order_that_is_not_paid_asks_the_channel_and_settles_nothing_by_itself() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    let waiting = shop
        .create(&order("rt-6", "VIP #pending #no-callback"))
        .await
        .body;
    let asked_before = processor.calls("rt-6").await.queries;
    let body = told("rt-6", "T-none", "theirs", 500, "SUCCEEDED");
    let heard = shop.hear(&processor, "early", &body).await;
    assert_eq!(heard.status, 200, "{:?}", heard.body);
    eventually("the channel is asked", || async {
        let calls = processor.calls("rt-6").await;
        (calls.queries > asked_before)
            .then_some(())
            .ok_or_else(|| format!("{calls:?}"))
    })
    .await;
    assert_eq!(stands(&shop, &waiting).await, (0, "PENDING".to_owned()));
    let alerts = alerts_of(&shop, id(&waiting)).await;
    assert_eq!(alerts, ["external_refund action open"]);
    assert!(shop.refunds(&waiting).await.is_empty());
}
