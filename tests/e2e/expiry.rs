//! The payer's time runs out.

use crate::support::{Processor, Shop, Stage, alerts_of, order, said};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_nobody_paid_is_closed_once_the_channel_says_so() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let mut body = order("unpaid", "VIP #pending #no-callback");
    body["expires_in"] = json!(2);
    let created = shop.create(&body).await;
    assert_eq!(created.text("status"), "PENDING", "{:?}", created.body);
    let order_id = created.text("order_id").to_owned();

    let closed = shop.becomes(&order_id, "CLOSED").await;

    assert_eq!(closed["reason"], "expired");
    let charge = processor.charge("unpaid").await.expect("it is there");
    assert_eq!(
        (charge.status.as_str(), charge.charged_times),
        ("CLOSED", 0)
    );
    let history = shop.history(&order_id).await;
    assert!(history.contains(&"expiry".to_owned()), "{history:?}");
    let again = shop.create(&body).await;
    assert_eq!((again.status, again.text("status")), (200, "CLOSED"));
    assert_eq!(alerts_of(&shop, &order_id).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn proof_that_comes_after_the_expiry_and_before_the_close_pays_the_order() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let mut body = order("brink", "VIP #pending #query=timeout #no-callback");
    body["expires_in"] = json!(1);
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();
    shop.happens("expiry", &order_id).await;

    let heard = shop
        .hear(&processor, "n-1", &said("brink", "T-brink", "PAID"))
        .await;

    assert_eq!(heard.status, 200);
    let order = shop.get(&order_id).await;
    assert_eq!(
        (&order["status"], &order["reason"]),
        (&json!("PAID"), &json!(null))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_in_time_needs_no_callback() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("in-time", "VIP #pay-after=1s #no-callback");
    let created = shop.create(&body).await;
    assert_eq!(created.text("status"), "PENDING", "{:?}", created.body);

    let paid = shop.becomes(created.text("order_id"), "PAID").await;

    assert_eq!(paid["callback_count"], 0);
    assert_eq!(alerts_of(&shop, created.text("order_id")).await, [""; 0]);
}
