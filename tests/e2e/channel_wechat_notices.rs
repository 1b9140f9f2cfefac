//! WeChat Pay's notices in bad order: odd bytes, wrong amounts, after years, after the expiry, after a close, around a crash.
//! Nothing is polled meanwhile, so that the notices alone decide.

use crate::channel_wechat::{TIMES, order, pending, section, stage, tell};
use crate::retention::{becomes, webhook};
use crate::support::doubles::wechat::seal::{self, Signer};
use crate::support::doubles::wechat::{Op, WechatDouble, keys};
use crate::support::{Answer, MERCHANT, Processor, Shop, Stage, alerts_of, eventually};
use oncepay::clock::SystemClock;
use serde_json::{Value, json};

/// A shop that asks about nobody who waits.
async fn open(more: Stage) -> (Shop, WechatDouble, Processor) {
    let gateway = WechatDouble::start(SystemClock::start(), keys::PUBLIC_KEY_ID).await;
    let processor = Processor::start().await;
    let quiet = Stage {
        pending_schedule: r#"["10m"]"#,
        startup_grace: more.startup_grace,
        ..stage(section(&gateway) + TIMES + &more.more)
    };
    (Shop::open(&processor, quiet).await, gateway, processor)
}

fn now_s() -> i64 {
    SystemClock::start().wall().0.div_euclid(1000)
}

/// This body, signed now by WeChat Pay.
async fn signed(shop: &Shop, body: &[u8]) -> Answer {
    let headers = seal::signed(Signer::WechatPay, keys::PUBLIC_KEY_ID, now_s(), body);
    shop.notify("wechat", &headers, body.to_vec()).await
}

/// The transaction as it is once somebody has paid it; nobody has, for those who ask.
fn paid(gateway: &WechatDouble, order_no: &str) -> Value {
    let mut paid = gateway.inside().book.transaction(order_no);
    paid["trade_state"] = json!("SUCCESS");
    paid["transaction_id"] = json!("4200002026113012345678901234");
    paid
}

