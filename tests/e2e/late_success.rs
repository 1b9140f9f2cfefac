//! Money that comes after the end: never silent, and as the policy says.

use crate::support::{OPERATOR, Processor, Shop, Stage, alerts_of, eventually, order};
use serde_json::{Value, json};

/// An order that expired unpaid, whose payer can still pay at the channel.
async fn expired(shop: &Shop, order_no: &str) -> (String, Value) {
    let mut body = order(order_no, "VIP #pending #late-success #no-callback");
    body["expires_in"] = json!(1);
    let created = shop.create(&body).await;
    let order_id = created.text("order_id").to_owned();
    shop.becomes(&order_id, "CLOSED").await;
    (order_id, body)
}

#[tokio::test(flavor = "multi_thread")]
async fn it_waits_for_a_person_however_often_the_channel_repeats_it() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let (order_id, body) = expired(&shop, "n3").await;

    processor.pay("n3").await;
    processor.notify("n3", 1).await;
    let manual = shop.becomes(&order_id, "MANUAL").await;
    assert_eq!(manual["reason"], "late_success");
    for _ in 0..2 {
        processor.notify("n3", 4).await;
    }
    eventually("the repeats are counted", || async {
        let count = shop.get(&order_id).await["callback_count"].clone();
        (count == 9).then_some(()).ok_or_else(|| count.to_string())
    })
    .await;

    let order = shop.get(&order_id).await;
    assert_eq!(
        (&order["status"], &order["version"]),
        (&json!("MANUAL"), &manual["version"])
    );
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["late_success action open"]
    );
    let again = shop.create(&body).await;
    assert_eq!((again.status, again.text("status")), (202, "MANUAL"));

    let denial = json!({"decision": "NOT_PAID", "basis": "it had expired", "expected_version": order["version"]});
    let refused = shop.review(&order_id, OPERATOR, &denial).await;
    assert_eq!(
        (refused.status, refused.text("code")),
        (422, "evidence-of-payment")
    );
    let grant = json!({"decision": "PAID", "basis": "the payer wants it", "expected_version": order["version"]});
    let reviewed = shop.review(&order_id, OPERATOR, &grant).await;
    assert_eq!(
        (reviewed.text("status"), reviewed.text("reason")),
        ("PAID", "review"),
        "{:?}",
        reviewed.body
    );
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["late_success action resolved"]
    );
    processor.charged_once("n3").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_delivered_where_the_policy_says_so_but_never_beside_the_order_that_replaced_it() {
    let processor = Processor::start().await;
    let stage = Stage {
        late_success: "fulfil",
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let (alone, _) = expired(&shop, "alone").await;
    let (replaced, _) = expired(&shop, "replaced").await;
    let mut successor = order("successor", "VIP #no-callback");
    successor["replaces"] = json!("replaced");
    let paid = shop.create(&successor).await;
    assert_eq!(paid.text("status"), "PAID", "{:?}", paid.body);

    for order_no in ["alone", "replaced"] {
        processor.pay(order_no).await;
        processor.notify(order_no, 1).await;
    }

    shop.becomes(&alone, "PAID").await;
    assert_eq!(alerts_of(&shop, &alone).await, ["late_success info open"]);
    assert_eq!(
        suggested(&shop, &alone).await,
        "None; tell the payer if they ask."
    );
    let manual = shop.becomes(&replaced, "MANUAL").await;
    assert_eq!(manual["reason"], "late_success");
    assert_eq!(
        alerts_of(&shop, &replaced).await,
        ["late_success action open"]
    );
    assert!(
        suggested(&shop, &replaced)
            .await
            .starts_with("Review with PAID")
    );
}

/// What the order's alert says is to be done: a review can decide only what a policy has left open.
async fn suggested(shop: &Shop, order_id: &str) -> String {
    let answer = shop.ask("GET", "/v1/alerts", OPERATOR, None).await;
    let alerts = answer.body["data"].as_array().unwrap();
    let alert = alerts.iter().find(|alert| alert["order_id"] == order_id);
    alert.unwrap()["suggested_action"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_order_that_is_still_open_cannot_be_replaced() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    shop.create(&order("open", "VIP #pending #no-callback"))
        .await;
    let mut successor = order("hasty", "VIP");
    successor["replaces"] = json!("open");

    let refused = shop.create(&successor).await;

    assert_eq!(
        (refused.status, refused.text("code")),
        (409, "replaced-order-open"),
        "{:?}",
        refused.body
    );
    assert!(processor.charge("hasty").await.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_purchase_has_one_order_that_is_open_or_paid() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    shop.create(&order("first-try", "VIP #declined")).await;
    let successor = |order_no: &str| {
        let mut body = order(order_no, "VIP #no-callback");
        body["replaces"] = json!("first-try");
        body
    };
    let bodies: Vec<_> = (0..5).map(|n| successor(&format!("again-{n}"))).collect();

    let answers = futures_util::future::join_all(bodies.iter().map(|body| shop.create(body))).await;

    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    let paid = statuses.iter().filter(|status| **status == 200).count();
    assert_eq!(paid, 1, "{statuses:?}");
    for answer in answers.iter().filter(|answer| answer.status != 200) {
        assert_eq!(
            (answer.status, answer.text("code")),
            (409, "replaced-order-open")
        );
    }
    let charged: u64 = processor
        .charges()
        .await
        .iter()
        .map(|charge| charge.charged_times)
        .sum();
    assert_eq!(charged, 1);
}
