//! A person decides: through the same machine, with name and reason, and never against proof.

use crate::support::{
    Answer, MERCHANT, OPERATOR, Processor, SECOND_OPERATOR, Shop, Stage, VIEWER, eventually, order,
};
use rstest::rstest;
use serde_json::{Value, json};

/// In `MANUAL` at once: the channel has a status that nobody has heard of.
const FROZEN: &str = "VIP #status=FROZEN";

fn review(decision: &str, order: &Value) -> Value {
    json!({"decision": decision, "basis": "bank statement line 17", "expected_version": order["version"]})
}

async fn manual(shop: &Shop, order_no: &str, subject: &str) -> Value {
    let created = shop.create_async(&order(order_no, subject)).await;
    shop.becomes(created.text("order_id"), "MANUAL").await
}

fn id(order: &Value) -> &str {
    order["order_id"].as_str().expect("an id")
}

fn is_refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{:?}", answer.body);
    assert_eq!(answer.text("code"), code, "{:?}", answer.body);
}

async fn last_review(shop: &Shop, order_id: &str) -> Value {
    let events = shop.events(order_id).await;
    let review = events.into_iter().rfind(|event| event["kind"] == "review");
    review.expect("a review is an event")
}

async fn alert_is_resolved(shop: &Shop) {
    let alerts = shop.alerts().await;
    assert!(!alerts.is_empty());
    let resolved = alerts.iter().all(|alert| alert["status"] == "resolved");
    assert!(resolved, "{alerts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn paid_on_a_bank_statement_stays_paid_whatever_the_channel_says_later() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let manual = manual(&shop, "v-1", FROZEN).await;
    assert_eq!(manual["reason"], "unexplained_status");

    let mut paid = review("PAID", &manual);
    paid["channel_trade_no"] = json!("bank-17");
    let answer = shop.review(id(&manual), OPERATOR, &paid).await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    assert_eq!(answer.text("status"), "PAID");
    assert_eq!(answer.text("reason"), "review");
    assert_eq!(answer.text("channel_trade_no"), "bank-17");
    let event = last_review(&shop, id(&manual)).await;
    assert_eq!(event["by"], "operator:ann");
    assert_eq!(event["from"], "MANUAL");
    assert_eq!(event["to"], "PAID");
    assert_eq!(event["detail"]["basis"], "bank statement line 17");
    assert_eq!(event["detail"]["decision"], "PAID");
    alert_is_resolved(&shop).await;

    let key = manual["idempotency_key"].as_str().expect("a key");
    processor.control(json!({"pay": key})).await;
    eventually("the callback has come", || async {
        let history = shop.history(id(&manual)).await;
        let came = history.last().is_some_and(|kind| kind == "callback");
        came.then_some(()).ok_or_else(|| format!("{history:?}"))
    })
    .await;
    let order = shop.get(id(&manual)).await;
    assert_eq!(order["status"], "PAID");
    let open = shop.alerts().await.into_iter();
    let open: Vec<_> = open.filter(|alert| alert["status"] == "open").collect();
    assert_eq!(
        open.len(),
        1,
        "two payments are somebody's business: {open:?}"
    );
    assert_eq!(open[0]["kind"], "second_payment");
    let again = shop.review(id(&manual), OPERATOR, &paid).await;
    is_refused(&again, 409, "not-reviewable");
}

#[tokio::test(flavor = "multi_thread")]
async fn not_paid_fails_the_order_and_money_that_comes_after_all_is_a_late_success() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let manual = manual(&shop, "v-2", FROZEN).await;

    let answer = shop
        .review(id(&manual), OPERATOR, &review("NOT_PAID", &manual))
        .await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    assert_eq!(answer.text("status"), "FAILED");
    assert_eq!(answer.text("reason"), "review");
    alert_is_resolved(&shop).await;

    let key = manual["idempotency_key"].as_str().expect("a key");
    processor.control(json!({"pay": key})).await;
    let late = shop.becomes(id(&manual), "MANUAL").await;
    assert_eq!(late["reason"], "late_success");
    let denied = shop
        .review(id(&manual), OPERATOR, &review("NOT_PAID", &late))
        .await;
    is_refused(&denied, 422, "evidence-of-payment");
    let paid = shop
        .review(id(&manual), OPERATOR, &review("PAID", &late))
        .await;
    assert_eq!(paid.text("status"), "PAID", "{:?}", paid.body);
    processor.charged_once("v-2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn resubmit_asks_the_channel_first_and_charges_once() {
    let processor = Processor::start().await;
    let stage = Stage::with_a_short_ladder();
    let shop = Shop::open(&processor, stage).await;
    // The submit never arrived.
    let subject = "VIP #lost-request=1 #no-callback";
    let manual = manual(&shop, "v-3", subject).await;
    assert_eq!(manual["reason"], "max_submits");

    let answer = shop
        .review(id(&manual), OPERATOR, &review("RESUBMIT", &manual))
        .await;
    assert_eq!(answer.status, 200, "{:?}", answer.body);
    let paid = shop.becomes(id(&manual), "PAID").await;
    assert_eq!(paid["submit_count"], 2);
    processor.charged_once("v-3").await;
    let history = shop.history(id(&manual)).await;
    let from_review = history.iter().skip_while(|kind| *kind != "review");
    let from_review: Vec<_> = from_review.map(String::as_str).collect();
    assert_eq!(
        from_review,
        ["review", "query_reply", "submit", "submit_reply"],
        "{history:?}"
    );
    alert_is_resolved(&shop).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn close_is_confirmed_by_the_channel_or_finds_the_money() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::with_a_short_ladder()).await;
    let unpaid = manual(&shop, "v-4", "VIP #pending #unsigned=9 #query=unknown:3").await;
    let charged = manual(
        &shop,
        "v-5",
        "VIP #lost-reply #query=unknown:3 #no-callback",
    )
    .await;

    for order in [&unpaid, &charged] {
        let answer = shop
            .review(id(order), OPERATOR, &review("CLOSE", order))
            .await;
        assert_eq!(answer.status, 202, "{:?}", answer.body);
    }
    let closed = shop.becomes(id(&unpaid), "CLOSED").await;
    assert_eq!(closed["reason"], "review");
    assert_eq!(
        processor.charge("v-4").await.expect("known").status,
        "CLOSED"
    );
    shop.becomes(id(&charged), "PAID").await;
    processor.charged_once("v-5").await;
    alert_is_resolved(&shop).await;
}

