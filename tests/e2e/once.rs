//! One order number is one order, one key, one charge.

use crate::support::{Processor, Shop, Stage, order};
use futures_util::future::join_all;

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_concurrent_creates_of_one_number_charge_once() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("tap-tap", "VIP+ 月卡 #no-callback");

    let answers = join_all((0..200).map(|_| shop.create(&body))).await;

    let first = answers[0].text("order_id").to_owned();
    for answer in &answers {
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        assert_eq!(answer.text("order_id"), first);
        assert_eq!(answer.text("idempotency_key"), "pay:order:tap-tap");
        assert_eq!(answer.text("status"), "PAID");
    }
    assert_eq!(processor.charged_once("tap-tap").await.submits, 1);
    assert_eq!(
        shop.history(&first).await,
        ["created", "submit", "submit_reply"]
    );
}
