//! `kill -9` at the worst moments of a refund: it goes back once, and the right status stands after the next start.

use crate::support::{Processor, Proxy, Shop, Stage, Wire, eventually, refund, refunds_of};
use serde_json::Value;

fn stage(proxy: &Proxy) -> Stage {
    Stage {
        read_timeout: "60s",
        ..Stage::with_patience()
    }
    .through(proxy)
}

/// Asks for a refund of 400 and does not wait for it.
async fn asked(shop: &Shop, paid: &Value) {
    let headers = [("prefer", "respond-async")];
    let body = refund("r-1", 400);
    let answer = shop
        .ask_with("POST", &refunds_of(paid), &headers, Some(&body))
        .await;
    assert_eq!(
        (answer.status, answer.text("status")),
        (202, "PROCESSING"),
        "{:?}",
        answer.body
    );
}

/// The kinds and authors of what happened to the refund.
async fn story(shop: &Shop, paid: &Value) -> Vec<String> {
    let order_id = paid["order_id"].as_str().expect("an id");
    let events = shop.events(order_id).await;
    let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
    events
        .iter()
        .filter(|event| event["detail"]["refund_no"] == "r-1")
        .map(|event| format!("{} {}", text(event, "kind"), text(event, "by")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_between_commit_and_call_it_is_asked_about_and_sent_again() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let mut shop = Shop::open(&processor, stage(&proxy)).await;
    let paid = shop.paid("rc-1", 1000, "VIP #no-callback").await;
    proxy.set(Wire::HoldsRequests);
    asked(&shop, &paid).await;
    proxy.holds_a_refund(false).await;
    shop.crash();
    proxy.has_lost_a_refund().await;
    assert!(
        processor.refunds("rc-1").await.is_empty(),
        "nothing arrived"
    );
    proxy.set(Wire::Open);
    shop.start_again().await;

    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    processor.refunded_once("rc-1", "r-1", 400).await;
    let calls: Vec<_> = proxy.seen().into_iter().skip(1).collect();
    assert!(calls[0].is_refund() && calls[1].is_query(), "{calls:?}");
    let sends = proxy.refunds();
    assert_eq!(sends.len(), 2);
    assert_eq!(
        sends[0],
        crate::support::Seen {
            lost: true,
            arrived: false,
            answered: false,
            ..sends[1].clone()
        }
    );
    let story = story(&shop, &paid).await;
    assert_eq!(story[0], "refund api:shop", "{story:?}");
    assert!(story[1].ends_with(" startup"), "{story:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_between_call_and_reply_it_is_found_and_not_made_again() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let mut shop = Shop::open(&processor, stage(&proxy)).await;
    let paid = shop.paid("rc-2", 1000, "VIP #no-callback").await;
    proxy.set(Wire::HoldsReplies);
    asked(&shop, &paid).await;
    proxy.holds_a_refund(true).await;
    shop.crash();
    proxy.set(Wire::Open);
    shop.start_again().await;

    // The clerk is nervous and asks again while it is being looked up.
    let again = shop.refund(&paid, "r-1", 400).await;
    assert!([200, 202].contains(&again.status), "{:?}", again.body);
    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    assert_eq!(proxy.refunds().len(), 1);
    processor.refunded_once("rc-2", "r-1", 400).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_send_that_arrives_long_after_the_crash_gives_nothing_back_twice() {
    let processor = Processor::start().await;
    let proxy = Proxy::before(&processor).await;
    let mut shop = Shop::open(&processor, stage(&proxy)).await;
    let paid = shop.paid("rc-3", 1000, "VIP #no-callback").await;
    proxy.set(Wire::DelaysRequests);
    asked(&shop, &paid).await;
    proxy.holds_a_refund(false).await;
    shop.crash_and_start_again().await;
    eventually(
        "the channel knows nothing, so it goes out again",
        || async {
            let sends = proxy.refunds().len();
            (sends == 2).then_some(()).ok_or_else(|| sends.to_string())
        },
    )
    .await;
    proxy.set(Wire::Open);

    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    eventually("both have arrived", || async {
        let calls = processor.calls("rc-3").await;
        (calls.refunds == 2)
            .then_some(())
            .ok_or_else(|| format!("{calls:?}"))
    })
    .await;
    processor.refunded_once("rc-3", "r-1", 400).await;
    let order = shop.get(paid["order_id"].as_str().expect("an id")).await;
    assert_eq!(order["amount_refunded"], 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_waits_for_a_refund_that_is_out() {
    let processor = Processor::start().await;
    let stage = Stage {
        read_timeout: "60s",
        ..Stage::with_patience()
    };
    let mut shop = Shop::open(&processor, stage).await;
    let paid = shop
        .paid("rc-4", 1000, "VIP #no-callback #refund-delay=2s")
        .await;
    asked(&shop, &paid).await;
    assert!(shop.stop().success());
    shop.start_again().await;
    let refund = shop.refund_of(&paid, "r-1").await;
    assert_eq!(refund["status"], "SUCCEEDED", "{refund}");
    let calls = processor.calls("rc-4").await;
    assert_eq!((calls.refunds, calls.refund_queries), (1, 0), "{calls:?}");
}
