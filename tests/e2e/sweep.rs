//! What does not add up in our own tables is found after a start, counted, and queued again.

use crate::support::{Processor, Shop, Stage, VIEWER, eventually, order};
use sea_orm::ConnectionTrait;
use serde_json::json;

async fn execute(shop: &Shop, sql: &str) {
    let connection = shop.database.connect().await;
    connection.execute_unprepared(sql).await.expect("it runs");
    connection.close().await.expect("it closes");
}

/// Waits until the last sweep has found so many.
async fn counted(shop: &Shop, metric: &str, count: i64) {
    let line = format!("oncepay_{metric} {count}");
    eventually(&line, || async {
        let answer = shop.ask("GET", "/metrics", VIEWER, None).await;
        let text = answer.body.as_str().unwrap_or_default().to_owned();
        text.lines().any(|is| is == line).then_some(()).ok_or(text)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paid_order_whose_grant_was_lost_is_counted_and_queued_again() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let mut body = order("s-1", "VIP");
    body["account"] = json!("user-1");
    body["entitlements"] = json!([{"kind": "credits", "quantity": 1000}]);
    assert_eq!(shop.create(&body).await.text("status"), "PAID");
    counted(&shop, "paid_not_fulfilled", 0).await;
    shop.crash();
    // As if the grant had never been queued nor made, an hour ago.
    for sql in [
        "DELETE FROM fulfilments",
        "DELETE FROM ledger_entries",
        "DELETE FROM balances",
        "UPDATE orders SET paid_at = paid_at - 3600000, \
         entitlements = replace(replace(entitlements, 'GRANTED', 'PENDING'), 'true', 'false')",
    ] {
        execute(&shop, sql).await;
    }
    // And a grant of an order that nobody knows.
    execute(
        &shop,
        "INSERT INTO ledger_entries (account, source, kind, entry_id, at, quantity, balance_after, decision_id) \
         VALUES ('user-2', 'order:nobody', 'credits', 'ent_2', 1, 1000, 1000, 'evt_1')",
    )
    .await;
    shop.start_again().await;
    counted(&shop, "paid_not_fulfilled", 1).await;
    counted(&shop, "fulfilled_not_paid", 1).await;
    counted(&shop, "duplicate_entitlement", 0).await;
    let queued = "SELECT COUNT(*) FROM fulfilments WHERE order_no = 's-1' AND kind = 'credits'";
    assert_eq!(shop.database.number(queued).await, 1);
}