async fn callbacks_in_history(shop: &Shop, order_id: &str) -> usize {
    let history = shop.history(order_id).await;
    history.iter().filter(|kind| *kind == "callback").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signature_is_of_the_bytes_that_came_and_of_no_others() {
    let (shop, gateway, _processor) = open(Stage::default()).await;
    let order_id = pending(&shop, "WX-BYTES-1").await;
    let resource = seal::sealed(&paid(&gateway, "WX-BYTES-1").to_string(), "transaction");
    let body = format!(
        "{{ \"version\" : 1.0 ,\r\n\t\"resource\":{resource} , \"summary\":\"\\u652f付成功\",\n \"resource_type\": \
         \"encrypt-resource\" ,\"event_type\":\"TRANSACTION.SUCCESS\",   \"id\":\"EV-BYTES\"}}"
    );
    let rewritten = body.replacen("1.0", "1", 1);
    let headers = seal::signed(
        Signer::WechatPay,
        keys::PUBLIC_KEY_ID,
        now_s(),
        body.as_bytes(),
    );

    let answer = shop
        .notify("wechat", &headers, rewritten.into_bytes())
        .await;
    assert_eq!(answer.status, 401, "{:?}", answer.body);
    assert_eq!(shop.get(&order_id).await["status"], "PENDING");
    let answer = shop.notify("wechat", &headers, body.into_bytes()).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    let order = shop.get(&order_id).await;
    assert_eq!(
        (&order["status"], &order["callback_count"]),
        (&json!("PAID"), &json!(1))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_amount_stops_an_open_order_once_however_often_it_is_told() {
    let (shop, gateway, _processor) = open(Stage::default()).await;
    let order_id = pending(&shop, "WX-AMOUNT-1").await;
    let mut little = paid(&gateway, "WX-AMOUNT-1");
    little["amount"]["total"] = json!(5);
    for _ in 0..3 {
        let told = gateway.notice("TRANSACTION.SUCCESS", &little);
        assert_eq!(tell(&shop, &told).await.status, 200);
    }
    let order = shop.get(&order_id).await;
    assert_eq!(
        (&order["status"], &order["reason"], &order["callback_count"]),
        (&json!("MANUAL"), &json!("amount_mismatch"), &json!(3))
    );
    let events = shop.events(&order_id).await;
    let callbacks: Vec<_> = events
        .iter()
        .filter(|event| event["kind"] == "callback")
        .map(|event| event["to"].clone())
        .collect();
    assert_eq!(callbacks, [json!("MANUAL")]);
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["payment_mismatch action open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_amount_of_a_paid_order_is_told_to_a_person_and_undoes_nothing() {
    let (shop, gateway, _processor) = open(Stage::default()).await;
    let order_id = pending(&shop, "WX-AMOUNT-2").await;
    tell(&shop, &gateway.pay("WX-AMOUNT-2")).await;
    shop.becomes(&order_id, "PAID").await;
    assert_eq!(callbacks_in_history(&shop, &order_id).await, 1);

    let mut little = gateway.inside().book.transaction("WX-AMOUNT-2");
    little["amount"]["total"] = json!(5);
    let told = gateway.notice("TRANSACTION.SUCCESS", &little);
    for _ in 0..2 {
        assert_eq!(tell(&shop, &told).await.status, 200);
    }
    let order = shop.get(&order_id).await;
    assert_eq!(
        (&order["status"], &order["callback_count"]),
        (&json!("PAID"), &json!(3))
    );
    assert_eq!(callbacks_in_history(&shop, &order_id).await, 2);
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["payment_mismatch action open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_that_comes_again_after_years_is_known() {
    let keep_little = Stage {
        more: "[retention]\ndeliveries = \"10d\"\norphans = \"10d\"\n".to_owned(),
        ..Stage::default()
    };
    let (mut shop, gateway, _processor) = open(keep_little).await;
    let order_id = pending(&shop, "WX-YEARS-1").await;
    let (_, body) = gateway.pay("WX-YEARS-1");
    assert_eq!(signed(&shop, &body).await.status, 200);
    let before = shop.becomes(&order_id, "PAID").await;
    let history = shop.history(&order_id).await;

    shop.crash();
    let three_years = "UPDATE callbacks SET first_seen_at = first_seen_at - 94694400000, \
                       last_seen_at = last_seen_at - 94694400000";
    shop.database.alter(three_years).await;
    webhook(&shop, "dlv_marker", "DELIVERED", 20).await;
    shop.start_again().await;
    let marker = "SELECT COUNT(*) FROM deliveries WHERE delivery_id = 'dlv_marker'";
    becomes(&shop, marker, 0).await;
    shop.crash_and_start_again().await;
    assert_eq!(signed(&shop, &body).await.status, 200);

    let order = shop.get(&order_id).await;
    assert_eq!(
        (&order["status"], &order["version"]),
        (&before["status"], &before["version"])
    );
    assert_eq!(shop.history(&order_id).await, history);
    let number = |sql| shop.database.number(sql);
    assert_eq!(number("SELECT COUNT(*) FROM callbacks").await, 1);
    assert_eq!(number("SELECT seen_count FROM callbacks").await, 2);
    assert_eq!(alerts_of(&shop, &order_id).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_is_told_after_the_expiry_and_before_the_close_pays() {
    let patient = Stage {
        startup_grace: "10m",
        ..Stage::default()
    };
    let (mut shop, gateway, _processor) = open(patient).await;
    let order_id = pending(&shop, "WX-BRINK-1").await;
    shop.crash();
    // Its time runs out while nobody is there.
    let past = "UPDATE orders SET expires_at = created_at + 1000";
    shop.database.alter(past).await;
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    shop.start_again().await;
    assert_eq!(shop.get(&order_id).await["status"], "PENDING");

    let told = gateway.pay("WX-BRINK-1");
    assert_eq!(tell(&shop, &told).await.status, 200);
    let order = shop.get(&order_id).await;
    assert_eq!(
        (&order["status"], &order["reason"], &order["callback_count"]),
        (&json!("PAID"), &json!(null), &json!(1))
    );
    assert_eq!(alerts_of(&shop, &order_id).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_is_told_after_the_close_is_a_persons_once() {
    let (shop, gateway, _processor) = open(Stage::default()).await;
    let order_id = pending(&shop, "WX-LATE-1").await;
    let path = format!("/v1/orders/{order_id}/close");
    shop.ask("POST", &path, MERCHANT, None).await;
    shop.becomes(&order_id, "CLOSED").await;

    let late = paid(&gateway, "WX-LATE-1");
    for _ in 0..3 {
        let told = gateway.notice("TRANSACTION.SUCCESS", &late);
        assert_eq!(tell(&shop, &told).await.status, 200);
    }
    let order = shop.get(&order_id).await;
    assert_eq!(
        (&order["status"], &order["reason"], &order["callback_count"]),
        (&json!("MANUAL"), &json!("late_success"), &json!(3))
    );
    assert_eq!(callbacks_in_history(&shop, &order_id).await, 1);
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["late_success action open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_is_kept_though_the_process_ends_at_once() {
    let (mut shop, gateway, _processor) = open(Stage::default()).await;
    let created = shop.create(&order("WX-CRASH-1")).await;
    let order_id = created.text("order_id").to_owned();
    assert_eq!(created.text("status"), "PENDING", "{:?}", created.body);
    let told = gateway.pay("WX-CRASH-1");
    let asked = gateway.count(Op::Query);

    assert_eq!(tell(&shop, &told).await.status, 200);
    shop.crash_and_start_again().await;

    let order = shop.get(&order_id).await;
    assert_eq!(
        (&order["status"], &order["callback_count"]),
        (&json!("PAID"), &json!(1))
    );
    let rows = "SELECT COUNT(*) FROM callbacks";
    assert_eq!(shop.database.number(rows).await, 1);
    assert_eq!(gateway.count(Op::Query), asked, "nobody asked");
    eventually("it is granted", || async {
        let status = shop.get(&order_id).await["entitlements"][0]["status"].clone();
        (status == "GRANTED")
            .then_some(())
            .ok_or_else(|| status.to_string())
    })
    .await;
}
