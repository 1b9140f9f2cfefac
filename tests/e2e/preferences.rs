//! How long a caller wants to wait.

use crate::support::{Processor, Shop, Stage, alerts_of, order};

fn stage() -> Stage {
    Stage {
        ui_deadline: "3s",
        read_timeout: "60s",
        schedule: r#"["60s", "60s"]"#,
        ..Stage::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn respond_async_answers_with_the_order_as_created_and_is_no_deadline() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, stage()).await;
    let body = order("async", "VIP #delay=1s #no-callback");
    let headers = [("prefer", "respond-async, wait=10")];

    let answer = shop
        .ask_with("POST", "/v1/orders", &headers, Some(&body))
        .await;

    assert_eq!(answer.status, 202, "{:?}", answer.body);
    assert_eq!(answer.text("status"), "PROCESSING");
    assert_eq!(answer.header("preference-applied"), "respond-async");
    let order_id = answer.text("order_id").to_owned();
    shop.becomes(&order_id, "PAID").await;
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        [""; 0],
        "nobody was told to wait"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_that_runs_out_counts_as_the_deadline() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, stage()).await;
    let body = order("brief", "VIP #delay=4s #no-callback");
    let headers = [("prefer", "wait=1")];

    let answer = shop
        .ask_with("POST", "/v1/orders", &headers, Some(&body))
        .await;

    assert_eq!(answer.status, 202, "{:?}", answer.body);
    assert_eq!(answer.header("preference-applied"), "wait=1");
    assert_eq!(
        answer.text("message"),
        "The result is still being confirmed. Please do not pay again."
    );
    let order_id = answer.text("order_id").to_owned();
    shop.becomes(&order_id, "PAID").await;
    assert_eq!(
        alerts_of(&shop, &order_id).await,
        ["slow_success info open"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_longer_wait_is_capped_and_a_malformed_one_ignored() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, stage()).await;
    let long = [("prefer", "wait=3600")];
    let odd = [("prefer", "wait=soon; respond-async=maybe")];
    let slow = order("capped", "VIP #delay=30s #no-callback");
    let quick = order("quick", "VIP #no-callback");

    let (capped, ignored) = tokio::join!(
        shop.ask_with("POST", "/v1/orders", &long, Some(&slow)),
        shop.ask_with("POST", "/v1/orders", &odd, Some(&quick)),
    );

    assert_eq!((capped.status, capped.text("status")), (202, "UNKNOWN"));
    assert_eq!(capped.header("preference-applied"), "wait=3");
    assert_eq!((ignored.status, ignored.text("status")), (200, "PAID"));
    assert_eq!(ignored.header("preference-applied"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_waits_is_answered_200_settled_or_not() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, stage()).await;
    let body = order("looked", "VIP #delay=2s #no-callback");
    let created = shop.create_async(&body).await;
    let path = format!("/v1/orders/{}", created.text("order_id"));

    let brief = shop
        .ask_with("GET", &path, &[("prefer", "wait=0")], None)
        .await;
    assert_eq!(brief.status, 200);
    assert_ne!(brief.text("status"), "PAID");
    let path_again = path.clone();
    let patient = shop
        .ask_with("GET", &path_again, &[("prefer", "wait=3")], None)
        .await;
    assert_eq!(patient.status, 200);
    shop.becomes(created.text("order_id"), "PAID").await;
    assert_eq!(
        alerts_of(&shop, created.text("order_id")).await,
        [""; 0],
        "a look is no deadline of a create"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_waits_sees_the_payer_pay() {
    let processor = Processor::start().await;
    let stage = Stage {
        ui_deadline: "20s",
        read_timeout: "30s",
        schedule: r#"["10s", "30s"]"#,
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let waiting = shop
        .create(&order("qr-1", "VIP #pending #pay-after=1s"))
        .await;
    assert_eq!(waiting.text("status"), "PENDING");

    let path = format!("/v1/orders/{}", waiting.text("order_id"));
    let seen = shop
        .ask_with("GET", &path, &[("prefer", "wait=20")], None)
        .await;

    assert_eq!((seen.status, seen.text("status")), (200, "PAID"));
}
