//! Definitely not charged: at most one more submit, under the same key.

use crate::support::{Processor, Shop, Stage, alerts_of, eventually, order, said};
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_was_lost_is_sent_once_more_under_its_key() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("lost", "VIP #lost-request=1 #no-callback");
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();

    let paid = shop.becomes(&order_id, "PAID").await;

    assert_eq!(paid["submit_count"], 2);
    assert_eq!(paid["idempotency_key"], "pay:order:lost");
    let charge = processor.charged_once("lost").await;
    assert_eq!(charge.submits, 2);
    let history = shop.history(&order_id).await;
    let at = |kind: &str| history.iter().rposition(|found| found == kind);
    assert!(at("query_reply") < at("submit"), "asked first: {history:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_channel_that_never_takes_the_charge_ends_with_a_person() {
    let processor = Processor::start().await;
    let stage = Stage {
        max_submits: 1,
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let body = order("void", "VIP #lost-request #no-callback");
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();

    let manual = shop.becomes(&order_id, "MANUAL").await;

    assert_eq!(manual["reason"], "max_submits");
    assert_eq!(processor.calls("void").await.submits, 1);
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["order_manual action open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_decline_of_the_first_submit_does_not_fail_the_order_that_the_second_charges() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("n1", "VIP #lost-request=1 #delay=2s #no-callback");
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();
    eventually("submit 2 is out", || async {
        let calls = processor.calls("n1").await;
        (calls.submits == 2)
            .then_some(())
            .ok_or_else(|| format!("{calls:?}"))
    })
    .await;

    let heard = shop
        .hear(&processor, "late-no", &said("n1", "T-1", "DECLINED"))
        .await;

    assert_eq!(heard.status, 200);
    assert_ne!(shop.get(&order_id).await["status"], "FAILED");
    shop.becomes(&order_id, "PAID").await;
    let events = shop.events(&order_id).await;
    assert!(events.iter().all(|event| event["to"] != "FAILED"));
    processor.charged_once("n1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decline_of_the_second_submit_does_not_hide_the_charge_of_the_first() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let script = "VIP #lost-reply=1 #query=not-found:3 #decline-submit=2 #no-callback";
    let order_id = shop
        .create_async(&order("n2", script))
        .await
        .text("order_id")
        .to_owned();

    shop.becomes(&order_id, "PAID").await;

    let events = shop.events(&order_id).await;
    assert!(
        events.iter().all(|event| event["to"] != "FAILED"),
        "{events:#?}"
    );
    assert!(processor.charged_once("n2").await.submits >= 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn yesterday_s_payer_is_not_charged_today() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let mut body = order("n5", "VIP #lost-request #no-callback");
    body["expires_in"] = json!(2);
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();
    shop.becomes(&order_id, "UNKNOWN").await;
    shop.crash();
    tokio::time::sleep(Duration::from_millis(2_100)).await;

    shop.start_again().await;

    let closed = shop.becomes(&order_id, "CLOSED").await;
    assert_eq!(closed["reason"], "expired");
    assert_eq!(closed["submit_count"], 1);
    assert_eq!(processor.calls("n5").await.submits, 1);
    assert!(processor.charge("n5").await.is_none());
}
