//! A verified notice about an order that is not here yet: sent again later, told of once, and asked about first.

use crate::support::{Contract, Notice, Processor, Shop, Stage, is_problem, order};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn an_orphan_is_told_of_once_and_its_order_asks_before_it_submits() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let notice = Notice::paid("msg-1", "early", &json!({}));
    for _ in 0..3 {
        let answer = shop.tell("sandbox", &processor.secret, &notice).await;
        is_problem(&answer, 404, "unknown-order", "an orphan");
        contract.covers("POST", "/v1/callbacks/sandbox", &answer);
    }
    let alerts = shop.alerts().await;
    assert_eq!(alerts.len(), 1, "{alerts:?}");
    assert_eq!(alerts[0]["kind"], "orphan_callback");
    assert_eq!(
        shop.database.number("SELECT COUNT(*) FROM orphans").await,
        1
    );

    // It is remembered over a restart: the order's first call is a question.
    shop.crash_and_start_again().await;
    let created = shop.create(&order("early", "VIP #no-callback")).await;
    let paid = shop.becomes(created.text("order_id"), "PAID").await;
    let history = shop
        .history(paid["order_id"].as_str().expect("an id"))
        .await;
    let place = |kind: &str| history.iter().position(|event| event == kind);
    assert!(
        place("query_reply") < place("submit"),
        "asked after the submit: {history:?}"
    );
    assert!(
        place("query_reply").is_some() && place("submit").is_some(),
        "{history:?}"
    );
    assert!(processor.charged_once("early").await.queries >= 1);
    assert_eq!(shop.alerts().await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_that_races_the_create_is_kept_or_sent_again_and_pays_once() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    for n in 0..5 {
        let order_no = format!("race-{n}");
        let body = order(&order_no, "VIP #callbacks=2");
        let (answer, again) = tokio::join!(shop.create(&body), shop.create(&body));
        assert_eq!(answer.text("order_id"), again.text("order_id"));
        let paid = shop.becomes(answer.text("order_id"), "PAID").await;
        assert_eq!(processor.charged_once(&order_no).await.submits, 1);
        assert_eq!(paid["submit_count"], 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_cannot_be_ours_is_no_orphan() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    for (n, foreign) in ["a b", "订单", "x'; DROP TABLE orders; --", &"9".repeat(65)]
        .iter()
        .enumerate()
    {
        let notice = Notice::paid(&format!("msg-{n}"), foreign, &json!({}));
        let answer = shop.tell("sandbox", &processor.secret, &notice).await;
        assert_eq!(answer.status, 200, "{foreign}: {:?}", answer.body);
    }
    assert_eq!(
        shop.database.number("SELECT COUNT(*) FROM orphans").await,
        0
    );
    assert!(shop.alerts().await.is_empty());
}
