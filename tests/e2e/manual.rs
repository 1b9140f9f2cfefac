//! When every query was in vain a person is told, once for each time it comes to that.

use crate::support::{Mailbox, OPERATOR, Processor, Shop, Stage, eventually, order};
use serde_json::json;
use std::time::Duration;

/// Whatever would be mailed again has had its chance: the notifier looks at start and when it is woken.
const QUIET: Duration = Duration::from_millis(700);
const SILENT: &str = "VIP #lost-reply #no-callback #query=unknown";

#[tokio::test(flavor = "multi_thread")]
async fn queries_exhausted_are_one_mail_also_across_three_restarts() {
    let (processor, mailbox) = (Processor::start().await, Mailbox::open().await);
    let stage = Stage::with_a_short_ladder();
    let mut shop = Shop::open_with_mail(&processor, stage, Some(&mailbox)).await;

    let created = shop.create_async(&order("m-1", SILENT)).await;
    let order_id = created.text("order_id");
    let manual = shop.becomes(order_id, "MANUAL").await;
    assert_eq!(manual["reason"], "max_checks");
    assert_eq!(manual["check_count"], 3);
    assert_eq!(manual["next_check_at"], json!(null));
    has_mails(&mailbox, 1).await;
    for _ in 0..3 {
        shop.crash_and_start_again().await;
        assert_eq!(shop.get(order_id).await["status"], "MANUAL");
        tokio::time::sleep(QUIET).await;
    }

    assert_eq!(mailbox.distinct(), 1);
    let alerts = shop.alerts().await;
    assert_eq!(alerts.len(), 1, "{alerts:?}");
    assert_eq!(alerts[0]["kind"], "order_manual");
    assert_eq!(alerts[0]["status"], "open");
    let charge = processor.charged_once("m-1").await;
    assert_eq!((charge.submits, charge.queries), (1, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_episode_after_a_review_mails_again() {
    let (processor, mailbox) = (Processor::start().await, Mailbox::open().await);
    let stage = Stage::with_a_short_ladder();
    let shop = Shop::open_with_mail(&processor, stage, Some(&mailbox)).await;
    let created = shop.create_async(&order("m-2", SILENT)).await;
    let order_id = created.text("order_id");
    let manual = shop.becomes(order_id, "MANUAL").await;
    has_mails(&mailbox, 1).await;

    let resubmit = json!({"decision": "RESUBMIT", "basis": "the channel says try again",
        "expected_version": manual["version"]});
    let answer = shop.review(order_id, OPERATOR, &resubmit).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    let again = eventually("it is MANUAL again", || async {
        let order = shop.get(order_id).await;
        let again = order["status"] == "MANUAL" && order["version"] != manual["version"];
        again
            .then_some(order.clone())
            .ok_or_else(|| order.to_string())
    })
    .await;

    assert_eq!(again["reason"], "max_checks");
    has_mails(&mailbox, 2).await;
    let statuses: Vec<_> = shop
        .alerts()
        .await
        .iter()
        .map(|alert| alert["status"].clone())
        .collect();
    assert_eq!(statuses, ["open", "resolved"], "newest first");
    processor.charged_once("m-2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn proof_that_comes_after_all_queries_pays_the_order_and_resolves_the_alert() {
    let (processor, mailbox) = (Processor::start().await, Mailbox::open().await);
    let stage = Stage::with_a_short_ladder();
    let shop = Shop::open_with_mail(&processor, stage, Some(&mailbox)).await;
    let created = shop.create_async(&order("m-3", SILENT)).await;
    let order_id = created.text("order_id");
    shop.becomes(order_id, "MANUAL").await;
    has_mails(&mailbox, 1).await;

    let key = created.text("idempotency_key");
    processor
        .control(json!({"notify": {"key": key, "copies": 3}}))
        .await;
    shop.becomes(order_id, "PAID").await;

    let alert = shop
        .alerts()
        .await
        .into_iter()
        .find(|alert| alert["kind"] == "order_manual")
        .expect("the alert is kept");
    assert_eq!(alert["status"], "resolved");
    assert!(alert["resolved_at"].is_string());
    let settled = shop.history(order_id).await;
    let callbacks = settled.iter().filter(|kind| *kind == "callback").count();
    assert_eq!(callbacks, 1, "{settled:?}");
}

async fn has_mails(mailbox: &Mailbox, count: usize) {
    eventually("the mail arrives", || async {
        let distinct = mailbox.distinct();
        let mails = || format!("{:?}", mailbox.mails());
        (distinct == count).then_some(()).ok_or_else(mails)
    })
    .await;
}
