//! The charge has landed and its reply is late, or never comes: nobody is told that it failed.

use crate::support::{MERCHANT, OPERATOR, Processor, Shop, Stage, alerts_of, eventually, order};
use serde_json::json;

/// Times under which a reply may be late without any check coming first.
fn patient() -> Stage {
    Stage {
        read_timeout: "60s",
        schedule: r#"["60s", "60s"]"#,
        ..Stage::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_reply_pays_an_order_whose_user_was_told_to_wait() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, patient()).await;

    let answer = shop
        .ask_with(
            "POST",
            "/v1/orders",
            &[("accept-language", "zh-CN")],
            Some(&order("late", "VIP #delay=5s #no-callback")),
        )
        .await;

    assert_eq!(answer.status, 202, "{:?}", answer.body);
    assert_eq!(answer.text("status"), "UNKNOWN");
    assert_eq!(answer.text("reason"), "submit_timeout");
    assert_eq!(answer.text("message"), "支付结果仍在确认中，请勿重复支付");
    let order_id = answer.text("order_id").to_owned();
    assert_eq!(
        answer.header("location"),
        shop.url(&format!("/v1/orders/{order_id}"))
    );
    assert!(!answer.header("retry-after").is_empty());

    let paid = shop.becomes(&order_id, "PAID").await;
    assert_eq!(
        (&paid["check_count"], &paid["submit_count"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(
        shop.history(&order_id).await,
        ["created", "submit", "submit_timeout", "submit_reply"]
    );
    let notes = alerts_of(&shop, &order_id).await;
    assert_eq!(notes, ["slow_success info open"]);
    let charge = processor.charged_once("late").await;
    assert_eq!((charge.submits, charge.queries), (1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_time_out_is_never_a_failure_and_carries_the_order() {
    let processor = Processor::start().await;
    let stage = Stage {
        on_deadline: "gateway-timeout",
        ..patient()
    };
    let shop = Shop::open(&processor, stage).await;
    let body = order("slow", "VIP #delay=5s #no-callback");

    let answer = shop.create(&body).await;

    assert_eq!(answer.status, 504, "{:?}", answer.body);
    assert_eq!(answer.header("content-type"), "application/problem+json");
    assert_eq!(answer.text("code"), "payment-unconfirmed");
    assert_eq!(
        answer.text("type"),
        "urn:oncepay:problem:payment-unconfirmed"
    );
    let inside = &answer.body["order"];
    assert_eq!(inside["status"], "UNKNOWN");
    assert_eq!(inside["order_no"], "slow");
    let order_id = inside["order_id"].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        answer.header("location"),
        shop.url(&format!("/v1/orders/{order_id}"))
    );

    shop.becomes(&order_id, "PAID").await;
    let again = shop.create(&body).await;
    assert_eq!((again.status, again.text("status")), (200, "PAID"));
    assert_eq!(processor.charged_once("slow").await.submits, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_pays_an_order_whose_reply_was_lost_and_whose_queries_fail() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let body = order("told", "VIP #lost-reply #query=timeout #callback-delay=3s");

    let answer = shop.create(&body).await;

    assert_eq!(answer.status, 202);
    let order_id = answer.text("order_id").to_owned();
    let paid = shop.becomes(&order_id, "PAID").await;
    assert_eq!(paid["callback_count"], 1);
    for event in shop.events(&order_id).await {
        let to = event["to"].as_str().unwrap_or_default();
        assert!(
            ["UNPAID", "PROCESSING", "UNKNOWN", "PAID"].contains(&to),
            "a time-out was taken for an end: {event}"
        );
    }
    processor.charged_once("told").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn proof_after_the_last_check_pays_the_order_and_resolves_its_alert() {
    let processor = Processor::start().await;
    let stage = Stage {
        schedule: r#"["200ms", "200ms", "200ms"]"#,
        max_submits: 1,
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let body = order("mute", "VIP #lost-reply #query=timeout #no-callback");
    let order_id = shop.create_async(&body).await.text("order_id").to_owned();

    let manual = shop.becomes(&order_id, "MANUAL").await;
    assert_eq!(manual["reason"], "max_checks");
    assert_eq!(manual["check_count"], 3);
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["order_manual action open"]
    );
    assert_eq!(processor.charged_once("mute").await.queries, 3);

    processor
        .control(json!({"notify": {"key": "pay:order:mute", "copies": 1}}))
        .await;
    shop.becomes(&order_id, "PAID").await;
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["order_manual action resolved"]
    );
    let retold = shop
        .review(
            &order_id,
            OPERATOR,
            &json!({"decision": "NOT_PAID", "basis": "a guess", "expected_version": manual["version"]}),
        )
        .await;
    assert_eq!(
        (retold.status, retold.text("code")),
        (409, "not-reviewable")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_create_that_comes_again_while_the_first_waits_gets_the_same_order() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, patient()).await;
    let body = order("nervous", "VIP #delay=1s #no-callback");

    let first = shop.create_async(&body).await;
    let order_id = first.text("order_id").to_owned();
    let look = format!("/v1/orders/{order_id}");
    let (again, looked) = tokio::join!(
        shop.create(&body),
        shop.ask_with("GET", &look, &[("prefer", "wait=10")], None),
    );

    assert_eq!(again.text("order_id"), order_id);
    assert_eq!(looked.text("order_id"), order_id);
    assert_eq!(looked.status, 200);
    eventually("the list shows it paid", || async {
        let path = "/v1/orders?status=PAID&channel=sandbox";
        let list = shop.ask("GET", path, MERCHANT, None).await;
        match list.body["data"].as_array().map(Vec::len) {
            Some(1) => Ok(()),
            _ => Err(list.body.to_string()),
        }
    })
    .await;
    assert_eq!(processor.charged_once("nervous").await.submits, 1);
}
