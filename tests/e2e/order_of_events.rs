//! News in the wrong order: a stale *no* after a *yes*, a stale *pending* after *paid*.

use crate::support::{Processor, Shop, Stage, alerts_of, order, said};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_notice_of_an_old_attempt_does_not_overturn_a_success() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let paid = shop.create(&order("stays", "VIP #no-callback")).await;
    let order_id = paid.text("order_id").to_owned();
    let trade_no = paid.text("channel_trade_no").to_owned();

    for (id, trade, status) in [
        ("old-1", "T-of-attempt-1", "DECLINED"),
        ("old-1", "T-of-attempt-1", "DECLINED"),
        ("old-2", "T-of-another-session", "DECLINED"),
        ("new", trade_no.as_str(), "PAID"),
    ] {
        let answer = shop
            .hear(&processor, id, &said("stays", trade, status))
            .await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
    }

    let order = shop.get(&order_id).await;
    assert_eq!(order["status"], "PAID");
    assert_eq!(order["channel_trade_no"], json!(trade_no));
    assert_eq!(order["version"], paid.body["version"]);
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["contradiction info open"]
    );
    let events = shop.events(&order_id).await;
    let ignored = events.iter().filter(|event| event["kind"] == "callback");
    for event in ignored {
        assert_eq!(
            (&event["from"], &event["to"]),
            (&json!("PAID"), &json!("PAID"))
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_pending_reply_does_not_write_over_a_callback_s_payment() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order(
        "stale",
        "VIP #pending #delay=2s #no-callback #query=timeout",
    );
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();

    let heard = shop
        .hear(&processor, "n-1", &said("stale", "T-stale", "PAID"))
        .await;
    assert_eq!(heard.status, 200, "{:?}", heard.body);
    assert_eq!(shop.get(&order_id).await["status"], "PAID");

    shop.happens("submit_reply", &order_id).await;
    let order = shop.get(&order_id).await;
    assert_eq!(
        (&order["status"], &order["next_action"]),
        (&json!("PAID"), &json!(null))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decline_in_a_callback_while_the_submit_is_out_waits_for_the_submit_s_own_word() {
    let processor = Processor::start().await;
    let stage = Stage {
        submit_timeout: "1400ms",
        ui_deadline: "10s",
        read_timeout: "30s",
        schedule: r#"["10s", "30s"]"#,
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let body = order("hasty", "VIP #delay=3s #no-callback");
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();

    let heard = shop
        .hear(&processor, "n-1", &said("hasty", "T-hasty", "DECLINED"))
        .await;

    assert_eq!(heard.status, 200);
    assert_ne!(shop.get(&order_id).await["status"], "FAILED");
    shop.becomes(&order_id, "PAID").await;
    processor.charged_once("hasty").await;
}
