//! The same order again, and another under its number or its key.

use crate::support::{
    ADMIN, Answer, Contract, MERCHANT, Processor, Shop, Stage, is_problem, order,
};
use serde_json::{Value, json};

async fn keyed(shop: &Shop, who: &str, key: &str, body: &Value) -> Answer {
    let request = shop.client.post(shop.url("/v1/orders")).bearer_auth(who);
    let request = request.header("content-type", "application/json");
    shop.send(
        request
            .header("idempotency-key", key)
            .body(body.to_string()),
    )
    .await
}

/// Another till of the merchant's, with a key of its own.
async fn second_till(shop: &Shop) -> String {
    let body = json!({"name": "till-2", "role": "merchant"});
    let made = shop.ask("POST", "/v1/keys", ADMIN, Some(&body)).await;
    assert_eq!(made.status, 201, "{:?}", made.body);
    made.text("key").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idempotency_key_stands_for_one_payload_of_one_caller() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let first = keyed(
        &shop,
        MERCHANT,
        "tap-1",
        &order("keyed-1", "VIP #no-callback"),
    )
    .await;
    assert_eq!(first.status, 200, "{:?}", first.body);

    let mut dearer = order("keyed-1", "VIP #no-callback");
    dearer["amount"] = json!(2000);
    for body in [order("keyed-2", "VIP"), dearer] {
        let answer = keyed(&shop, MERCHANT, "tap-1", &body).await;
        is_problem(&answer, 422, "idempotency-key-reuse", &body.to_string());
        contract.covers("POST", "/v1/orders", &answer);
    }
    // Subject and metadata do not count, and the same payload is the same order.
    let mut renamed = order("keyed-1", "VIP, renamed");
    renamed["metadata"] = json!({"cart": "c-9"});
    let again = keyed(&shop, MERCHANT, "tap-1", &renamed).await;
    assert_eq!(again.text("order_id"), first.text("order_id"));
    assert_eq!(again.text("subject"), "VIP #no-callback");
    assert!(shop.find("keyed-2").await.is_none());
    assert_eq!(processor.charged_once("keyed-1").await.submits, 1);

    // Another caller's key of the same text is another key.
    let till = second_till(&shop).await;
    let other = keyed(&shop, &till, "tap-1", &order("keyed-3", "VIP")).await;
    assert_eq!((other.status, other.text("order_no")), (200, "keyed-3"));
    // And it is spent there too.
    let reuse = keyed(&shop, &till, "tap-1", &order("keyed-4", "VIP")).await;
    is_problem(
        &reuse,
        422,
        "idempotency-key-reuse",
        "the second till's key",
    );
    // The key of a create says nothing about a close.
    let close = shop
        .client
        .post(shop.url(&format!("/v1/orders/{}/close", other.text("order_id"))));
    let close = close.bearer_auth(&till).header("idempotency-key", "tap-1");
    is_problem(&shop.send(close).await, 409, "already-paid", "a close");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_payload_under_a_taken_number_is_refused_and_the_first_is_untouched() {
    let processor = Processor::start().await;
    let more = format!(
        "[channels.other]\nkind = \"http\"\nbase_url = \"{}\"\nsecret = \"{}\"\nread_timeout = \"3s\"\n",
        processor.base_url(),
        processor.secret
    );
    let shop = Shop::open(
        &processor,
        Stage {
            more,
            ..Stage::default()
        },
    )
    .await;
    let contract = Contract::of(&shop).await;
    let mut body = order("taken", "VIP #no-callback");
    body["account"] = json!("user-42");
    body["entitlements"] =
        json!([{"kind": "credits", "quantity": 10}, {"kind": "days", "quantity": 3}]);
    let first = shop.create(&body).await;
    assert_eq!(first.text("status"), "PAID", "{:?}", first.body);
    let events = shop.events(first.text("order_id")).await;
    for (field, value) in [
        ("amount", json!(2000)),
        ("currency", json!("USD")),
        ("channel", json!("other")),
        ("method", json!("card")),
        ("account", json!("user-43")),
        ("entitlements", json!([{"kind": "credits", "quantity": 10}])),
        (
            "entitlements",
            json!([{"kind": "credits", "quantity": 11}, {"kind": "days", "quantity": 3}]),
        ),
    ] {
        let mut changed = body.clone();
        changed[field] = value;
        let answer = shop.create(&changed).await;
        is_problem(&answer, 422, "order-conflict", &changed.to_string());
        contract.covers("POST", "/v1/orders", &answer);
    }
    // The order of entitlements is no difference.
    body["entitlements"] =
        json!([{"kind": "days", "quantity": 3}, {"kind": "credits", "quantity": 10}]);
    assert_eq!(
        shop.create(&body).await.text("order_id"),
        first.text("order_id")
    );
    assert_eq!(
        shop.get(first.text("order_id")).await["version"],
        first.body["version"]
    );
    assert_eq!(shop.events(first.text("order_id")).await, events);
    assert_eq!(processor.charged_once("taken").await.submits, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_order_comes_back_in_whatever_status_it_has() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    for (order_no, subject, status, http) in [
        ("again-paid", "VIP #no-callback", "PAID", 200),
        ("again-failed", "VIP #declined", "FAILED", 200),
        ("again-pending", "VIP #pending #no-callback", "PENDING", 202),
        (
            "again-manual",
            "VIP #wrong-amount=1 #no-callback",
            "MANUAL",
            202,
        ),
    ] {
        let body = order(order_no, subject);
        let first = shop.create(&body).await;
        shop.becomes(first.text("order_id"), status).await;
        for _ in 0..3 {
            let again = shop.create(&body).await;
            assert_eq!(
                (again.status, again.text("status")),
                (http, status),
                "{:?}",
                again.body
            );
            assert_eq!(again.text("order_id"), first.text("order_id"));
        }
    }
    // Abandoned and expired: it is closed at the channel first, and comes back closed; nothing begins anew.
    let mut expiring = order("again-expired", "VIP #pending #no-callback");
    expiring["expires_in"] = json!(1);
    let first = shop.create(&expiring).await;
    let closed = shop.becomes(first.text("order_id"), "CLOSED").await;
    assert_eq!(closed["reason"], "expired");
    let again = shop.create(&expiring).await;
    assert_eq!((again.status, again.text("status")), (200, "CLOSED"));
    assert_eq!(again.text("order_id"), first.text("order_id"));
    let charge = processor
        .charge("again-expired")
        .await
        .expect("it is known there");
    assert_eq!((charge.submits, charge.charged_times), (1, 0));
    assert!(
        charge.closes >= 1 || charge.status == "CLOSED",
        "{charge:?}"
    );
    let new = shop.create(&order("again-new", "VIP #no-callback")).await;
    assert_ne!(new.text("order_id"), first.text("order_id"));
}
