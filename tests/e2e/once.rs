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
        assert_eq!(answer.text("subject"), "VIP+ 月卡 #no-callback");
    }
    assert_eq!(processor.charged_once("tap-tap").await.submits, 1);
    assert_eq!(
        shop.history(&first).await,
        ["created", "submit", "submit_reply"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn two_taps_with_keys_of_their_own_are_one_order() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("two-taps", "VIP #no-callback");
    let keys = [
        [("idempotency-key", "tap-1")],
        [("idempotency-key", "tap-2")],
    ];

    let (one, two) = tokio::join!(
        shop.ask_with("POST", "/v1/orders", &keys[0], Some(&body)),
        shop.ask_with("POST", "/v1/orders", &keys[1], Some(&body)),
    );

    for answer in [&one, &two] {
        assert_eq!(answer.status, 200, "{:?}", answer.body);
    }
    assert_eq!(one.text("order_id"), two.text("order_id"));
    assert_eq!(processor.charged_once("two-taps").await.submits, 1);
    for key in &keys {
        let again = shop.ask_with("POST", "/v1/orders", key, Some(&body)).await;
        assert_eq!(again.text("order_id"), one.text("order_id"));
    }
    assert_eq!(processor.charged_once("two-taps").await.submits, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shopper_who_retries_after_a_crash_between_charge_and_reply_pays_once() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let body = order("crash", "VIP #delay=30s:1 #no-callback");
    let old = [("idempotency-key", "before"), ("prefer", "respond-async")];
    let created = shop.ask_with("POST", "/v1/orders", &old, Some(&body)).await;
    assert_eq!(created.status, 202, "{:?}", created.body);
    crate::support::eventually("the charge has landed", || async {
        match processor.charge("crash").await {
            Some(charge) if charge.charged_times == 1 => Ok(()),
            other => Err(format!("{other:?}")),
        }
    })
    .await;

    shop.crash_and_start_again().await;
    let old = [("idempotency-key", "before")];
    let new = [("idempotency-key", "after")];
    let (with_old, with_new) = tokio::join!(
        shop.ask_with("POST", "/v1/orders", &old, Some(&body)),
        shop.ask_with("POST", "/v1/orders", &new, Some(&body)),
    );

    for answer in [&with_old, &with_new] {
        assert_eq!(answer.text("order_id"), created.text("order_id"));
    }
    let paid = shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(paid["submit_count"], 1);
    assert_eq!(processor.charged_once("crash").await.submits, 1);
    let history = shop.history(created.text("order_id")).await;
    assert!(history.contains(&"recovered".to_owned()), "{history:?}");
}
