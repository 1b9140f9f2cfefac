//! What the merchant is told: signed, once for each thing that happened, as it was committed.

use crate::support::{
    Contract, Does, MERCHANT, NEXT_WEBHOOK_SECRET, OPERATOR, Processor, Receiver, Shop, Stage,
    VIEWER, WEBHOOK_SECRET, is_problem, order,
};
use serde_json::json;

async fn open(receiver: &Receiver) -> (Processor, Shop) {
    let processor = Processor::start().await;
    let stage = Stage {
        more: receiver.configuration(),
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    (processor, shop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paid_order_is_told_once_as_it_was_committed() {
    let receiver = Receiver::open().await;
    let (_processor, shop) = open(&receiver).await;
    let mut body = order("told-1", "VIP+ 月卡 #callbacks=5");
    body["metadata"] = json!({"cart": "c-9"});

    let paid = shop.create(&body).await;

    let got = receiver.gets(1, "order.paid", "told-1").await;
    let (first, data) = (&got[0], &got[0].body["data"]);
    assert_eq!(first.line, "POST /hooks/oncepay HTTP/1.1");
    assert_eq!(first.header("content-type"), "application/json");
    assert!(first.header("user-agent").starts_with("oncepay/"));
    assert!(first.is_signed_with(WEBHOOK_SECRET), "{first:?}");
    assert!(!first.is_signed_with(NEXT_WEBHOOK_SECRET));
    let events = shop.events(paid.text("order_id")).await;
    let mut events = events.iter();
    let event = events.find(|event| event["to"] == "PAID").expect("paid");
    assert_eq!(first.id(), event["event_id"], "the id of what happened");
    let version = data["version"].as_i64().expect("a version");
    assert!(version <= paid.body["version"].as_i64().expect("a version"));
    for field in [
        "order_id",
        "order_no",
        "amount",
        "currency",
        "subject",
        "metadata",
        "live",
        "channel_trade_no",
        "status",
        "paid_at",
    ] {
        assert_eq!(data[field], paid.body[field], "{field}");
    }
    // Five notices more, and a restart, are no news.
    let mut shop = shop;
    shop.crash_and_start_again().await;
    shop.create(&order("told-2", "VIP")).await;
    receiver.gets(1, "order.paid", "told-2").await;
    assert_eq!(receiver.got().len(), 2, "{:?}", receiver.got());
}

#[tokio::test(flavor = "multi_thread")]
async fn each_end_and_each_stay_with_a_person_is_told() {
    let receiver = Receiver::open().await;
    let (processor, shop) = open(&receiver).await;

    shop.create(&order("ends-failed", "VIP #declined")).await;
    let pending = shop.create(&order("ends-closed", "VIP #pending")).await;
    let path = format!("/v1/orders/{}/close", pending.text("order_id"));
    shop.ask("POST", &path, MERCHANT, None).await;
    let manual = shop
        .create(&order("ends-manual", "VIP #wrong-amount=1 #no-callback"))
        .await;
    let manual = shop.becomes(manual.text("order_id"), "MANUAL").await;

    let failed = receiver.gets(1, "order.failed", "ends-failed").await;
    assert_eq!(failed[0].body["data"]["status"], "FAILED");
    let closed = receiver.gets(1, "order.closed", "ends-closed").await;
    assert_eq!(closed[0].body["data"]["status"], "CLOSED");
    let told = receiver.gets(1, "order.manual", "ends-manual").await;
    assert_eq!(told[0].body["data"]["reason"], "amount_mismatch");

    // A review that decides PAID is told like any other way to be paid.
    let review =
        json!({"decision": "PAID", "basis": "line 17", "expected_version": manual["version"]});
    let order_id = manual["order_id"].as_str().expect("an id");
    let reviewed = shop.review(order_id, OPERATOR, &review).await;
    assert_eq!(reviewed.status, 200, "{:?}", reviewed.body);
    let paid = receiver.gets(1, "order.paid", "ends-manual").await;
    assert_eq!(paid[0].body["data"]["version"], reviewed.body["version"]);
    assert_eq!(receiver.got().len(), 4, "{:?}", receiver.got());
    drop(processor);
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_rotation_every_message_is_signed_with_both_secrets() {
    let (receiver, processor) = (Receiver::open().await, Processor::start().await);
    let secrets = [WEBHOOK_SECRET, NEXT_WEBHOOK_SECRET];
    let stage = Stage {
        more: receiver.configuration_with(&secrets, r#"["100ms"]"#),
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;

    shop.create(&order("rotated", "VIP")).await;

    let got = receiver.gets(1, "order.paid", "rotated").await;
    for secret in secrets {
        assert!(got[0].is_signed_with(secret), "{secret}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_delivered_can_be_sent_again_under_the_same_id() {
    let receiver = Receiver::open().await;
    let (_processor, shop) = open(&receiver).await;
    shop.create(&order("again", "VIP")).await;
    let delivery = shop
        .delivery_becomes("again", "order.paid", "DELIVERED")
        .await;
    let id = delivery["delivery_id"].as_str().expect("an id");

    let refused = shop.redeliver(id, VIEWER).await;
    is_problem(&refused, 403, "forbidden", "a viewer looks");
    let again = shop.redeliver(id, OPERATOR).await;
    assert_eq!(again.status, 202, "{:?}", again.body);
    assert_eq!(again.body["webhook_id"], delivery["webhook_id"]);

    let got = receiver.gets(2, "order.paid", "again").await;
    assert_eq!(got[0].id(), got[1].id());
    assert_eq!(got[0].raw, got[1].raw, "the same message");
    let delivery = shop
        .delivery_becomes("again", "order.paid", "DELIVERED")
        .await;
    assert_eq!(delivery["attempts"].as_array().map(Vec::len), Some(2));
    let audited =
        "SELECT COUNT(*) FROM audit_log WHERE action = 'redeliver' AND actor = 'operator:ann'";
    assert_eq!(shop.database.number(audited).await, 1);
    for unknown in ["dlv_1", &format!("dlv_{}", "0".repeat(32)), "x"] {
        let answer = shop.redeliver(unknown, OPERATOR).await;
        is_problem(&answer, 404, "not-found", unknown);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_is_a_list_as_the_document_says() {
    let receiver = Receiver::open().await;
    let (_processor, shop) = open(&receiver).await;
    receiver.does(|got, _| match got.order_no() {
        "list-2" => Does::Answers(500),
        _ => Does::Answers(200),
    });
    for n in 1..=3 {
        shop.create(&order(&format!("list-{n}"), "VIP")).await;
    }
    for n in [1, 3] {
        shop.delivery_becomes(&format!("list-{n}"), "order.paid", "DELIVERED")
            .await;
    }
    receiver.gets(2, "order.paid", "list-2").await;
    let contract = Contract::of(&shop).await;

    let get = async |query: &str| {
        let path = format!("/v1/deliveries{query}");
        let answer = shop.ask("GET", &path, VIEWER, None).await;
        contract.covers("GET", &path, &answer);
        answer
    };
    let numbers = |answer: &crate::support::Answer| -> Vec<String> {
        let data = answer.body["data"].as_array().expect("a list");
        data.iter()
            .map(|it| it["order_no"].as_str().expect("text").to_owned())
            .collect()
    };
    assert_eq!(numbers(&get("").await), ["list-3", "list-2", "list-1"]);
    assert_eq!(
        numbers(&get("?status=DELIVERED").await),
        ["list-3", "list-1"]
    );
    let pending = get("?status=PENDING").await;
    assert_eq!(numbers(&pending), ["list-2"]);
    let attempt = &pending.body["data"][0]["attempts"][0];
    assert_eq!(
        (&attempt["http_status"], &attempt["error"]),
        (&json!(500), &json!("answered 500"))
    );
    assert!(pending.body["data"][0]["next_at"].is_string());
    let page = get("?limit=2").await;
    assert_eq!(numbers(&page), ["list-3", "list-2"]);
    let rest = get(&format!("?limit=2&cursor={}", page.text("next_cursor"))).await;
    assert_eq!(numbers(&rest), ["list-1"]);
    assert!(rest.body["next_cursor"].is_null());
    assert_eq!(numbers(&get("?order_no=list-1").await), ["list-1"]);
    for (query, field) in [
        ("?status=SENT", "status"),
        ("?order_no=a%20b", "order_no"),
        ("?cursor=ord_1", "cursor"),
        ("?x=1", "x"),
    ] {
        let answer = get(query).await;
        is_problem(&answer, 422, "validation", query);
        assert_eq!(crate::support::fields(&answer), [field]);
    }
    let merchant = shop.ask("GET", "/v1/deliveries", MERCHANT, None).await;
    is_problem(&merchant, 403, "forbidden", "a merchant's key");
    let again = shop
        .redeliver(
            pending.body["data"][0]["delivery_id"]
                .as_str()
                .expect("an id"),
            OPERATOR,
        )
        .await;
    contract.covers("POST", "/v1/deliveries/dlv_1/redeliver", &again);

    let metrics = shop.ask("GET", "/metrics", VIEWER, None).await;
    let text = metrics.body.as_str().expect("text");
    assert!(
        text.contains(r#"oncepay_deliveries_total{outcome="delivered"} 2"#),
        "{text}"
    );
    assert!(
        text.contains(r#"oncepay_outbox_waiting{queue="deliveries"} 1"#),
        "{text}"
    );
}
