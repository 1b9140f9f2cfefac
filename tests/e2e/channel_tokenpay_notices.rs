//! TokenPay's notices out of order: early, wrong, again after years, about another order of the gateway, and to a server
//! that dies or whose gateway is slow.

use crate::channel_tokenpay::{RARELY, order, shop, shop_with, tell, waits};
use crate::retention::{has_run, is_kept_once_and_seen_twice, three_years_pass};
use crate::support::doubles::tokenpay::{Asked, Fault, Gateway};
use crate::support::{OPERATOR, Stage, alerts_of, eventually, is_problem};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Notify;

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_notice_is_refused_and_changes_nothing() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, RARELY, "").await;
    let order_id = waits(&shop, "tp-4").await;
    gateway.pay("tp-4");
    let good = String::from_utf8(gateway.notice("tp-4")).expect("a text");
    let before = shop.get(&order_id).await;
    for (what, body) in [
        ("another amount", good.replace("20.00", "0.01")),
        ("another order", good.replace("tp-4", "tp-9")),
        ("no signature", good.replace("\"Signature\"", "\"Other\"")),
        ("a field twice", good.replacen('{', "{\"Status\":1,", 1)),
        ("nothing", String::new()),
    ] {
        let answer = shop.notify("tokenpay", &[], body.into_bytes()).await;
        is_problem(&answer, 401, "callback-rejected", what);
    }
    assert_eq!(shop.get(&order_id).await, before);
    assert_eq!(gateway.calls(), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gateway_s_id_in_a_notice_finds_an_order_whose_reply_was_lost() {
    let gateway = Gateway::start();
    let stage = Stage {
        pending_schedule: RARELY,
        schedule: r#"["10m"]"#,
        ..Stage::default()
    };
    let shop = shop_with(&gateway, stage, "").await;
    gateway.misbehave(Asked::CreateOrder, Fault::DropsAfter);
    let lost = shop.create_async(&order("tp-20")).await;
    let order_id = lost.text("order_id");
    shop.becomes(order_id, "UNKNOWN").await;
    gateway.pay("tp-20");
    assert_eq!(tell(&shop, &gateway, "tp-20").await.status, 200);
    let paid = shop.becomes(order_id, "PAID").await;
    assert_eq!(paid["submit_count"], 1);
    assert_eq!(gateway.orders("tp-20").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_is_down_is_told_of_although_some_answers_are_made_here() {
    let gateway = Gateway::start();
    let mut shop = shop(&gateway, RARELY, "").await;
    let circuit = "circuit = { failures = 3, pause = \"10m\" }\nread_timeout";
    shop.reconfigure(|text| text.replace("circuit = \"off\"\nread_timeout", circuit));
    shop.crash_and_start_again().await;
    for _ in 0..3 {
        let down = Fault::Answers(503, String::new());
        gateway.misbehave(Asked::CreateOrder, down);
    }
    // It is sent three times, and between them *not found* is said without asking.
    shop.create_async(&order("tp-30")).await;
    eventually("the gateway counts as down", || async {
        let alerts = shop.alerts().await;
        let down = alerts.iter().any(|alert| alert["kind"] == "channel_down");
        down.then_some(()).ok_or_else(|| format!("{alerts:?}"))
    })
    .await;
    let refused = shop.create(&order("tp-31")).await;
    assert_eq!(refused.text("code"), "channel-unavailable");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_order_of_the_gateway_that_is_paid_too_is_told_to_people_once() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, RARELY, "").await;
    let order_id = waits(&shop, "tp-21").await;
    gateway.pay("tp-21");
    tell(&shop, &gateway, "tp-21").await;
    shop.becomes(&order_id, "PAID").await;
    let second = gateway.pays_again("tp-21");
    for _ in 0..3 {
        let told = shop.notify("tokenpay", &[], gateway.notice_of(&second));
        assert_eq!(told.await.status, 200);
    }
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["second_payment action open"]
    );
    let alerts = shop.alerts().await;
    let message = alerts[0]["message"].as_str().expect("a text");
    assert!(message.contains(&second.id), "{message}");
    assert_eq!(shop.get(&order_id).await["status"], "PAID");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_amount_that_is_told_again_and_again_stops_the_order_once() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, RARELY, "").await;
    let order_id = waits(&shop, "tp-22").await;
    gateway.edit("tp-22", |order| order.actual_amount = "0.05".to_owned());
    gateway.pay("tp-22");
    for _ in 0..3 {
        assert_eq!(tell(&shop, &gateway, "tp-22").await.status, 200);
    }
    let stopped = shop.becomes(&order_id, "MANUAL").await;
    assert_eq!(stopped["callback_count"], 3);
    let events = shop.events(&order_id).await;
    let stops = events
        .iter()
        .filter(|event| event["from"] != "MANUAL" && event["to"] == "MANUAL");
    assert_eq!(stops.count(), 1, "{events:?}");
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["payment_mismatch action open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn another_amount_of_a_paid_order_is_told_and_changes_nothing() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, RARELY, "").await;
    let order_id = waits(&shop, "tp-23").await;
    gateway.pay("tp-23");
    tell(&shop, &gateway, "tp-23").await;
    shop.becomes(&order_id, "PAID").await;
    let before = shop.history(&order_id).await;
    gateway.edit("tp-23", |order| order.actual_amount = "0.05".to_owned());
    let path = format!("/v1/orders/{order_id}/query");
    shop.ask("POST", &path, OPERATOR, None).await;
    eventually("people are told", || async {
        let alerts = alerts_of(&shop, &order_id).await;
        (alerts == ["payment_mismatch action open"])
            .then_some(())
            .ok_or_else(|| format!("{alerts:?}"))
    })
    .await;
    assert_eq!(shop.get(&order_id).await["status"], "PAID");
    let after = shop.history(&order_id).await;
    assert!(
        after[before.len()..].contains(&"query_reply".to_owned()),
        "{after:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_that_comes_again_after_three_years_is_still_the_same() {
    let gateway = Gateway::start();
    let mut shop = shop(&gateway, RARELY, "").await;
    let order_id = waits(&shop, "tp-24").await;
    gateway.pay("tp-24");
    let notice = gateway.notice("tp-24");
    shop.notify("tokenpay", &[], notice.clone()).await;
    let before = shop.becomes(&order_id, "PAID").await;
    let history = shop.history(&order_id).await;

    shop.crash();
    three_years_pass(&shop).await;
    shop.start_again().await;
    has_run(&shop).await;
    let told = shop.notify("tokenpay", &[], notice).await;
    assert_eq!((told.status, &told.body), (200, &json!("ok")));
    is_kept_once_and_seen_twice(&shop).await;
    let after = shop.get(&order_id).await;
    assert_eq!(after["version"], before["version"]);
    assert_eq!(shop.history(&order_id).await, history);
    assert!(shop.alerts().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transfer_after_the_end_of_the_order_pays_it_while_it_is_not_closed() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, RARELY, "").await;
    for (order_no, expires_in) in [("tp-25", 7200), ("tp-26", 1)] {
        let mut body = order(order_no);
        body["expires_in"] = json!(expires_in);
        let created = shop.create(&body).await;
        let order_id = created.text("order_id");
        // A status of the gateway's that it never tells, before the one that it does.
        let waiting = tell(&shop, &gateway, order_no).await;
        assert_eq!(waiting.status, 200);
        if expires_in == 1 {
            shop.happens("expiry", order_id).await;
        }
        assert_eq!(shop.get(order_id).await["status"], "PENDING");
        gateway.pay(order_no);
        assert_eq!(tell(&shop, &gateway, order_no).await.status, 200);
        let paid = shop.becomes(order_id, "PAID").await;
        assert_eq!(paid["callback_count"], 2);
        assert!(alerts_of(&shop, order_id).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_that_a_notice_alone_tells_is_asked_about() {
    let gateway = Gateway::start();
    let shop = shop(&gateway, RARELY, "").await;
    let order_id = waits(&shop, "tp-27").await;
    gateway.expire("tp-27");
    let over = gateway.notice("tp-27");
    gateway.edit("tp-27", |order| order.status = "Pending".to_owned());
    assert_eq!(shop.notify("tokenpay", &[], over).await.status, 200);
    shop.happens("query_reply", &order_id).await;
    assert_eq!(shop.get(&order_id).await["status"], "PENDING");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_is_acknowledged_before_the_gateway_has_answered_what_it_is_asked() {
    let gateway = Gateway::start();
    let stage = Stage {
        pending_schedule: RARELY,
        query_timeout: "25s",
        ..Stage::default()
    };
    let shop = shop_with(&gateway, stage, "").await;
    let order_id = waits(&shop, "tp-28").await;
    gateway.pay("tp-28");
    let answer = Arc::new(Notify::new());
    gateway.misbehave(Asked::Query, Fault::Held(Arc::clone(&answer)));
    let told = tell(&shop, &gateway, "tp-28").await;
    assert_eq!((told.status, &told.body), (200, &json!("ok")));
    assert_eq!(gateway.answered(), 1, "the create alone");
    assert_eq!(shop.get(&order_id).await["status"], "PENDING");
    answer.notify_one();
    shop.becomes(&order_id, "PAID").await;
    assert_eq!(gateway.calls(), (1, 1));
    let history = shop.history(&order_id).await;
    let replies = history.iter().filter(|kind| *kind == "query_reply");
    assert_eq!(replies.count(), 1, "{history:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_that_was_acknowledged_is_asked_about_by_the_next_server() {
    let gateway = Gateway::start();
    let mut shop = shop(&gateway, RARELY, "").await;
    let order_id = waits(&shop, "tp-29").await;
    gateway.pay("tp-29");
    // The answer to the first question never comes; or the process ends before it has asked.
    gateway.misbehave(Asked::Query, Fault::Held(Arc::new(Notify::new())));
    assert_eq!(tell(&shop, &gateway, "tp-29").await.status, 200);
    shop.crash();
    gateway.behave();
    shop.start_again().await;
    let paid = shop.becomes(&order_id, "PAID").await;
    assert_eq!(paid["callback_count"], 1);
    let rows = shop.database.number("SELECT COUNT(*) FROM callbacks");
    assert_eq!(rows.await, 1);
}
