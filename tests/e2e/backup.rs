//! An older backup takes the database's place: what it has forgotten is asked about before it is charged.

use crate::channel_stripe;
use crate::support::doubles::stripe::StripeDouble;
use crate::support::{Processor, Running, Shop, Stage, order};
use sea_orm::ConnectionTrait;
use std::time::Duration;

/// Runs a command of the program in the shop's folder.
fn run(shop: &Shop, arguments: &[&str]) -> String {
    let log = shop.folder().join("log-command");
    let mut command = Running::start(shop.folder(), arguments, &[], &log);
    let ended = command.ended(Duration::from_secs(30));
    assert_eq!(ended.code(), Some(0), "{arguments:?}: {}", command.log());
    command.log()
}

/// Back to before anything was ordered.
async fn forget_everything(shop: &Shop) {
    if shop.database.is_sqlite() {
        run(shop, &["restore", "backup.db"]);
        return;
    }
    let connection = shop.database.connect().await;
    for table in [
        "callbacks",
        "payments",
        "order_events",
        "idempotency_keys",
        "orders",
    ] {
        let emptied = connection
            .execute_unprepared(&format!("DELETE FROM {table}"))
            .await;
        emptied.expect("the table can be emptied");
    }
    connection.close().await.expect("it closes");
    run(shop, &["restore", "--mark"]);
}

fn back_up(shop: &Shop) {
    if shop.database.is_sqlite() {
        run(shop, &["backup", "backup.db"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_the_backup_forgot_is_found_at_the_channel_and_not_charged_again() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    back_up(&shop);
    let body = order("b-1", "VIP #no-callback");
    let paid = shop.create(&body).await;
    assert_eq!(paid.text("status"), "PAID");
    let before = processor.charged_once("b-1").await;
    shop.crash();
    forget_everything(&shop).await;
    shop.start_again().await;
    assert!(shop.find("b-1").await.is_none(), "it is forgotten");

    let again = shop.create(&body).await;
    let again = shop.becomes(again.text("order_id"), "PAID").await;
    assert_ne!(again["order_id"], paid.body["order_id"]);
    assert_eq!(again["channel_trade_no"], before.trade_no);
    assert_eq!(again["submit_count"], 0, "a query was enough");
    let charge = processor.charged_once("b-1").await;
    assert_eq!((charge.submits, charge.queries), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restore_a_new_order_is_asked_about_and_then_charged() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    back_up(&shop);
    assert_eq!(shop.stop().code(), Some(0));
    forget_everything(&shop).await;
    shop.start_again().await;

    let created = shop.create(&order("b-2", "VIP #no-callback")).await;
    let paid = shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(paid["submit_count"], 1);
    assert_eq!(processor.charged_once("b-2").await.submits, 1);
    let history = shop.history(created.text("order_id")).await;
    let query = history.iter().position(|kind| kind == "query_reply");
    let submit = history.iter().position(|kind| kind == "submit");
    assert!(query < submit && query.is_some(), "{history:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_the_backup_forgot_is_found_at_the_channel_and_not_sent_again() {
    let double = StripeDouble::start();
    let (_processor, mut shop) = channel_stripe::open(&double.base).await;
    if !shop.database.is_sqlite() {
        return;
    }
    let paid = channel_stripe::paid(&shop, &double, "b-4").await;
    back_up(&shop);
    let refund = shop.refund(&paid, "r-1", 500).await;
    assert_eq!(refund.text("status"), "SUCCEEDED", "{:?}", refund.body);
    shop.crash();
    forget_everything(&shop).await;
    // A day later the channel has forgotten the key that it came under.
    double.forget_keys();
    shop.start_again().await;

    let again = shop.refund(&paid, "r-1", 500).await;
    assert!([200, 202].contains(&again.status), "{:?}", again.body);
    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    assert_eq!(double.refunds().len(), 1, "{:?}", double.refunds());
    let rest = shop.refund(&paid, "r-2", 700).await;
    assert!([200, 202].contains(&rest.status), "{:?}", rest.body);
    shop.refund_becomes(&paid, "r-2", "SUCCEEDED").await;
    assert_eq!(double.refunds().len(), 2, "what it does not know is sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_in_use_is_not_replaced() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    back_up(&shop);
    let arguments: &[&str] = if shop.database.is_sqlite() {
        &["restore", "backup.db"]
    } else {
        &["restore", "--mark"]
    };
    let log = shop.folder().join("log-command");
    let mut command = Running::start(shop.folder(), arguments, &[], &log);

    assert_eq!(command.ended(Duration::from_secs(30)).code(), Some(1));
    assert!(
        command.log().contains("another process"),
        "{}",
        command.log()
    );
    let paid = shop.create(&order("b-3", "VIP")).await;
    assert_eq!(paid.text("status"), "PAID");
}
