//! Asking for a refund: who may, what is refused and why, and how long it waits.

use crate::support::{
    ADMIN, Contract, MERCHANT, OPERATOR, Processor, Shop, Stage, TILL, VIEWER, fields, is_problem,
    order, refund, refunds_of,
};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_name_their_field_and_reach_nobody() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let paid = shop.paid("ra-1", 1000, "VIP #no-callback").await;
    let no = |refund_no: &str| json!({"refund_no": refund_no, "amount": 1});
    let amount = |raw: &str| -> Value {
        serde_json::from_str(&format!(r#"{{"refund_no": "r-1", "amount": {raw}}}"#)).expect("JSON")
    };
    for (body, field) in [
        (amount("0"), "amount"),
        (amount("-500"), "amount"),
        (amount("5.5"), "amount"),
        (amount("\"500\""), "amount"),
        (amount("null"), "amount"),
        (json!({"refund_no": "r-1"}), "amount"),
        (json!({"amount": 1}), "refund_no"),
        (no(""), "refund_no"),
        (no(".."), "refund_no"),
        (no("r/1"), "refund_no"),
        (no("r 1"), "refund_no"),
        (no(&"r".repeat(65)), "refund_no"),
        (json!({"refund_no": 1, "amount": 1}), "refund_no"),
        (
            json!({"refund_no": "r-1", "amount": 1, "reason": "x".repeat(257)}),
            "reason",
        ),
        (
            json!({"refund_no": "r-1", "amount": 1, "channel_trade_no": ""}),
            "channel_trade_no",
        ),
        (
            json!({"refund_no": "r-1", "amount": 1, "currency": "CNY"}),
            "currency",
        ),
    ] {
        let answer = shop.refund_with(&paid, MERCHANT, &body).await;
        is_problem(&answer, 422, "validation", &body.to_string());
        contract.covers("POST", &refunds_of(&paid), &answer);
        assert_eq!(fields(&answer), [field], "{body}");
    }
    for raw in ["1.0", "1e2", "-0"] {
        let body = format!(r#"{{"refund_no": "r-1", "amount": {raw}}}"#);
        let request = shop
            .client
            .post(shop.url(&refunds_of(&paid)))
            .bearer_auth(MERCHANT)
            .header("content-type", "application/json")
            .body(body);
        is_problem(&shop.send(request).await, 422, "validation", raw);
    }
    assert!(shop.refunds(&paid).await.is_empty());
    assert_eq!(processor.calls("ra-1").await.refunds, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merchant_needs_the_scope_a_viewer_only_reads_and_operators_act() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let paid = shop.paid("ra-2", 1000, "VIP #no-callback").await;
    for key in [TILL, VIEWER] {
        let refused = shop.refund_with(&paid, key, &refund("r-1", 1)).await;
        is_problem(&refused, 403, "forbidden", key);
        contract.covers("POST", &refunds_of(&paid), &refused);
    }
    for (key, number) in [(MERCHANT, "r-1"), (OPERATOR, "r-2"), (ADMIN, "r-3")] {
        let made = shop.refund_with(&paid, key, &refund(number, 1)).await;
        assert_eq!(made.status, 200, "{key}: {:?}", made.body);
    }
    let one = format!("{}/r-1", refunds_of(&paid));
    for key in [MERCHANT, TILL, VIEWER, OPERATOR, ADMIN] {
        for path in [&refunds_of(&paid), &one] {
            let read = shop.ask("GET", path, key, None).await;
            assert_eq!(read.status, 200, "{:?}", read.body);
            contract.covers("GET", path, &read);
        }
    }
    let reviews = format!("{one}/reviews");
    for key in [MERCHANT, TILL, VIEWER] {
        let refused = shop.ask("POST", &reviews, key, Some(&json!({}))).await;
        is_problem(&refused, 403, "forbidden", key);
    }
    let reviewed = json!({"decision": "FAILED", "basis": "seen", "expected_version": 2});
    let settled = shop.ask("POST", &reviews, OPERATOR, Some(&reviewed)).await;
    is_problem(&settled, 409, "not-reviewable", "it is settled");
    contract.covers("POST", &reviews, &settled);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_not_found() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let paid = shop.paid("ra-3", 1000, "VIP #no-callback").await;
    let nobody = format!("/v1/orders/ord_{}/refunds", "0".repeat(32));
    let none = format!("{}/r-9", refunds_of(&paid));
    let review = json!({"decision": "FAILED", "basis": "seen", "expected_version": 1});
    for (method, path, body) in [
        ("GET", nobody.clone(), None),
        ("POST", nobody, Some(refund("r-1", 1))),
        ("GET", none.clone(), None),
        ("POST", format!("{none}/reviews"), Some(review)),
    ] {
        let answer = shop.ask(method, &path, OPERATOR, body.as_ref()).await;
        is_problem(&answer, 404, "not-found", &path);
        contract.covers(method, &path, &answer);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_a_payment_is_no_word_about_a_refund_and_one_of_a_refund_is_one_refund() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let key = [("idempotency-key", "once-1")];
    let body = order("ra-4", "VIP #no-callback");
    let paid = shop.ask_with("POST", "/v1/orders", &key, Some(&body)).await;
    assert_eq!(paid.text("status"), "PAID", "{:?}", paid.body);
    let path = refunds_of(&paid.body);

    let first = shop
        .ask_with("POST", &path, &key, Some(&refund("r-1", 500)))
        .await;
    assert_eq!(first.text("refund_no"), "r-1", "{:?}", first.body);
    let again = shop
        .ask_with("POST", &path, &key, Some(&refund("r-1", 500)))
        .await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    for other in [refund("r-2", 500), refund("r-1", 501)] {
        let reused = shop.ask_with("POST", &path, &key, Some(&other)).await;
        is_problem(&reused, 422, "idempotency-key-reuse", &other.to_string());
    }
    let other = shop.paid("ra-4b", 1999, "VIP #no-callback").await;
    let elsewhere = refunds_of(&other);
    let reused = shop
        .ask_with("POST", &elsewhere, &key, Some(&refund("r-1", 500)))
        .await;
    is_problem(&reused, 422, "idempotency-key-reuse", "another order");
    let odd = [("idempotency-key", "with a space")];
    let odd = shop
        .ask_with("POST", &path, &odd, Some(&refund("r-2", 1)))
        .await;
    is_problem(&odd, 422, "validation", "a key with a space");
    assert_eq!(fields(&odd), ["Idempotency-Key"]);
    assert_eq!(processor.refunds("ra-4").await.len(), 1);
    assert!(processor.refunds("ra-4b").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_waits_as_long_as_it_likes_and_the_refund_goes_on() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let paid = shop
        .paid("ra-5", 1000, "VIP #no-callback #refund-delay=1500ms")
        .await;
    let path = refunds_of(&paid);
    for (number, preference) in [("r-1", "respond-async"), ("r-2", "wait=0")] {
        let headers = [("prefer", preference)];
        let answer = shop
            .ask_with("POST", &path, &headers, Some(&refund(number, 1)))
            .await;
        assert_eq!(answer.status, 202, "{:?}", answer.body);
        contract.covers("POST", &path, &answer);
        assert_eq!(answer.text("status"), "PROCESSING");
        assert_eq!(answer.header("preference-applied"), preference);
        assert!(!answer.header("retry-after").is_empty());
    }
    for number in ["r-1", "r-2"] {
        shop.refund_becomes(&paid, number, "SUCCEEDED").await;
        processor.refunded_once("ra-5", number, 1).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refunds_are_listed_newest_first_page_by_page() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let paid = shop.paid("ra-6", 1000, "VIP #no-callback").await;
    for n in 1..=5 {
        shop.refund(&paid, &format!("r-{n}"), n).await;
    }
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("{}?limit=2{cursor}", refunds_of(&paid));
        let page = shop.ask("GET", &path, VIEWER, None).await;
        assert_eq!(page.status, 200, "{:?}", page.body);
        contract.covers("GET", &path, &page);
        let data = page.body["data"].as_array().expect("a page").clone();
        assert!(data.len() <= 2);
        seen.extend(
            data.iter()
                .map(|it| it["refund_no"].as_str().expect("text").to_owned()),
        );
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, ["r-5", "r-4", "r-3", "r-2", "r-1"]);
    for query in ["?limit=0", "?cursor=x", "?what=1"] {
        let path = format!("{}{query}", refunds_of(&paid));
        let refused = shop.ask("GET", &path, VIEWER, None).await;
        is_problem(&refused, 422, "validation", query);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_number_in_a_reason_is_kept_nowhere() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let paid = shop.paid("ra-7", 1000, "VIP #no-callback").await;
    let body = json!({
        "refund_no": "4111111111111111", "amount": 1, "reason": "card 4242 4242 4242 4242 was charged",
    });
    let made = shop.refund_with(&paid, OPERATOR, &body).await;
    assert_eq!(made.status, 200, "{:?}", made.body);
    assert_eq!(
        made.text("refund_no"),
        "4111111111111111",
        "a number of the merchant's stays"
    );
    for (table, column) in [
        ("refunds", "note"),
        ("order_events", "detail"),
        ("audit_log", "detail"),
    ] {
        let rows =
            |like: &str| format!("SELECT COUNT(*) FROM {table} WHERE {column} LIKE '{like}'");
        let kept = shop.database.number(&rows("%4242%")).await;
        assert_eq!(kept, 0, "{table}.{column}");
    }
    let noted = "SELECT COUNT(*) FROM refunds WHERE note LIKE 'card % was charged'";
    assert_eq!(shop.database.number(noted).await, 1);
    assert!(!shop.running.log().contains("4242"));
}
