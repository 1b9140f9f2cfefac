//! A channel that does not answer: new orders are refused, what is open is asked about, and one submit is the try.

use crate::support::{Processor, Shop, Stage, VIEWER, eventually, order};
use serde_json::Value;

async fn circuit_of(shop: &Shop) -> String {
    let metrics = shop.ask("GET", "/metrics", VIEWER, None).await;
    let text = metrics.body.as_str().unwrap_or_default().to_owned();
    let line = "oncepay_channel_circuit{channel=\"sandbox\"} ";
    let level = text.lines().find_map(|found| found.strip_prefix(line));
    level.unwrap_or("none").to_owned()
}

async fn told(shop: &Shop) -> Vec<Value> {
    let mut alerts = shop.alerts().await;
    alerts.retain(|alert| alert["kind"] == "channel_down");
    alerts
}

/// Waits until ops are told that the channel is down.
async fn is_down(shop: &Shop) -> Value {
    eventually("the channel counts as down", || async {
        told(shop).await.pop().ok_or_else(|| "no alert".to_owned())
    })
    .await
}

async fn is_up_again(shop: &Shop) {
    eventually("the alert is resolved", || async {
        let alerts = told(shop).await;
        let open = alerts.iter().find(|alert| alert["status"] != "resolved");
        open.map_or(Ok(()), |open| Err(open.to_string()))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_a_channel_is_silent_nothing_new_is_written_and_what_is_open_is_asked_about() {
    let processor = Processor::start().await;
    let stage = Stage {
        circuit: "{ failures = 3, pause = \"10m\" }",
        ..Stage::default()
    };
    let mut shop = Shop::open(&processor, stage).await;
    let charged = order("charged-1", "VIP #lost-reply #no-callback #query=timeout:1");
    let first = shop.create_async(&charged).await;
    let other = order("charged-2", "VIP #lost-reply #no-callback #query=timeout:1");
    let second = shop.create_async(&other).await;
    let lost = shop
        .create_async(&order("lost", "VIP #lost-request=1"))
        .await;
    let alert = is_down(&shop).await;
    assert_eq!(
        (&alert["severity"], &alert["status"], &alert["channel"]),
        (&"action".into(), &"open".into(), &"sandbox".into()),
    );
    assert_eq!(circuit_of(&shop).await, "1");

    let refused = shop.create(&order("refused", "VIP")).await;
    assert_eq!(
        (refused.status, refused.text("code")),
        (503, "channel-unavailable")
    );
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=600).contains(&wait), "{wait}");
    assert!(shop.find("refused").await.is_none(), "nothing was written");
    assert_eq!(processor.calls("refused").await.submits, 0);

    let again = shop.create_async(&charged).await;
    assert_eq!(again.text("order_id"), first.text("order_id"), "it exists");
    for paid in [first, second] {
        shop.becomes(paid.text("order_id"), "PAID").await;
    }
    let order_id = lost.text("order_id");
    eventually("the second submit is held back", || async {
        let events = shop.events(order_id).await;
        let summaries = events
            .iter()
            .map(|event| event["detail"]["summary"].to_string());
        let held = summaries.into_iter().any(|it| it.contains("held back"));
        held.then_some(()).ok_or_else(|| format!("{events:?}"))
    })
    .await;
    assert_eq!(processor.calls("lost").await.submits, 1, "no call was made");
    assert_eq!(told(&shop).await.len(), 1);

    shop.crash_and_start_again().await;
    let fresh = shop.create(&order("fresh", "VIP")).await;
    assert_eq!(
        fresh.text("status"),
        "PAID",
        "a new run finds out by itself"
    );
    is_up_again(&shop).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_pause_one_submit_is_the_try_and_its_answer_opens_the_door() {
    let mut processor = Processor::start().await;
    let stage = Stage {
        circuit: "{ failures = 2, pause = \"700ms\" }",
        schedule: r#"["4s", "10s", "10s"]"#,
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    processor.running.kill();
    for n in 0..2 {
        let silent = shop
            .create_async(&order(&format!("silent-{n}"), "VIP"))
            .await;
        shop.becomes(silent.text("order_id"), "UNKNOWN").await;
    }
    is_down(&shop).await;
    eventually("a try goes out in vain", || async {
        let tried = shop.create_async(&order("tried", "VIP")).await;
        (tried.status == 202)
            .then_some(())
            .ok_or_else(|| tried.body.to_string())
    })
    .await;
    eventually("it is held back again", || async {
        let level = circuit_of(&shop).await;
        (level == "1").then_some(()).ok_or(level)
    })
    .await;
    assert_eq!(told(&shop).await.len(), 1, "it is the same episode");

    processor.restart().await;
    eventually("the next try is answered", || async {
        let paid = shop.create(&order("paid", "VIP")).await;
        (paid.text("status") == "PAID")
            .then_some(())
            .ok_or_else(|| paid.body.to_string())
    })
    .await;
    is_up_again(&shop).await;
    assert_eq!(circuit_of(&shop).await, "0");
    assert_eq!(told(&shop).await.len(), 1);
}
