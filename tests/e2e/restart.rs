//! What a start finds: interrupted submits, checks that came due, orders that expired, and many of them.

use crate::support::{Processor, Shop, Stage, eventually, order};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;

/// It says nothing of its own expiry.
const QUERIES_LIE: &str = "VIP #pending #no-callback #query=not-found";

#[tokio::test(flavor = "multi_thread")]
async fn a_check_that_came_due_while_down_runs_once() {
    let processor = Processor::start().await;
    let stage = Stage {
        schedule: r#"["2s", "90s", "300s"]"#,
        ..Stage::default()
    };
    let mut shop = Shop::open(&processor, stage).await;
    let body = order("r-1", "VIP #lost-reply #no-callback #query=unknown");
    let created = shop.create_async(&body).await;
    let order_id = created.text("order_id");
    let unknown = shop.becomes(order_id, "UNKNOWN").await;
    assert_eq!(unknown["reason"], "channel_unavailable");
    shop.crash();
    tokio::time::sleep(Duration::from_secs(3)).await;
    shop.start_again().await;

    let after = has_checked(&shop, order_id, 1).await;
    assert_eq!(after["status"], "UNKNOWN");
    shop.crash_and_start_again().await;
    // A query that somebody asks for comes after whatever was due at start.
    let answer = shop
        .ask(
            "POST",
            &format!("/v1/orders/{order_id}/query"),
            crate::support::OPERATOR,
            None,
        )
        .await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);

    let charge = processor.charged_once("r-1").await;
    assert_eq!(charge.queries, 2, "the check, once, and what was asked for");
    assert_eq!(charge.submits, 1);
    let order = shop.get(order_id).await;
    assert_eq!(order["check_count"], 1, "the second rung is still to come");
    assert_eq!(order["next_check_at"], after["next_check_at"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn down_from_before_the_first_check_to_after_the_last_the_payment_is_found_at_once() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::with_a_short_ladder()).await;
    let body = order("r-2", "VIP #lost-reply #no-callback");
    let created = shop.create_async(&body).await;
    let there = &processor;
    eventually("the charge is made", || async move {
        let charge = there.charge("r-2").await;
        charge.ok_or("nothing is there".to_owned())
    })
    .await;
    shop.crash();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    shop.start_again().await;

    shop.becomes(created.text("order_id"), "PAID").await;
    let charge = processor.charged_once("r-2").await;
    assert_eq!((charge.submits, charge.queries), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_expired_while_down_is_closed_at_the_channel_after_the_callbacks_grace() {
    let processor = Processor::start().await;
    let stage = Stage {
        startup_grace: "2s",
        pending_schedule: r#"["60s"]"#,
        ..Stage::default()
    };
    let mut shop = Shop::open(&processor, stage).await;
    let created = shop.create(&expiring("r-3", QUERIES_LIE, 1)).await;
    assert_eq!(created.text("status"), "PENDING", "{:?}", created.body);
    shop.crash();
    tokio::time::sleep(Duration::from_millis(1500)).await;
    shop.start_again().await;

    let closed = shop.becomes(created.text("order_id"), "CLOSED").await;
    assert_eq!(closed["reason"], "expired");
    let charge = processor.charge("r-3").await.expect("it is known");
    assert_eq!(charge.charged_times, 0);
    assert_eq!(charge.status, "CLOSED");
    let id = created.text("order_id");
    let grace = format!(
        "SELECT MIN(e.at) - r.started_at FROM order_events e, runtime r \
         WHERE e.order_id = '{id}' AND e.kind = 'expiry' GROUP BY r.started_at"
    );
    let waited_ms = shop.database.number(&grace).await;
    // Counted from the process's start, a little before the row that says so.
    assert!(
        waited_ms >= 1000,
        "callbacks had their grace: {waited_ms} ms"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_was_paid_and_expired_while_down_is_paid() {
    let processor = Processor::start().await;
    let stage = Stage {
        startup_grace: "2s",
        pending_schedule: r#"["60s"]"#,
        ..Stage::default()
    };
    let mut shop = Shop::open(&processor, stage).await;
    let created = shop.create(&expiring("r-4", "VIP #pending", 4)).await;
    assert_eq!(created.text("status"), "PENDING", "{:?}", created.body);
    shop.crash();
    let key = created.text("idempotency_key");
    processor.control(json!({"pay": key})).await;
    tokio::time::sleep(Duration::from_millis(4500)).await;
    shop.start_again().await;

    shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(processor.charged_once("r-4").await.closes, 0);
    assert!(shop.alerts().await.is_empty(), "nothing was late");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_unknown_orders_are_spread_over_the_start() {
    let processor = Processor::start().await;
    let stage = Stage {
        schedule: r#"["5s", "90s", "300s"]"#,
        ..Stage::default()
    };
    let stage = stage.with("ONCEPAY_CHECKS__STARTUP_SPREAD", "4s");
    let mut shop = Shop::open(&processor, stage).await;
    let subject = "VIP #lost-reply #no-callback #query=unknown";
    let created = join_all((0..200).map(|n| {
        let body = order(&format!("r-5-{n}"), subject);
        let shop = &shop;
        async move { shop.create_async(&body).await }
    }))
    .await;
    assert!(created.iter().all(|answer| answer.status == 202));
    let unknown = "SELECT COUNT(*) FROM orders WHERE status = 'UNKNOWN' AND check_count = 0";
    has_number(&shop, unknown, 200).await;
    shop.crash();
    tokio::time::sleep(Duration::from_secs(5)).await;
    shop.start_again().await;

    let asked = "SELECT COUNT(*) FROM order_events WHERE kind IN ('query_reply')";
    has_number(&shop, asked, 200).await;
    let charges = processor.charges().await;
    assert!(
        charges
            .iter()
            .all(|charge| charge.queries == 1 && charge.submits == 1)
    );
    let first_asks = "SELECT MAX(at) - MIN(at) FROM order_events \
                      WHERE kind IN ('recovered', 'query') AND actor = 'startup'";
    let spread_ms = shop.database.number(first_asks).await;
    assert!(spread_ms > 2000, "asked within {spread_ms} ms");
}

#[tokio::test(flavor = "multi_thread")]
async fn timers_that_are_still_to_come_survive() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let pending = shop
        .create(&order("r-6", "VIP #pending #no-callback"))
        .await;
    let unknown = shop
        .create_async(&order("r-7", "VIP #lost-reply #no-callback"))
        .await;
    let key = pending.text("idempotency_key");
    assert_eq!(shop.stop().code(), Some(0));
    processor.control(json!({"pay": key})).await;
    shop.start_again().await;

    shop.becomes(pending.text("order_id"), "PAID").await;
    shop.becomes(unknown.text("order_id"), "PAID").await;
    processor.charged_once("r-6").await;
    processor.charged_once("r-7").await;
}

fn expiring(order_no: &str, subject: &str, seconds: u32) -> Value {
    let mut body = order(order_no, subject);
    body["expires_in"] = json!(seconds);
    body
}

async fn has_number(shop: &Shop, sql: &str, number: i64) {
    eventually(sql, || async {
        let found = shop.database.number(sql).await;
        (found == number)
            .then_some(())
            .ok_or_else(|| found.to_string())
    })
    .await;
}

async fn has_checked(shop: &Shop, order_id: &str, times: u64) -> Value {
    eventually("it was checked", || async {
        let order = shop.get(order_id).await;
        let history = shop.history(order_id).await;
        let answered = history.iter().any(|kind| kind == "query_reply");
        let so = order["check_count"] == times && answered;
        so.then_some(order.clone()).ok_or_else(|| order.to_string())
    })
    .await
}
