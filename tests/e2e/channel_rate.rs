//! A channel takes only so many calls: they wait for their turn, also all those that are due after a restart.

use crate::support::{Processor, Shop, Stage, eventually, order};
use std::time::{Duration, Instant};

fn stage(rate: &str) -> Stage {
    Stage {
        channel: format!("rate = \"{rate}\""),
        ..Stage::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn twelve_orders_at_once_reach_the_channel_at_its_pace() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, stage("5/s")).await;
    let bodies: Vec<_> = (0..12).map(|n| order(&format!("o-{n}"), "VIP")).collect();
    let started = Instant::now();
    let creates = bodies.iter().map(|body| shop.create(body));
    let answers = futures_util::future::join_all(creates).await;
    for answer in &answers {
        shop.becomes(answer.text("order_id"), "PAID").await;
    }
    // Five at once, then one each 200 ms.
    assert!(started.elapsed() >= Duration::from_millis(1_300));
    for body in bodies {
        let order_no = body["order_no"].as_str().unwrap();
        assert_eq!(processor.charged_once(order_no).await.submits, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_finds_no_turn_was_not_made() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, stage("1/h")).await;
    let first = shop.create(&order("first", "VIP")).await;
    assert_eq!(first.text("status"), "PAID");
    let second = shop.create_async(&order("second", "VIP")).await;
    let order_id = second.text("order_id");
    let seen = eventually("it is known that it was not sent", || async {
        let seen = shop.get(order_id).await;
        let known = seen["last_error"].as_str().unwrap_or_default();
        known
            .contains("no turn")
            .then(|| seen.clone())
            .ok_or_else(|| seen.to_string())
    })
    .await;
    assert_ne!(seen["status"], "FAILED");
    let calls = processor.calls("second").await;
    assert_eq!((calls.submits, calls.queries), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn all_that_is_due_after_a_restart_asks_in_its_turn_and_is_settled() {
    const ORDERS: usize = 60;
    let processor = Processor::start().await;
    let stage = Stage {
        ui_deadline: "4s",
        read_timeout: "20s",
        not_found_grace: "300ms",
        schedule: r#"["3s", "30s", "60s"]"#,
        channel: "rate = \"off\"".to_owned(),
        ..Stage::default()
    };
    let mut shop = Shop::open(&processor, stage).await;
    let bodies: Vec<_> = (0..ORDERS)
        .map(|n| order(&format!("due-{n}"), "VIP #lost-reply #no-callback"))
        .collect();
    let creates = bodies.iter().map(|body| shop.create_async(body));
    futures_util::future::join_all(creates).await;
    let unknown = "SELECT COUNT(*) FROM orders WHERE status = 'UNKNOWN'";
    eventually("all replies are lost", || async {
        let count = shop.database.number(unknown).await;
        (count == 60).then_some(()).ok_or_else(|| count.to_string())
    })
    .await;
    shop.crash();
    tokio::time::sleep(Duration::from_secs(4)).await;
    shop.reconfigure(|text| text.replace("rate = \"off\"", "rate = \"20/s\""));
    let started = Instant::now();
    shop.start_again().await;
    let paid = "SELECT COUNT(*) FROM orders WHERE status = 'PAID'";
    eventually("all are settled", || async {
        let count = shop.database.number(paid).await;
        (count == 60).then_some(()).ok_or_else(|| count.to_string())
    })
    .await;
    // Twenty at once, then one each 50 ms.
    assert!(started.elapsed() >= Duration::from_millis(1_900));
    for body in bodies {
        let calls = processor.calls(body["order_no"].as_str().unwrap()).await;
        assert_eq!((calls.submits, calls.queries), (1, 1), "{calls:?}");
    }
}