#[rstest]
#[case::not_paid("NOT_PAID")]
#[case::resubmit("RESUBMIT")]
#[case::close("CLOSE")]
#[tokio::test(flavor = "multi_thread")]
async fn nobody_denies_money_that_is_there(#[case] decision: &str) {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let manual = manual(&shop, "v-6", "VIP #wrong-amount=1 #no-callback").await;
    assert_eq!(manual["reason"], "amount_mismatch");

    let answer = shop
        .review(id(&manual), OPERATOR, &review(decision, &manual))
        .await;
    is_refused(&answer, 422, "evidence-of-payment");
    let after = shop.get(id(&manual)).await;
    assert_eq!(after["status"], "MANUAL");
    assert_eq!(after["reason"], "amount_mismatch");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_needs_a_basis_the_present_version_and_an_operator() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let manual = manual(&shop, "v-7", FROZEN).await;

    let mut stale = review("NOT_PAID", &manual);
    let version = manual["version"].as_i64().expect("a number");
    stale["expected_version"] = json!(version - 1);
    is_refused(
        &shop.review(id(&manual), OPERATOR, &stale).await,
        409,
        "version-conflict",
    );
    for basis in [json!(null), json!(""), json!("   ")] {
        let mut without = review("NOT_PAID", &manual);
        without["basis"] = basis;
        let answer = shop.review(id(&manual), OPERATOR, &without).await;
        is_refused(&answer, 422, "validation");
        assert_eq!(answer.body["errors"][0]["field"], "basis");
    }
    let mut missing = review("NOT_PAID", &manual);
    missing.as_object_mut().expect("an object").remove("basis");
    is_refused(
        &shop.review(id(&manual), OPERATOR, &missing).await,
        422,
        "validation",
    );
    for key in [MERCHANT, VIEWER] {
        let answer = shop
            .review(id(&manual), key, &review("PAID", &manual))
            .await;
        is_refused(&answer, 403, "forbidden");
    }
    let unnamed = shop
        .review(id(&manual), OPERATOR, &review("PAID", &manual))
        .await;
    is_refused(&unnamed, 422, "no-payment-on-record");
    let after = shop.get(id(&manual)).await;
    assert_eq!(after["version"], manual["version"], "nothing was written");
}

