//! Alipay's notices with the real binary: years later, out of order, under another certificate, of another amount.

use super::channel_alipay::{RECEIVED, open, open_with, order, paid, tell};
use super::retention;
use crate::support::doubles::alipay::{
    ALIPAY_PRIVATE, AlipayDouble, Mishap, PREVIOUS_CERT, PREVIOUS_PRIVATE,
};
use crate::support::{Shop, Stage, alerts_of};
use serde_json::{Value, json};

const PAID: (&str, &str) = ("trade_status", "TRADE_SUCCESS");
const CHEAP: (&str, &str) = ("total_amount", "0.05");
/// Three years.
const YEARS_MS: i64 = 94_608_000_000;

/// A shop that asks nothing while a story looks.
fn quiet() -> Stage {
    Stage {
        pending_schedule: r#"["10m"]"#,
        ..Stage::default()
    }
}

/// An order whose code was scanned and that is not paid yet; its id.
async fn scanned(double: &AlipayDouble, shop: &Shop, order_no: &str) -> String {
    let created = shop.create(&order(order_no)).await;
    assert_eq!(created.text("status"), "PENDING", "{:?}", created.body);
    double.scan(order_no);
    created.text("order_id").to_owned()
}

/// Tells so and is acknowledged.
async fn received(shop: &Shop, body: &str) {
    assert_eq!(tell(shop, body.to_owned()).await, (200, json!(RECEIVED)));
}

