//! The same notice again: seconds, restarts and months later.

use crate::support::{Processor, Shop, Stage, alerts_of, order, said, signed_at};
use oncepay::clock::SystemClock;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_repeated_before_and_after_a_restart_is_acknowledged_and_changes_nothing() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let paid = shop.create(&order("again", "VIP #no-callback")).await;
    let order_id = paid.text("order_id").to_owned();
    let trade_no = paid.text("channel_trade_no").to_owned();
    let notice = said("again", &trade_no, "PAID");
    let history = shop.history(&order_id).await;
    let version = paid.body["version"].clone();

    for _ in 0..3 {
        let answer = shop.hear(&processor, "n-1", &notice).await;
        assert_eq!((answer.status, &answer.body), (200, &json!("success")));
    }
    shop.crash_and_start_again().await;
    for id in ["n-1", "n-1", "n-of-the-close-three-months-later"] {
        let answer = shop.hear(&processor, id, &notice).await;
        assert_eq!((answer.status, &answer.body), (200, &json!("success")));
    }

    let order = shop.get(&order_id).await;
    assert_eq!(order["callback_count"], 6);
    assert_eq!(
        (&order["status"], &order["version"]),
        (&json!("PAID"), &version)
    );
    assert_eq!(shop.history(&order_id).await, history);
    assert_eq!(alerts_of(&shop, &order_id).await, [""; 0]);
    let seen = "SELECT seen_count FROM callbacks WHERE callback_key LIKE 'n-1%'";
    assert_eq!(shop.database.number(seen).await, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_notice_does_not_use_up_the_id_of_the_paid_one() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let created = shop
        .create(&order("waits", "VIP #pending #no-callback"))
        .await;
    assert_eq!(
        (created.status, created.text("status")),
        (202, "PENDING"),
        "{:?}",
        created.body
    );
    assert_eq!(created.body["next_action"]["kind"], "qr_code");
    let order_id = created.text("order_id").to_owned();

    for status in ["PENDING", "PAID", "PENDING", "PAID"] {
        let notice = said("waits", "T-waits", status);
        let answer = shop.hear(&processor, "one-id", &notice).await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
    }

    let order = shop.get(&order_id).await;
    assert_eq!(order["status"], "PAID");
    assert_eq!(order["next_action"], json!(null));
    assert_eq!(order["callback_count"], 4);
    let history = shop.history(&order_id).await;
    let heard = history.iter().filter(|kind| *kind == "callback").count();
    assert_eq!(heard, 1, "{history:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_a_crash_right_after_it() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let created = shop
        .create(&order("kept", "VIP #pending #no-callback"))
        .await;
    let notice = said("kept", "T-kept", "PAID");

    assert_eq!(shop.hear(&processor, "n-1", &notice).await.status, 200);
    shop.crash_and_start_again().await;

    let order = shop.get(created.text("order_id")).await;
    assert_eq!(order["status"], "PAID");
    assert_eq!(order["channel_trade_no"], "T-kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_that_was_signed_years_ago_or_ahead_is_rejected_and_leaves_no_row() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let created = shop
        .create(&order("old", "VIP #pending #no-callback"))
        .await;
    let body = said("old", "T-old", "PAID").to_string().into_bytes();
    let now = SystemClock::start().wall();
    let year_ms = 365 * 86_400_000;

    for at in [
        now.plus(-3 * year_ms),
        now.plus(-400_000),
        now.plus(400_000),
    ] {
        let headers = signed_at(&processor.secret, "n-1", &body, at);
        let answer = shop.notify("sandbox", &headers, body.clone()).await;
        assert_eq!(
            (answer.status, answer.text("code")),
            (401, "callback-rejected"),
            "{:?}",
            answer.body
        );
    }

    let order = shop.get(created.text("order_id")).await;
    assert_eq!(
        (&order["status"], &order["callback_count"]),
        (&json!("PENDING"), &json!(0))
    );
    let rows = "SELECT COUNT(*) FROM callbacks";
    assert_eq!(shop.database.number(rows).await, 0);
}
