//! Numbers, ids and words of a channel that are longer than anybody would expect: nothing that it says is lost.

use crate::support::{Notice, Processor, Shop, Stage, order};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn proof_under_the_longest_id_and_trade_number_pays_once() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let waiting = shop
        .create(&order("long-1", "VIP #pending #no-callback"))
        .await;
    let trade_no = "T".repeat(255);
    let notice = Notice::paid(&"m".repeat(300), "long-1", &json!({"trade_no": trade_no}));

    for _ in 0..2 {
        let answer = shop.tell("sandbox", &processor.secret, &notice).await;
        assert_eq!((answer.status, &answer.body), (200, &json!("success")));
    }

    let paid = shop.becomes(waiting.text("order_id"), "PAID").await;
    assert_eq!(paid["channel_trade_no"], json!(trade_no));
    assert_eq!(paid["callback_count"], 2);
    let history = shop.history(waiting.text("order_id")).await;
    assert_eq!(history.iter().filter(|kind| *kind == "callback").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_of_many_words_is_kept_and_stops_the_order() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let waiting = shop
        .create(&order("long-2", "VIP #pending #no-callback"))
        .await;
    let notice = Notice::paid(
        "msg-long-2",
        "long-2",
        &json!({"status": "FROZEN ".repeat(40)}),
    );

    let answer = shop.tell("sandbox", &processor.secret, &notice).await;

    assert_eq!((answer.status, &answer.body), (200, &json!("success")));
    let stopped = shop.becomes(waiting.text("order_id"), "MANUAL").await;
    assert_eq!(stopped["reason"], "unexplained_status");
}