/// The events that callbacks have left: what they made of the order.
async fn callbacks(shop: &Shop, order_id: &str) -> Vec<Value> {
    let events = shop.events(order_id).await;
    let of_callbacks = events.iter().filter(|event| event["kind"] == "callback");
    of_callbacks.map(|event| event["to"].clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plus_sign_stays_one_from_the_order_to_the_notice() {
    let double = AlipayDouble::start();
    let (_processor, shop) = open(&double, quiet()).await;
    let order_id = paid(&double, &shop, "plus_1").await;
    let notice = double.notice("plus_1", "paid-plus_1", &[]);
    assert!(notice.contains("subject=VIP%2B"), "{notice}");
    assert_eq!(shop.get(&order_id).await["subject"], "VIP+ 月卡");
    let sent = &double.calls("alipay.trade.precreate")[0];
    assert_eq!(sent["subject"], "VIP+ 月卡");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_is_not_loaded_is_refused_and_told_once_until_it_is() {
    let numbers: Value = serde_json::from_str(include_str!(
        "../channels/vectors/alipay/certificates/numbers.json"
    ))
    .unwrap();
    let number = |name: &str| ("alipay_cert_sn", numbers[name].as_str().unwrap());
    let [new, old] = [number("alipay_cert_sn"), number("previous_alipay_cert_sn")];
    let double = AlipayDouble::start();
    double.bears_certificate(new.1);
    let (_processor, mut shop) = open_with(&double.section_with_certificates(), quiet()).await;
    let first = scanned(&double, &shop, "cert_1").await;
    let before = shop.get(&first).await;
    let under_old = double.notice_by(PREVIOUS_PRIVATE, "cert_1", "n", &[PAID, old]);
    for _ in 0..3 {
        assert_eq!(tell(&shop, under_old.clone()).await.0, 401);
    }
    assert_eq!(shop.get(&first).await, before);
    let alerts = shop.alerts().await;
    let kinds: Vec<_> = alerts.iter().map(|alert| &alert["kind"]).collect();
    assert_eq!(kinds, ["unknown_key"]);
    received(&shop, &double.notice("cert_1", "n", &[PAID, new])).await;
    shop.becomes(&first, "PAID").await;

    let second = scanned(&double, &shop, "cert_2").await;
    let third = scanned(&double, &shop, "cert_3").await;
    shop.reconfigure(|text| {
        let previous = format!("previous_alipay_cert = \"\"\"{PREVIOUS_CERT}\"\"\"\n");
        text.replace("root_cert =", &format!("{previous}root_cert ="))
    });
    shop.crash_and_start_again().await;
    for (key, order_no, number) in [
        (PREVIOUS_PRIVATE, "cert_2", old),
        (ALIPAY_PRIVATE, "cert_3", new),
    ] {
        let notice = double.notice_by(key, order_no, order_no, &[PAID, number]);
        received(&shop, &notice).await;
    }
    for order_id in [&second, &third] {
        shop.becomes(order_id, "PAID").await;
    }
    assert_eq!(shop.alerts().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_amount_however_often_is_one_event_and_one_alert() {
    let double = AlipayDouble::start();
    let (_processor, shop) = open(&double, quiet()).await;
    let open_order = scanned(&double, &shop, "cheap_1").await;
    let cheap = double.notice("cheap_1", "n", &[PAID, CHEAP]);
    for _ in 0..3 {
        received(&shop, &cheap).await;
    }
    let manual = shop.becomes(&open_order, "MANUAL").await;
    assert_eq!(manual["reason"], "amount_mismatch");
    assert_eq!(callbacks(&shop, &open_order).await, ["MANUAL"]);

    let settled = paid(&double, &shop, "cheap_2").await;
    assert_eq!(callbacks(&shop, &settled).await, ["PAID"]);
    let cheap = double.notice("cheap_2", "another", &[CHEAP]);
    for _ in 0..2 {
        received(&shop, &cheap).await;
    }
    assert_eq!(shop.get(&settled).await["status"], "PAID");
    assert_eq!(callbacks(&shop, &settled).await.len(), 2);
    for order_id in [&open_order, &settled] {
        let alerts = alerts_of(&shop, order_id).await;
        assert_eq!(alerts, ["payment_mismatch action open"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_is_known_again_after_years_and_after_what_is_old_was_deleted() {
    let double = AlipayDouble::start();
    let stage = Stage {
        more: "[retention]\ndeliveries = \"10d\"\n".to_owned(),
        ..quiet()
    };
    let (_processor, mut shop) = open(&double, stage).await;
    let order_id = paid(&double, &shop, "years_1").await;
    let (before, history) = (shop.get(&order_id).await, shop.history(&order_id).await);
    shop.crash();
    let aged = format!(
        "UPDATE callbacks SET first_seen_at = first_seen_at - {YEARS_MS}, last_seen_at = last_seen_at - {YEARS_MS}"
    );
    shop.database.alter(&aged).await;
    retention::webhook(&shop, "dlv_marker", "DELIVERED", 20).await;
    shop.start_again().await;
    let marker = "SELECT COUNT(*) FROM deliveries WHERE delivery_id = 'dlv_marker'";
    retention::becomes(&shop, marker, 0).await;

    received(&shop, &double.notice("years_1", "paid-years_1", &[])).await;

    for (sql, expected) in [
        ("SELECT COUNT(*) FROM callbacks", 1),
        ("SELECT seen_count FROM callbacks", 2),
    ] {
        assert_eq!(shop.database.number(sql).await, expected, "{sql}");
    }
    let after = shop.get(&order_id).await;
    assert_eq!(
        (&after["status"], &after["version"]),
        (&json!("PAID"), &before["version"])
    );
    assert_eq!(shop.history(&order_id).await, history);
    assert_eq!(shop.alerts().await, [json!(null); 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_does_not_use_up_the_number_of_the_notice_that_says_paid() {
    let double = AlipayDouble::start();
    let (_processor, shop) = open(&double, quiet()).await;
    let order_id = scanned(&double, &shop, "waits_1").await;
    for status in ["WAIT_BUYER_PAY", "TRADE_SUCCESS", "WAIT_BUYER_PAY"] {
        let notice = double.notice("waits_1", "one-id", &[("trade_status", status)]);
        received(&shop, &notice).await;
    }
    assert_eq!(shop.get(&order_id).await["status"], "PAID");
    assert_eq!(alerts_of(&shop, &order_id).await, [""; 0]);
}

/// What a clock would do in two hours, while the server is down.
async fn expire(shop: &Shop, order_no: &str) {
    let sql = format!(
        "UPDATE orders SET created_at = created_at - 8000000, expires_at = expires_at - 8000000, \
         next_check_at = created_at WHERE order_no = '{order_no}'"
    );
    shop.database.alter(&sql).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_expired_while_the_server_was_down_is_paid_by_the_notice_that_came_meanwhile()
{
    let double = AlipayDouble::start();
    let stage = Stage {
        startup_grace: "60s",
        ..quiet()
    };
    let (_processor, mut shop) = open(&double, stage).await;
    let order_id = scanned(&double, &shop, "late_1").await;
    shop.crash();
    expire(&shop, "late_1").await;
    // Only the notice tells of it.
    for _ in 0..50 {
        double.misbehave("alipay.trade.query", Mishap::DropBefore);
    }
    shop.start_again().await;
    assert_eq!(shop.get(&order_id).await["status"], "PENDING");
    received(&shop, &double.notice("late_1", "n", &[PAID])).await;
    let order = shop.get(&order_id).await;
    assert_eq!(
        (&order["status"], &order["reason"]),
        (&json!("PAID"), &json!(null))
    );
    assert_eq!(callbacks(&shop, &order_id).await, ["PAID"]);
    assert_eq!(alerts_of(&shop, &order_id).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn money_for_an_order_that_is_closed_is_for_a_person_however_often_it_is_told() {
    let double = AlipayDouble::start();
    let stage = Stage {
        checks: "expiry_margin = \"1s\"".to_owned(),
        ..Stage::default()
    };
    let (_processor, mut shop) = open(&double, stage).await;
    let created = shop.create(&order("late_2")).await;
    let order_id = created.text("order_id").to_owned();
    shop.crash();
    expire(&shop, "late_2").await;
    shop.start_again().await;
    shop.becomes(&order_id, "CLOSED").await;
    double.pay("late_2");
    let late = double.notice("late_2", "late", &[]);
    for _ in 0..3 {
        received(&shop, &late).await;
    }
    let manual = shop.get(&order_id).await;
    assert_eq!(
        (&manual["status"], &manual["reason"]),
        (&json!("MANUAL"), &json!("late_success"))
    );
    assert_eq!(callbacks(&shop, &order_id).await, ["MANUAL"]);
    let alerts = alerts_of(&shop, &order_id).await;
    assert_eq!(alerts, ["late_success action open"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_a_crash_right_after_it() {
    let double = AlipayDouble::start();
    let (_processor, mut shop) = open(&double, quiet()).await;
    let order_id = scanned(&double, &shop, "kept_1").await;
    received(&shop, &double.notice("kept_1", "n", &[PAID])).await;
    shop.crash();
    shop.start_again().await;
    assert_eq!(shop.get(&order_id).await["status"], "PAID");
    let rows = shop.database.number("SELECT COUNT(*) FROM callbacks").await;
    assert_eq!(rows, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_the_bank_has_not_taken_is_told_once_and_acknowledged() {
    let double = AlipayDouble::start();
    let (_processor, shop) = open(&double, quiet()).await;
    let order_id = paid(&double, &shop, "bounce_1").await;
    let trade_no = double.trade("bounce_1").unwrap().trade_no;
    let before = shop.get(&order_id).await;
    let content = json!({"trade_no": trade_no, "out_trade_no": "bounce_1", "out_request_no": "r.1", "dback_status": "F"});
    for _ in 0..2 {
        received(&shop, &double.message(&content)).await;
    }
    let alerts = shop.alerts().await;
    assert_eq!(alerts.len(), 1, "{alerts:?}");
    let alert = &alerts[0];
    assert_eq!(
        (&alert["kind"], &alert["severity"], &alert["order_no"]),
        (
            &json!("refund_failed"),
            &json!("action"),
            &json!("bounce_1")
        )
    );
    let message = alert["message"].as_str().unwrap();
    assert!(
        message.contains("r.1") && message.contains(&trade_no),
        "{message}"
    );
    assert_eq!(shop.get(&order_id).await, before);
}
