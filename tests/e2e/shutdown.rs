//! SIGTERM: no new work, what is in work is finished, and then an orderly end.

use crate::support::{Processor, Proxy, Shop, Stage, Wire, eventually, order};
use std::time::Duration;

/// A create that waits for its result.
fn asks(shop: &Shop, order_no: &str) -> reqwest::RequestBuilder {
    shop.client
        .post(shop.url("/v1/orders"))
        .bearer_auth(crate::support::MERCHANT)
        .header("content-type", "application/json")
        .body(order(order_no, "VIP #no-callback").to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_work_is_answered_and_nothing_new_is_taken() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let stage = Stage::with_patience().through(&proxy);
    let mut shop = Shop::open(&processor, stage).await;
    proxy.set(Wire::HoldsReplies);
    let waiting = tokio::spawn(asks(&shop, "s-1").send());
    proxy.holds_a_submit(true).await;

    shop.running.signal("TERM");
    eventually("it is stopping", || async {
        let log = shop.running.log();
        log.contains("asked to stop").then_some(()).ok_or(log)
    })
    .await;
    let refused = asks(&shop, "s-2").send().await;
    if let Ok(answer) = refused {
        assert_eq!(answer.status(), 503);
        assert!(answer.headers().contains_key("retry-after"));
    }
    proxy.set(Wire::Open);

    let answer = waiting.await.expect("no panic").expect("it is answered");
    assert_eq!(answer.status(), 200);
    assert_eq!(shop.running.ended(Duration::from_secs(20)).code(), Some(0));
    assert_eq!(proxy.queries(), 0, "the reply itself was committed");
    let orders = "SELECT COUNT(*) FROM orders WHERE status = 'PAID'";
    assert_eq!(shop.database.number(orders).await, 1);
    let refused = "SELECT COUNT(*) FROM orders WHERE order_no = 's-2'";
    assert_eq!(shop.database.number(refused).await, 0);
    processor.charged_once("s-1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_does_not_return_holds_up_the_end_for_ten_seconds_at_most() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let stage = Stage::with_patience().through(&proxy);
    let mut shop = Shop::open(&processor, stage).await;
    proxy.set(Wire::HoldsReplies);
    let created = shop.create_async(&order("s-3", "VIP #no-callback")).await;
    proxy.holds_a_submit(true).await;

    assert_eq!(shop.stop().code(), Some(0));
    proxy.set(Wire::Open);
    shop.start_again().await;

    shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(processor.charged_once("s-3").await.submits, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_a_result_that_does_not_come_in_time_is_told_that_it_is_open() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let stage = Stage::with_patience().through(&proxy);
    let mut shop = Shop::open(&processor, stage).await;
    proxy.set(Wire::HoldsReplies);
    let waiting = tokio::spawn(asks(&shop, "s-5").send());
    proxy.holds_a_submit(true).await;

    shop.running.signal("TERM");
    let answer = waiting.await.expect("no panic").expect("it is answered");
    assert_eq!(answer.status(), 202);
    let told = answer.text().await.expect("a body");
    assert!(told.contains("do not pay again"), "{told}");
    assert_eq!(shop.running.ended(Duration::from_secs(20)).code(), Some(0));
    processor.charged_once("s-5").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_it_at_once() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let stage = Stage::with_patience().through(&proxy);
    let mut shop = Shop::open(&processor, stage).await;
    proxy.set(Wire::HoldsReplies);
    let created = shop.create_async(&order("s-4", "VIP #no-callback")).await;
    proxy.holds_a_submit(true).await;

    shop.running.signal("TERM");
    eventually("it is stopping", || async {
        let log = shop.running.log();
        log.contains("asked to stop").then_some(()).ok_or(log)
    })
    .await;
    shop.running.signal("TERM");
    shop.running.ended(Duration::from_secs(20));
    let log = shop.running.log();
    assert!(log.contains("ending at once"), "{log}");
    assert!(!log.contains("closing"), "it has not drained: {log}");
    proxy.set(Wire::Open);
    shop.start_again().await;

    shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(processor.charged_once("s-4").await.submits, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_still_waits_when_it_stops_is_answered_that_the_result_is_open() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let stage = Stage {
        ui_deadline: "40s",
        read_timeout: "60s",
        schedule: r#"["30s", "60s"]"#,
        ..Stage::with_patience()
    };
    let mut shop = Shop::open(&processor, stage.through(&proxy)).await;
    proxy.set(Wire::HoldsReplies);
    let request = shop
        .client
        .post(shop.url("/v1/orders"))
        .bearer_auth(crate::support::MERCHANT)
        .header("content-type", "application/json")
        .body(order("s-5", "VIP #no-callback").to_string());
    let waiting = tokio::spawn(request.send());
    proxy.holds_a_submit(true).await;

    assert_eq!(shop.stop().code(), Some(0));

    let answer = waiting.await.expect("no panic").expect("it is answered");
    assert_eq!(answer.status(), 202);
    let text = answer.text().await.expect("it is whole");
    assert!(text.contains("do not pay again"), "{text}");
}
