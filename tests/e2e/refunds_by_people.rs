//! People give money back: with a second person above the threshold, by reviews, and by the policy they set.

use crate::support::{
    MERCHANT, OPERATOR, Processor, SECOND_OPERATOR, Shop, Stage, alerts_of, eventually, is_problem,
    order, refund, refunds_of,
};
use serde_json::{Value, json};

fn id(order: &Value) -> &str {
    order["order_id"].as_str().expect("an id")
}

/// How much of the order is given back, and its status.
async fn stands(shop: &Shop, order: &Value) -> (i64, String) {
    let order = shop.get(id(order)).await;
    let refunded = order["amount_refunded"].as_i64().expect("an amount");
    (
        refunded,
        order["status"].as_str().expect("a status").to_owned(),
    )
}

fn decision(word: &str, refund: &Value) -> Value {
    json!({"decision": word, "basis": "the processor's account, line 17", "expected_version": refund["version"]})
}

/// Rows of the audit log with this action and actor about this subject.
async fn audited(shop: &Shop, action: &str, actor: &str, subject: &str) -> i64 {
    let sql = format!(
        "SELECT COUNT(*) FROM audit_log WHERE action = '{action}' AND actor = '{actor}' AND subject = '{subject}'"
    );
    shop.database.number(&sql).await
}

fn two_persons(above: i64) -> Stage {
    Stage {
        more: format!("[review]\nsecond_person_above = {{ CNY = {above} }}\n"),
        ..Stage::default()
    }
}

/// A refund of 400 in `MANUAL`: the processor speaks of another amount.
async fn in_manual(shop: &Shop, order_no: &str) -> (Value, Value) {
    let paid = shop
        .paid(order_no, 1000, "VIP #no-callback #wrong-refund=7")
        .await;
    shop.refund(&paid, "r-1", 400).await;
    let manual = shop.refund_becomes(&paid, "r-1", "MANUAL").await;
    (paid, manual)
}

