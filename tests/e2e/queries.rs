//! Only a query tells.

use crate::support::{OPERATOR, Processor, Shop, Stage, alerts_of, order};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_second_query_tells_when_the_first_was_never_answered() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("second", "VIP #lost-reply #query=timeout:1 #no-callback");

    let order_id = shop.create_async(&body).await.text("order_id").to_owned();

    let paid = shop.becomes(&order_id, "PAID").await;
    assert_eq!(
        (&paid["submit_count"], &paid["check_count"]),
        (&json!(1), &json!(2))
    );
    let charge = processor.charged_once("second").await;
    assert_eq!((charge.submits, charge.queries), (1, 2));
    let history = shop.history(&order_id).await;
    let asked = history.iter().filter(|kind| *kind == "query").count();
    let told = history.iter().filter(|kind| *kind == "query_reply").count();
    assert_eq!((asked, told), (2, 2), "{history:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_whose_reply_and_callback_are_lost_for_ever_is_paid_by_a_query() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let bodies = [
        order("gone-1", "VIP #lost-reply #no-callback"),
        order("gone-2", "VIP #http=500-charged #no-callback"),
        order("gone-3", "VIP #unsigned #no-callback"),
        order("gone-4", "VIP #lost-reply #query=unsigned:1 #no-callback"),
    ];

    for body in &bodies {
        let answer = shop.create_async(body).await;
        assert_eq!(answer.status, 202, "{:?}", answer.body);
    }

    for body in &bodies {
        let order_no = body["order_no"].as_str().unwrap_or_default();
        let order = shop.find(order_no).await.expect("it is there");
        let order_id = order["order_id"].as_str().unwrap_or_default();
        let paid = shop.becomes(order_id, "PAID").await;
        assert_eq!(paid["callback_count"], 0);
        assert_eq!(paid["last_error"], json!(null));
        assert_eq!(processor.charged_once(order_no).await.submits, 1);
    }
    let order = shop.find("gone-4").await.expect("it is there");
    assert_eq!(order["check_count"], 2, "what is unsigned says nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_s_query_brings_the_truth_at_once() {
    let processor = Processor::start().await;
    let stage = Stage {
        schedule: r#"["60s"]"#,
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let body = order("asked", "VIP #lost-reply #no-callback");
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();
    shop.becomes(&order_id, "UNKNOWN").await;

    let path = format!("/v1/orders/{order_id}/query");
    let answer = shop.ask("POST", &path, OPERATOR, None).await;

    assert_eq!((answer.status, answer.text("status")), (200, "PAID"));
    assert_eq!(answer.body["check_count"], 0, "it uses no rung");
    processor.charged_once("asked").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn processing_is_not_knowing() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("busy", "VIP #processing #no-callback");
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();

    let unknown = shop.becomes(&order_id, "UNKNOWN").await;
    assert_eq!(unknown["reason"], "channel_processing");
    processor.pay("busy").await;
    let paid = shop.becomes(&order_id, "PAID").await;

    assert_eq!(
        (&paid["submit_count"], &paid["reason"]),
        (&json!(1), &json!(null))
    );
    processor.charged_once("busy").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_charge_is_a_definite_no() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("no", "VIP #declined");

    let answer = shop.create(&body).await;

    assert_eq!(answer.status, 200, "{:?}", answer.body);
    assert_eq!(
        (answer.text("status"), answer.text("reason")),
        ("FAILED", "declined")
    );
    assert_eq!(alerts_of(&shop, answer.text("order_id")).await, [""; 0]);
    let again = shop.create(&body).await;
    assert_eq!((again.status, again.text("status")), (200, "FAILED"));
    let charge = processor.charge("no").await.expect("it was asked");
    assert_eq!((charge.charged_times, charge.submits), (0, 1));
}
