//! A channel that says another amount, currency or key than was ordered: nothing is delivered, a person is told once.

use crate::support::{Notice, Processor, Shop, Stage, eventually, order};
use serde_json::{Value, json};

fn quiet() -> Stage {
    Stage {
        pending_schedule: r#"["10m"]"#,
        ..Stage::default()
    }
}

/// Alerts of this kind about this order.
async fn alerts(shop: &Shop, order_no: &str, kind: &str) -> Vec<Value> {
    let all = shop.alerts().await;
    let about = |alert: &Value| alert["order_no"] == order_no && alert["kind"] == kind;
    all.into_iter().filter(about).collect()
}

fn mismatches() -> [(&'static str, &'static str, Value); 4] {
    [
        ("five-cents", "amount_mismatch", json!({"amount": 5})),
        ("a-cent-more", "amount_mismatch", json!({"amount": 2000})),
        ("dollars", "currency_mismatch", json!({"currency": "USD"})),
        (
            "other-key",
            "key_mismatch",
            json!({"idempotency_key": "pay:order:else"}),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mismatch_in_a_callback_stops_an_unsettled_order_and_raises_one_alert() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    for (order_no, reason, change) in mismatches() {
        let waiting = shop
            .create(&order(order_no, "VIP #pending #no-callback"))
            .await;
        let order_id = waiting.text("order_id").to_owned();
        let notice = Notice::paid(&format!("msg-{order_no}"), order_no, &change);
        for id in ["", "-again", "-once-more"] {
            let notice = Notice {
                id: format!("msg-{order_no}{id}"),
                ..notice.clone()
            };
            let answer = shop.tell("sandbox", &processor.secret, &notice).await;
            assert_eq!((answer.status, &answer.body), (200, &json!("success")));
        }
        let stopped = shop.becomes(&order_id, "MANUAL").await;
        // A key that differs asks the channel first, which may say more; what is certain is who stopped it.
        assert_eq!(stopped["reason"], reason, "{order_no}: {stopped}");
        assert_eq!(stopped["amount"], 1999);
        assert_eq!(stopped["paid_at"], Value::Null);
        let events = shop.events(&order_id).await;
        assert!(
            events
                .iter()
                .any(|event| event["kind"] == "callback" && event["to"] == "MANUAL"),
            "{events:?}"
        );
        let told = alerts(&shop, order_no, "payment_mismatch").await;
        assert_eq!(told.len(), 1, "{order_no}: {told:?}");
        assert_eq!(told[0]["severity"], "action");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mismatch_about_a_settled_order_is_an_event_and_an_alert_and_no_change() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    for (order_no, _reason, change) in mismatches() {
        for (status, subject) in [
            ("PAID", "VIP #no-callback"),
            ("FAILED", "VIP #declined #no-callback"),
        ] {
            let number = format!("{order_no}-{status}");
            let settled = shop.create(&order(&number, subject)).await;
            assert_eq!(settled.text("status"), status, "{:?}", settled.body);
            let order_id = settled.text("order_id").to_owned();
            let trade_no = settled.body["channel_trade_no"].clone();
            let mut change = change.clone();
            if trade_no.is_string() {
                change["trade_no"] = trade_no;
            }
            let notice = Notice::paid(&format!("msg-{number}"), &number, &change);
            for _ in 0..2 {
                assert_eq!(
                    shop.tell("sandbox", &processor.secret, &notice)
                        .await
                        .status,
                    200
                );
            }
            let after = shop.get(&order_id).await;
            assert_eq!(after["status"], status, "{number}");
            assert_eq!(after["amount"], 1999);
            let events = shop.events(&order_id).await;
            let callbacks = events.iter().filter(|event| event["kind"] == "callback");
            assert_eq!(callbacks.count(), 1, "{number}: {events:?}");
            let told = alerts(&shop, &number, "payment_mismatch").await;
            assert_eq!(told.len(), 1, "{number}: {:?}", shop.alerts().await);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mismatch_in_the_reply_or_in_a_query_stops_the_order_too() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    for (order_no, subject, reason) in [
        (
            "reply-amount",
            "VIP #wrong-amount=1 #no-callback",
            "amount_mismatch",
        ),
        (
            "reply-currency",
            "VIP #wrong-currency=USD #no-callback",
            "currency_mismatch",
        ),
        ("reply-key", "VIP #wrong-key=k #no-callback", "key_mismatch"),
        (
            "query-amount",
            "VIP #wrong-amount=1 #lost-reply #no-callback",
            "amount_mismatch",
        ),
    ] {
        let answer = shop.create(&order(order_no, subject)).await;
        assert_eq!(answer.status, 202, "{order_no}: {:?}", answer.body);
        let stopped = shop.becomes(answer.text("order_id"), "MANUAL").await;
        assert_eq!(stopped["reason"], reason, "{order_no}: {stopped}");
        assert_eq!(alerts(&shop, order_no, "payment_mismatch").await.len(), 1);
        processor.charged_once(order_no).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_about_another_order_settles_neither() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, quiet()).await;
    let other = shop
        .create(&order("the-other", "VIP #pending #no-callback"))
        .await;
    let asked = shop
        .create(&order(
            "the-asked",
            "VIP #wrong-order=the-other #no-callback",
        ))
        .await;
    assert_ne!(asked.text("status"), "PAID", "{:?}", asked.body);
    let kept = shop.get(other.text("order_id")).await;
    assert_eq!(kept["status"], "PENDING");
    let ours = eventually("the asked order comes to rest", || async {
        let order = shop.get(asked.text("order_id")).await;
        match order["status"].as_str() {
            Some("MANUAL") => Ok(order),
            _ => Err(order.to_string()),
        }
    })
    .await;
    assert_ne!(ours["status"], "PAID");
}