#[tokio::test(flavor = "multi_thread")]
async fn above_the_threshold_an_operators_refund_waits_for_a_second_person() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, two_persons(500)).await;
    let contract = crate::support::Contract::of(&shop).await;
    let paid = shop.paid("rp-1", 5000, "VIP #no-callback").await;
    let body = refund("r-1", 501);

    let proposed = shop.refund_with(&paid, OPERATOR, &body).await;
    assert_eq!(proposed.status, 202, "{:?}", proposed.body);
    contract.covers("POST", &refunds_of(&paid), &proposed);
    assert_eq!(proposed.text("refund_no"), "r-1");
    assert_eq!(proposed.body["amount"], 501);
    let review = &proposed.body["review"];
    assert_eq!(review["status"], "PROPOSED");
    assert_eq!(review["by"], "ann");
    assert_eq!(review["decision"], "REFUND");
    assert!(review["expires_at"].is_string());
    assert!(shop.refunds(&paid).await.is_empty(), "there is none yet");
    assert_eq!(stands(&shop, &paid).await, (0, "PAID".to_owned()));
    assert_eq!(shop.get(id(&paid)).await["version"], paid["version"]);

    let same = shop.refund_with(&paid, OPERATOR, &body).await;
    is_problem(&same, 409, "second-person-required", "the same name");
    shop.crash_and_start_again().await;
    let confirmed = shop.refund_with(&paid, SECOND_OPERATOR, &body).await;
    assert_eq!(
        (confirmed.status, confirmed.text("status")),
        (200, "SUCCEEDED"),
        "{:?}",
        confirmed.body
    );
    processor.refunded_once("rp-1", "r-1", 501).await;

    // Up to the threshold one is enough, and a merchant's key acts under its scope.
    let small = shop.refund_with(&paid, OPERATOR, &refund("r-2", 500)).await;
    assert_eq!(small.text("status"), "SUCCEEDED", "{:?}", small.body);
    let merchants = shop.refund_with(&paid, MERCHANT, &refund("r-3", 600)).await;
    assert_eq!(
        merchants.text("status"),
        "SUCCEEDED",
        "{:?}",
        merchants.body
    );

    for (actor, subject) in [
        ("operator:ann", "rp-1/r-1"),
        ("operator:bob", "rp-1/r-1"),
        ("operator:ann", "rp-1/r-2"),
        ("api:shop", "rp-1/r-3"),
    ] {
        let rows = audited(&shop, "refund", actor, subject).await;
        assert_eq!(rows, 1, "{actor} {subject}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_became_of_a_refund_is_decided_by_name_and_reason() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = crate::support::Contract::of(&shop).await;
    for (order_no, word, amount, status) in [
        ("rp-2a", "SUCCEEDED", 400, "PARTIALLY_REFUNDED"),
        ("rp-2b", "FAILED", 0, "PAID"),
    ] {
        let (paid, manual) = in_manual(&shop, order_no).await;
        let path = format!("{}/r-1/reviews", refunds_of(&paid));
        let version = manual["version"].as_i64().expect("a number");
        let mut stale = decision(word, &manual);
        stale["expected_version"] = json!(version - 1);
        let stale = shop.review_refund(&paid, "r-1", OPERATOR, &stale).await;
        is_problem(&stale, 409, "version-conflict", word);
        contract.covers("POST", &path, &stale);
        for (field, wrong) in [("basis", json!("  ")), ("decision", json!("PAID"))] {
            let mut body = decision(word, &manual);
            body[field] = wrong;
            let refused = shop.review_refund(&paid, "r-1", OPERATOR, &body).await;
            is_problem(&refused, 422, "validation", field);
            assert_eq!(crate::support::fields(&refused), [field]);
        }
        let body = decision(word, &manual);
        let decided = shop.review_refund(&paid, "r-1", OPERATOR, &body).await;
        assert_eq!(
            (decided.status, decided.text("status")),
            (200, word),
            "{:?}",
            decided.body
        );
        contract.covers("POST", &path, &decided);
        assert_eq!(stands(&shop, &paid).await, (amount, status.to_owned()));
        let events = shop.events(id(&paid)).await;
        let event = events.last().expect("events");
        assert_eq!(event["kind"], "refund_review", "{event}");
        assert_eq!(event["by"], "operator:ann");
        assert_eq!(event["detail"]["basis"], "the processor's account, line 17");
        assert_eq!(event["detail"]["decision"], word);
        let alerts = alerts_of(&shop, id(&paid)).await;
        assert_eq!(alerts[0], "refund_manual action resolved", "{alerts:?}");
        let again = shop.review_refund(&paid, "r-1", OPERATOR, &body).await;
        is_problem(&again, 409, "not-reviewable", word);
        let subject = format!("{order_no}/r-1");
        assert_eq!(
            audited(&shop, "refund_review", "operator:ann", &subject).await,
            1
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_asks_the_channel_first_and_sends_the_same_refund() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::with_a_short_ladder()).await;
    let subject = "VIP #no-callback #lost-refund=1 #refund-query=unknown:3";
    let paid = shop.paid("rp-3", 1000, subject).await;
    shop.refund(&paid, "r-1", 400).await;
    let manual = shop.refund_becomes(&paid, "r-1", "MANUAL").await;
    let before = processor.calls("rp-3").await;
    assert_eq!(before.refunds, 1, "{before:?}");

    let retried = shop
        .review_refund(&paid, "r-1", OPERATOR, &decision("RETRY", &manual))
        .await;
    assert_eq!(retried.status, 202, "{:?}", retried.body);
    shop.refund_becomes(&paid, "r-1", "SUCCEEDED").await;
    let after = processor.calls("rp-3").await;
    assert_eq!(after.refunds, 2, "{after:?}");
    assert!(after.refund_queries > before.refund_queries, "{after:?}");
    processor.refunded_once("rp-3", "r-1", 400).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn above_the_threshold_a_second_person_confirms_the_review_of_a_refund() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, two_persons(399)).await;
    let contract = crate::support::Contract::of(&shop).await;
    let (paid, manual) = in_manual(&shop, "rp-4").await;
    let body = decision("SUCCEEDED", &manual);

    let proposed = shop.review_refund(&paid, "r-1", OPERATOR, &body).await;
    assert_eq!(
        (proposed.status, proposed.text("status")),
        (202, "MANUAL"),
        "{:?}",
        proposed.body
    );
    let path = format!("{}/r-1/reviews", refunds_of(&paid));
    contract.covers("POST", &path, &proposed);
    assert_eq!(proposed.body["review"]["status"], "PROPOSED");
    assert_eq!(proposed.body["review"]["by"], "ann");
    assert_eq!(proposed.body["review"]["decision"], "SUCCEEDED");
    assert_eq!(proposed.body["version"], manual["version"]);
    let same = shop.review_refund(&paid, "r-1", OPERATOR, &body).await;
    is_problem(&same, 409, "second-person-required", "the same name");
    let confirmed = shop
        .review_refund(&paid, "r-1", SECOND_OPERATOR, &body)
        .await;
    assert_eq!(
        (confirmed.status, confirmed.text("status")),
        (200, "SUCCEEDED"),
        "{:?}",
        confirmed.body
    );
    for actor in ["operator:ann", "operator:bob"] {
        assert_eq!(audited(&shop, "refund_review", actor, "rp-4/r-1").await, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn money_that_does_not_fit_its_order_is_given_back_by_a_review() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let created = shop
        .create_async(&order("rp-5", "VIP #wrong-amount=1500 #no-callback"))
        .await;
    let manual = shop.becomes(created.text("order_id"), "MANUAL").await;
    assert_eq!(manual["reason"], "amount_mismatch");
    let trade_no = processor.charge("rp-5").await.expect("charged").trade_no;

    let body = json!({"decision": "REFUND", "basis": "the payer was told", "expected_version": manual["version"]});
    let reviewed = shop.review(id(&manual), OPERATOR, &body).await;
    assert_eq!(reviewed.status, 200, "{:?}", reviewed.body);
    assert_eq!(reviewed.text("status"), "REFUNDING");
    let number = format!("review-{trade_no}");
    shop.refund_becomes(&manual, &number, "SUCCEEDED").await;
    let refunded = shop.becomes(id(&manual), "REFUNDED").await;
    assert_eq!(refunded["amount_refunded"], 1500);
    processor.refunded_once("rp-5", &number, 1500).await;
    assert_eq!(audited(&shop, "review", "operator:ann", "rp-5").await, 1);
    let alerts = alerts_of(&shop, id(&manual)).await;
    assert_eq!(alerts, ["payment_mismatch action resolved"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_refund_needs_a_payment_to_name() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let created = shop
        .create_async(&order("rp-6", "VIP #status=FROZEN #no-callback"))
        .await;
    let manual = shop.becomes(created.text("order_id"), "MANUAL").await;
    let body = json!({"decision": "REFUND", "basis": "the payer was told", "expected_version": manual["version"]});
    let refused = shop.review(id(&manual), OPERATOR, &body).await;
    is_problem(&refused, 422, "no-payment-on-record", "nothing was paid");
    assert_eq!(audited(&shop, "review", "operator:ann", "rp-6").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn late_money_goes_back_by_itself_where_the_policy_says_so() {
    let processor = Processor::start().await;
    let stage = Stage {
        late_success: "refund",
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let mut body = order("rp-7", "VIP #pending #late-success #no-callback");
    body["expires_in"] = json!(1);
    body["account"] = json!("user-42");
    body["entitlements"] = json!([{"kind": "credits", "quantity": 1000}]);
    let created = shop.create(&body).await;
    let closed = shop.becomes(created.text("order_id"), "CLOSED").await;

    processor.pay("rp-7").await;
    processor.notify("rp-7", 2).await;
    let refunded = shop.becomes(id(&closed), "REFUNDED").await;
    assert_eq!(refunded["amount_refunded"], 1999);
    assert_eq!(
        refunded["entitlements"][0]["status"], "REVOKED",
        "{refunded}"
    );
    let trade_no = processor.charge("rp-7").await.expect("charged").trade_no;
    let number = format!("late-{trade_no}");
    processor.refunded_once("rp-7", &number, 1999).await;
    assert_eq!(processor.refunds("rp-7").await.len(), 1);
    eventually("the order rests", || async {
        let order = shop.get(id(&closed)).await;
        (order["callback_count"] == 2)
            .then_some(())
            .ok_or_else(|| order.to_string())
    })
    .await;
    let granted = "SELECT COUNT(*) FROM ledger_entries";
    assert_eq!(
        shop.database.number(granted).await,
        0,
        "nothing was granted"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_refund_that_fails_is_a_persons_business() {
    let processor = Processor::start().await;
    let stage = Stage {
        late_success: "refund",
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let mut body = order(
        "rp-8",
        "VIP #pending #late-success #no-callback #refund=failed",
    );
    body["expires_in"] = json!(1);
    let created = shop.create(&body).await;
    let closed = shop.becomes(created.text("order_id"), "CLOSED").await;
    processor.pay("rp-8").await;
    processor.notify("rp-8", 1).await;
    let trade_no = processor.charge("rp-8").await.expect("charged").trade_no;
    let number = format!("late-{trade_no}");
    let refunding = shop.becomes(id(&closed), "REFUNDING").await;
    shop.refund_becomes(&refunding, &number, "MANUAL").await;
    let alerts = alerts_of(&shop, id(&closed)).await;
    assert!(
        alerts.contains(&"refund_manual action open".to_owned()),
        "{alerts:?}"
    );
    assert_eq!(stands(&shop, &closed).await, (0, "REFUNDING".to_owned()));
}
