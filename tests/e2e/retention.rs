//! What nobody needs any more is deleted after a start, and nothing else.

use super::fulfilment::{ledger, with_credits};
use crate::support::{Notice, Processor, Shop, Stage, eventually, order};
use sea_orm::ConnectionTrait;
use serde_json::json;

async fn execute(shop: &Shop, sql: &str) {
    let connection = shop.database.connect().await;
    connection.execute_unprepared(sql).await.expect("it runs");
    connection.close().await.expect("it closes");
}

pub(crate) async fn becomes(shop: &Shop, sql: &str, count: i64) {
    eventually(sql, || async {
        let rows = shop.database.number(sql).await;
        (rows == count)
            .then_some(())
            .ok_or_else(|| rows.to_string())
    })
    .await;
}

/// A webhook that was last changed so many days ago, with one attempt.
pub(crate) async fn webhook(shop: &Shop, id: &str, status: &str, days: i64) {
    let at = format!("(SELECT started_at - {days} * CAST(86400000 AS BIGINT) FROM runtime)");
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

/// While the server is down: every callback on record is three years old, and so is an orphan, by which it is seen that
/// what is old is deleted.
pub(crate) async fn three_years_pass(shop: &Shop) {
    let years_ms: i64 = 3 * 365 * 86_400_000;
    let age = format!(
        "UPDATE callbacks SET first_seen_at = first_seen_at - {years_ms}, last_seen_at = last_seen_at - {years_ms}"
    );
    execute(shop, &age).await;
    let orphan = "INSERT INTO orphans (channel, callback_key, status, order_no, digest, seen_count, first_seen_at, \
                  last_seen_at) VALUES ('sandbox', 'marker', 'PAID', 'marker', '', 1, 1, 1)";
    execute(shop, orphan).await;
}

pub(crate) async fn has_run(shop: &Shop) {
    becomes(shop, "SELECT COUNT(*) FROM orphans", 0).await;
}

/// The one callback on record.
pub(crate) async fn is_kept_once_and_seen_twice(shop: &Shop) {
    let rows = shop.database.number("SELECT COUNT(*) FROM callbacks").await;
    assert_eq!(rows, 1);
    let seen = "SELECT seen_count FROM callbacks";
    assert_eq!(shop.database.number(seen).await, 2);
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

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_of_three_years_ago_is_still_known_when_it_comes_again() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let created = shop
        .create(&with_credits("aged", "VIP #pending #no-callback"))
        .await;
    let order_id = created.text("order_id").to_owned();
    let notice = Notice::paid("msg-aged", "aged", &json!({}));
    let answer = shop.tell("sandbox", &processor.secret, &notice).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    // What retention deletes last: once this is gone, it has been everywhere.
    let nobodys = Notice::paid("msg-nobody", "nobody", &json!({}));
    let answer = shop.tell("sandbox", &processor.secret, &nobodys).await;
    assert_eq!(answer.status, 404, "{:?}", answer.body);
    let paid = shop.becomes(&order_id, "PAID").await;
    let (history, alerts) = (shop.history(&order_id).await, shop.alerts().await);

    shop.crash();
    webhook(&shop, "dlv_old", "DELIVERED", 3 * 365).await;
    for (table, column) in [
        ("callbacks", "first_seen_at"),
        ("callbacks", "last_seen_at"),
        ("orphans", "last_seen_at"),
    ] {
        // Three years of 365 days.
        execute(
            &shop,
            &format!("UPDATE {table} SET {column} = {column} - 94608000000"),
        )
        .await;
    }
    shop.start_again().await;
    for table in ["deliveries", "orphans"] {
        becomes(&shop, &format!("SELECT COUNT(*) FROM {table}"), 0).await;
    }

    // Nothing that is in memory alone remembers it.
    shop.crash_and_start_again().await;
    let again = Notice::paid("msg-aged", "aged", &json!({}));
    let answer = shop.tell("sandbox", &processor.secret, &again).await;
    assert_eq!((answer.status, &answer.body), (200, &json!("success")));

    let order = shop.get(&order_id).await;
    assert_eq!(
        (
            &order["status"],
            &order["version"],
            &order["callback_count"]
        ),
        (&json!("PAID"), &paid["version"], &json!(2))
    );
    assert_eq!(shop.history(&order_id).await, history);
    assert_eq!(shop.alerts().await, alerts, "nobody is told of anything");
    assert_eq!(ledger(&shop).await, (1, 1000));
    for (sql, count) in [
        ("SELECT COUNT(*) FROM callbacks", 1),
        ("SELECT seen_count FROM callbacks", 2),
        ("SELECT COUNT(*) FROM payments", 1),
    ] {
        assert_eq!(shop.database.number(sql).await, count, "{sql}");
    }
}
