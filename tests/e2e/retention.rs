//! What nobody needs any more is deleted after a start, and nothing else.

use crate::support::{Notice, Processor, Shop, Stage, eventually, order};
use sea_orm::ConnectionTrait;
use serde_json::json;

async fn execute(shop: &Shop, sql: &str) {
    let connection = shop.database.connect().await;
    connection.execute_unprepared(sql).await.expect("it runs");
    connection.close().await.expect("it closes");
}

async fn becomes(shop: &Shop, sql: &str, count: i64) {
    eventually(sql, || async {
        let rows = shop.database.number(sql).await;
        (rows == count)
            .then_some(())
            .ok_or_else(|| rows.to_string())
    })
    .await;
}

/// A webhook that was last changed so many days ago, with one attempt.
async fn webhook(shop: &Shop, id: &str, status: &str, days: i64) {
    let at = format!("(SELECT started_at - {days} * 86400000 FROM runtime)");
    let row = format!(
        "INSERT INTO deliveries (delivery_id, webhook_id, kind, order_id, order_no, body, status, attempts, due_at, \
         created_at, updated_at) VALUES ('{id}', 'wh-{id}', 'order.paid', 'ord_1', 'o-1', '{{}}', '{status}', 1, 0, \
         {at}, {at})"
    );
    execute(shop, &row).await;
    let attempt =
        format!("INSERT INTO delivery_attempts (delivery_id, n, at) VALUES ('{id}', 1, 0)");
    execute(shop, &attempt).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn old_webhooks_that_are_over_go_and_what_failed_or_is_new_stays() {
    let processor = Processor::start().await;
    let stage = Stage {
        more: "[retention]\ndeliveries = \"10d\"".to_owned(),
        ..Stage::default()
    };
    let mut shop = Shop::open(&processor, stage).await;
    shop.crash();
    webhook(&shop, "dlv_2", "DELIVERED", 20).await;
    webhook(&shop, "dlv_3", "ENDED", 20).await;
    webhook(&shop, "dlv_4", "FAILED", 20).await;
    webhook(&shop, "dlv_5", "DELIVERED", 9).await;
    // More than one write deletes, on both sides of what stays.
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)";
    for id in ["'dlv_1-' || i", "'dlv_6-' || i"] {
        let copies = format!(
            "INSERT INTO deliveries (delivery_id, webhook_id, kind, order_id, order_no, body, status, attempts, \
             due_at, created_at, updated_at) {numbers} SELECT {id}, 'wh-' || {id}, kind, order_id, order_no, body, \
             status, attempts, due_at, created_at, updated_at FROM deliveries CROSS JOIN n WHERE delivery_id = 'dlv_2'"
        );
        execute(&shop, &copies).await;
    }
    shop.start_again().await;
    becomes(&shop, "SELECT COUNT(*) FROM deliveries", 2).await;
    becomes(&shop, "SELECT COUNT(*) FROM delivery_attempts", 2).await;
    let stay = "SELECT COUNT(*) FROM deliveries WHERE delivery_id IN ('dlv_4', 'dlv_5')";
    assert_eq!(shop.database.number(stay).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_orphan_is_forgotten_and_its_number_is_as_any_other() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    for order_no in ["old", "new"] {
        let notice = Notice::paid(&format!("msg-{order_no}"), order_no, &json!({}));
        let answer = shop.tell("sandbox", &processor.secret, &notice).await;
        assert_eq!(answer.status, 404);
    }
    shop.crash();
    // 31 days ago.
    let month =
        "UPDATE orphans SET last_seen_at = last_seen_at - 2678400000 WHERE order_no = 'old'";
    execute(&shop, month).await;
    shop.start_again().await;
    becomes(&shop, "SELECT COUNT(*) FROM orphans", 1).await;
    for (order_no, is_asked) in [("old", false), ("new", true)] {
        let created = shop.create(&order(order_no, "VIP #no-callback")).await;
        let paid = shop.becomes(created.text("order_id"), "PAID").await;
        let history = shop
            .history(paid["order_id"].as_str().expect("an id"))
            .await;
        let submit = history.iter().position(|event| event == "submit");
        let before = &history[..submit.expect("it was sent")];
        let asked = before.iter().any(|event| event == "query_reply");
        assert_eq!(asked, is_asked, "{order_no}: {history:?}");
    }
    // What it was told of by stays: the alert comes once for ever.
    assert_eq!(shop.alerts().await.len(), 2);
}
