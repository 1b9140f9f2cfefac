//! A merchant closes an order: only what the channel confirms as unpaid is closed.

use crate::support::{Answer, MERCHANT, Processor, Shop, Stage, order};

async fn close(shop: &Shop, order_id: &str) -> Answer {
    let path = format!("/v1/orders/{order_id}/close");
    shop.ask("POST", &path, MERCHANT, None).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_waits_for_its_payer_is_closed_at_the_channel_first() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("left", "VIP #pending #no-callback");
    let created = shop.create(&body).await;
    assert_eq!(created.text("status"), "PENDING", "{:?}", created.body);

    let closed = close(&shop, created.text("order_id")).await;

    assert_eq!(closed.status, 200, "{:?}", closed.body);
    assert_eq!(
        (closed.text("status"), closed.text("reason")),
        ("CLOSED", "closed_by_merchant")
    );
    let charge = processor.charge("left").await.expect("it is there");
    assert_eq!((charge.status.as_str(), charge.closes), ("CLOSED", 1));
    let again = close(&shop, created.text("order_id")).await;
    assert_eq!((again.status, again.text("status")), (200, "CLOSED"));

    // The number stands for the closed order for ever; another number is another order.
    let same = shop.create(&body).await;
    assert_eq!((same.status, same.text("status")), (200, "CLOSED"));
    assert_eq!(same.text("order_id"), created.text("order_id"));
    let other = shop.create(&order("left-2", "VIP #no-callback")).await;
    assert_eq!(other.text("status"), "PAID");
    assert_eq!(processor.calls("left").await.submits, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_paid_cannot_be_closed_whether_we_knew_or_not() {
    let processor = Processor::start().await;
    let stage = Stage {
        schedule: r#"["60s"]"#,
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let known = shop.create(&order("known", "VIP #no-callback")).await;
    let body = order("hidden", "VIP #lost-reply #no-callback");
    let hidden = shop.create_async(&body).await;
    shop.becomes(hidden.text("order_id"), "UNKNOWN").await;

    for order_id in [known.text("order_id"), hidden.text("order_id")] {
        let answer = close(&shop, order_id).await;
        assert_eq!(
            (answer.status, answer.text("code")),
            (409, "already-paid"),
            "{:?}",
            answer.body
        );
        assert_eq!(shop.get(order_id).await["status"], "PAID");
    }
    assert_eq!(processor.charged_once("hidden").await.closes, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_close_that_the_channel_refuses_leaves_the_order_to_its_payer() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("kept-open", "VIP #pending #close=refuse #no-callback");
    let created = shop.create(&body).await;
    let order_id = created.text("order_id").to_owned();

    let answer = close(&shop, &order_id).await;

    assert_eq!(answer.status, 202, "{:?}", answer.body);
    assert_eq!(answer.text("status"), "PENDING");
    processor.pay("kept-open").await;
    processor.notify("kept-open", 1).await;
    shop.becomes(&order_id, "PAID").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_never_reached_the_channel_is_closed_and_not_sent_again() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("never", "VIP #lost-request #no-callback");
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();
    shop.becomes(&order_id, "UNKNOWN").await;

    let answer = close(&shop, &order_id).await;

    assert!([200, 202].contains(&answer.status), "{:?}", answer.body);
    let closed = shop.becomes(&order_id, "CLOSED").await;
    assert_eq!(closed["reason"], "closed_by_merchant");
    assert_eq!(processor.calls("never").await.submits, 1);
}