#[tokio::test(flavor = "multi_thread")]
async fn not_paid_is_refused_while_the_call_that_may_charge_is_open() {
    let processor = Processor::start().await;
    let stage = Stage {
        read_timeout: "40s",
        ..Stage::with_a_short_ladder()
    };
    let shop = Shop::open(&processor, stage).await;
    let manual = manual(&shop, "v-8", "VIP #delay=35s #query=unknown #no-callback").await;

    let answer = shop
        .review(id(&manual), OPERATOR, &review("NOT_PAID", &manual))
        .await;
    is_refused(&answer, 409, "submit-open");
}

#[tokio::test(flavor = "multi_thread")]
async fn above_the_threshold_a_second_person_confirms() {
    let processor = Processor::start().await;
    let stage = Stage {
        more: "[review]\nsecond_person_above = { CNY = 1998 }\n".to_owned(),
        ..Stage::default()
    };
    let shop = Shop::open(&processor, stage).await;
    let manual = manual(&shop, "v-9", FROZEN).await;
    let decision = review("NOT_PAID", &manual);

    let proposed = shop.review(id(&manual), OPERATOR, &decision).await;
    assert_eq!(proposed.status, 202, "{:?}", proposed.body);
    assert_eq!(proposed.text("status"), "MANUAL");
    assert_eq!(proposed.body["review"]["status"], "PROPOSED");
    assert_eq!(proposed.body["review"]["by"], "ann");
    assert_eq!(proposed.body["review"]["decision"], "NOT_PAID");
    assert_eq!(proposed.body["version"], manual["version"]);
    let same = shop.review(id(&manual), OPERATOR, &decision).await;
    is_refused(&same, 409, "second-person-required");
    let confirmed = shop.review(id(&manual), SECOND_OPERATOR, &decision).await;
    assert_eq!(confirmed.status, 200, "{:?}", confirmed.body);
    assert_eq!(confirmed.text("status"), "FAILED");

    let events = shop.events(id(&manual)).await;
    let reviews: Vec<_> = events
        .iter()
        .filter(|event| event["kind"] == "review")
        .map(|event| (event["by"].clone(), event["to"].clone()))
        .collect();
    assert_eq!(
        reviews,
        [
            (json!("operator:ann"), json!("MANUAL")),
            (json!("operator:bob"), json!("FAILED"))
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn another_decision_replaces_a_proposal_and_both_survive_a_crash() {
    let processor = Processor::start().await;
    let stage = Stage {
        more: "[review]\nsecond_person_above = { CNY = 0 }\n".to_owned(),
        ..Stage::default()
    };
    let mut shop = Shop::open(&processor, stage).await;
    let manual = manual(&shop, "v-10", FROZEN).await;
    let denial = review("NOT_PAID", &manual);
    let mut paid = review("PAID", &manual);
    paid["channel_trade_no"] = json!("bank-18");

    assert_eq!(
        shop.review(id(&manual), OPERATOR, &denial).await.status,
        202
    );
    let other = shop.review(id(&manual), SECOND_OPERATOR, &paid).await;
    assert_eq!(other.status, 202, "{:?}", other.body);
    assert_eq!(other.body["review"]["by"], "bob");
    shop.crash_and_start_again().await;
    let confirmed = shop.review(id(&manual), OPERATOR, &paid).await;
    assert_eq!(confirmed.text("status"), "PAID", "{:?}", confirmed.body);
}
