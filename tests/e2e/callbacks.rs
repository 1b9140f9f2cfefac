//! Callbacks: many copies, two payments, statuses that nobody has heard of, orders that nobody knows.

use crate::support::{OPERATOR, Processor, Shop, Stage, alerts_of, eventually, order, said};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn fifty_copies_that_race_a_query_and_a_late_reply_pay_the_order_once() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("fifty", "VIP #delay=1s #callback-delay=1s #callbacks=50");
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();

    shop.becomes(&order_id, "UNKNOWN").await;
    let query = format!("/v1/orders/{order_id}/query");
    let asked = shop.ask("POST", &query, OPERATOR, None).await;
    assert_eq!(asked.status, 200, "{:?}", asked.body);
    shop.becomes(&order_id, "PAID").await;

    eventually("all fifty are counted", || async {
        let order = shop.get(&order_id).await;
        if order["callback_count"] == 50 {
            Ok(())
        } else {
            Err(order.to_string())
        }
    })
    .await;
    shop.happens("submit_reply", &order_id).await;
    let events = shop.events(&order_id).await;
    let moves = events
        .iter()
        .filter(|event| event["to"] == "PAID" && event["from"] != "PAID");
    assert_eq!(moves.count(), 1, "{events:#?}");
    let callbacks = events.iter().filter(|event| event["kind"] == "callback");
    assert!(callbacks.count() <= 1, "{events:#?}");
    for (at, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], at + 1);
    }
    assert_eq!(processor.charged_once("fifty").await.submits, 1);
    let kept = "SELECT COUNT(*) FROM callbacks";
    assert_eq!(shop.database.number(kept).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payer_who_pays_twice_is_served_once_and_the_second_trade_is_kept() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;

    let paid = shop.create(&order("twice", "VIP #pay-twice")).await;

    let order_id = paid.text("order_id").to_owned();
    eventually("ops know of the second payment", || async {
        match alerts_of(&shop, &order_id).await {
            told if told == ["second_payment action open"] => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
    processor.notify("twice", 3).await;
    eventually("the repeats are counted", || async {
        let count = shop.get(&order_id).await["callback_count"].clone();
        (count == 5).then_some(()).ok_or_else(|| count.to_string())
    })
    .await;
    let order = shop.get(&order_id).await;
    assert_eq!(order["status"], "PAID");
    assert_eq!(order["channel_trade_no"], paid.body["channel_trade_no"]);
    let events = shop.events(&order_id).await;
    let moves = events
        .iter()
        .filter(|event| event["to"] == "PAID" && event["from"] != "PAID");
    assert_eq!(moves.count(), 1);
    assert_eq!(alerts_of(&shop, &order_id).await.len(), 1);
    let trades = "SELECT COUNT(*) FROM payments";
    assert_eq!(shop.database.number(trades).await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_that_nobody_has_heard_of_stops_the_order_and_proof_pays_it_later() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;

    let answer = shop
        .create(&order("frozen", "VIP #status=FROZEN #no-callback"))
        .await;

    assert_eq!(answer.status, 202, "{:?}", answer.body);
    assert_eq!(answer.text("status"), "MANUAL");
    assert_eq!(answer.text("reason"), "unexplained_status");
    let order_id = answer.text("order_id").to_owned();
    let again = shop
        .hear(&processor, "odd", &said("frozen", "T-odd", "THAWING"))
        .await;
    assert_eq!(again.status, 200, "kept and acknowledged: {:?}", again.body);
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["order_manual action open"]
    );

    processor.pay("frozen").await;
    processor.notify("frozen", 1).await;
    let paid = shop.becomes(&order_id, "PAID").await;
    assert_eq!(paid["submit_count"], 1);
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["order_manual action resolved"]
    );
    processor.charged_once("frozen").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_status_in_a_query_s_reply_stops_the_order_too() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("odd", "VIP #status=FROZEN #lost-reply #no-callback");
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();

    let manual = shop.becomes(&order_id, "MANUAL").await;

    assert_eq!(manual["reason"], "unexplained_status");
    assert_eq!(processor.calls("odd").await.queries, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_about_an_order_that_nobody_knows_is_kept_and_asked_about_before_it_is_charged() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let notice = said("early", "T-early", "DECLINED");

    for _ in 0..3 {
        let answer = shop.hear(&processor, "n-1", &notice).await;
        assert_eq!(answer.status, 404, "send it again: {:?}", answer.body);
        assert_eq!(answer.text("code"), "unknown-order");
    }
    let orphans = |alerts: Vec<serde_json::Value>| {
        let alerts = alerts.into_iter();
        alerts
            .filter(|alert| alert["kind"] == "orphan_callback")
            .count()
    };
    assert_eq!(orphans(shop.alerts().await), 1);

    let created = shop.create(&order("early", "VIP #no-callback")).await;
    assert_eq!(created.text("status"), "PAID", "{:?}", created.body);
    let history = shop.history(created.text("order_id")).await;
    let at = |kind: &str| history.iter().position(|found| found == kind);
    assert!(at("query_reply") < at("submit"), "{history:?}");
    assert!(at("query_reply").is_some(), "{history:?}");

    let resent = shop.hear(&processor, "n-1", &notice).await;
    assert_eq!(resent.status, 200);
    let order = shop.get(created.text("order_id")).await;
    assert_eq!(
        (&order["status"], &order["callback_count"]),
        (&json!("PAID"), &json!(1))
    );
    processor.charged_once("early").await;
}
