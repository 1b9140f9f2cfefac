//! What a number and a key stand for.

use crate::support::{Answer, Processor, Shop, Stage, order};
use serde_json::{Value, json};

const OTHER_MERCHANT: &str = "opk_merchant_another-shop-0123456789abcdef012345";

fn stage() -> Stage {
    Stage {
        more: format!(
            "[[keys]]\nname = \"shop-2\"\nrole = \"merchant\"\nkey = \"{OTHER_MERCHANT}\"\n"
        ),
        ..Stage::default()
    }
}

async fn create(shop: &Shop, key: &str, body: &Value) -> Answer {
    let headers = [("idempotency-key", key)];
    shop.ask_with("POST", "/v1/orders", &headers, Some(body))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_stands_for_one_payload_of_its_owner() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, stage()).await;
    let body = order("first", "VIP #no-callback");
    let first = create(&shop, "k-1", &body).await;
    assert_eq!(first.text("status"), "PAID", "{:?}", first.body);

    let mut dearer = body.clone();
    dearer["amount"] = json!(2000);
    let mut other_number = body.clone();
    other_number["order_no"] = json!("second");
    for changed in [&dearer, &other_number] {
        let refused = create(&shop, "k-1", changed).await;
        assert_eq!(
            (refused.status, refused.text("code")),
            (422, "idempotency-key-reuse"),
            "{:?}",
            refused.body
        );
    }
    assert!(shop.find("second").await.is_none());

    // Subject and metadata do not count.
    let mut retold = body.clone();
    retold["subject"] = json!("VIP, renamed");
    retold["metadata"] = json!({"cart": "c-9"});
    let same = create(&shop, "k-1", &retold).await;
    assert_eq!(same.status, 200, "{:?}", same.body);
    assert_eq!(same.text("order_id"), first.text("order_id"));
    assert_eq!(same.text("subject"), "VIP #no-callback");

    // Another owner's key of the same text is another key.
    let theirs = shop
        .client
        .post(shop.url("/v1/orders"))
        .bearer_auth(OTHER_MERCHANT)
        .header("idempotency-key", "k-1")
        .header("content-type", "application/json")
        .body(order("theirs", "VIP #no-callback").to_string())
        .send()
        .await
        .expect("the shop answers");
    assert_eq!(theirs.status(), 200);

    assert_eq!(shop.get(first.text("order_id")).await["amount"], 1999);
    assert_eq!(processor.charged_once("first").await.submits, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_stands_for_one_payload_and_answers_with_its_present_status() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, stage()).await;
    let scripts = [
        ("paid", "VIP #no-callback", 200, "PAID"),
        ("waits", "VIP #pending #no-callback", 202, "PENDING"),
        ("no", "VIP #declined #no-callback", 200, "FAILED"),
    ];
    for (order_no, subject, status, name) in scripts {
        let body = order(order_no, subject);
        let first = shop.create(&body).await;
        for _ in 0..2 {
            let again = shop.create(&body).await;
            assert_eq!((again.status, again.text("status")), (status, name));
            assert_eq!(again.text("order_id"), first.text("order_id"));
            assert_eq!(again.body["version"], first.body["version"]);
        }
        assert_eq!(processor.calls(order_no).await.submits, 1);
    }

    let changes = [
        json!({"amount": 5}),
        json!({"currency": "USD"}),
        json!({"method": "qr"}),
        json!({"account": "user-42"}),
        json!({"account": "user-42", "entitlements": [{"kind": "credits", "quantity": 1}]}),
    ];
    for change in changes {
        let mut body = order("paid", "VIP #no-callback");
        for (field, value) in change.as_object().expect("an object") {
            body[field] = value.clone();
        }
        let refused = shop.create(&body).await;
        assert_eq!(
            (refused.status, refused.text("code")),
            (422, "order-conflict"),
            "{change}: {:?}",
            refused.body
        );
    }
    assert_eq!(processor.charged_once("paid").await.submits, 1);
    let order = shop.find("paid").await.expect("the first is untouched");
    assert_eq!(
        (&order["status"], &order["amount"]),
        (&json!("PAID"), &json!(1999))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_number_with_another_channel_is_a_conflict() {
    let processor = Processor::start().await;
    let mut stage = stage();
    stage.more.push_str(&format!(
        "[channels.other]\nkind = \"http\"\nbase_url = \"{}\"\nsecret = \"{}\"\nread_timeout = \"3s\"\n",
        processor.base_url(),
        processor.secret
    ));
    let shop = Shop::open(&processor, stage).await;
    let mut body = order("moved", "VIP #no-callback");
    shop.create(&body).await;

    body["channel"] = json!("other");
    let refused = shop.create(&body).await;

    assert_eq!(
        (refused.status, refused.text("code")),
        (422, "order-conflict")
    );
    processor.charged_once("moved").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_and_numbers_hold_over_a_restart() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, stage()).await;
    let body = order("kept", "VIP #no-callback");
    let first = create(&shop, "k-1", &body).await;

    shop.crash_and_start_again().await;

    let again = create(&shop, "k-1", &body).await;
    assert_eq!(again.text("order_id"), first.text("order_id"));
    let mut dearer = body.clone();
    dearer["amount"] = json!(2000);
    let reused = create(&shop, "k-1", &dearer).await;
    assert_eq!(reused.text("code"), "idempotency-key-reuse");
    let conflict = shop.create(&dearer).await;
    assert_eq!(conflict.text("code"), "order-conflict");
    assert_eq!(processor.charged_once("kept").await.submits, 1);
}
