//! Accounts: credits are spent, held back and given back, once for each number.

mod account;
mod debt;
mod input;
mod races;
mod watch;

use crate::support::{Contract, MERCHANT, Processor, Shop, Stage, VIEWER, is_problem};
use account::{Account, give};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn credits_are_spent_and_every_movement_can_be_looked_up() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let user = Account::of(&shop, "user-42@shop.example");
    let nothing = user.ask("GET", "balances", None).await;
    contract.covers("GET", &user.path("balances"), &nothing);
    assert_eq!((nothing.status, &nothing.body["data"]), (200, &json!([])));
    give(&shop, user.name, "credits", 1000).await;

    let spent = user.debit("job-1", 50).await;
    contract.covers("POST", &user.path("debits"), &spent);
    assert_eq!(spent.status, 200, "{}", spent.body);
    assert_eq!(spent.body["quantity"], -50);
    assert_eq!(spent.body["balance_after"], 950);
    assert_eq!(spent.text("source"), "debit:job-1");
    let again = user.debit("job-1", 50).await;
    assert_eq!((again.status, &again.body), (200, &spent.body));
    let other = user.debit("job-1", 51).await;
    is_problem(&other, 422, "debit-conflict", "another quantity");
    contract.covers("POST", &user.path("debits"), &other);
    let too_much = user.debit("job-2", 951).await;
    is_problem(&too_much, 422, "insufficient-balance", "more than there is");
    // Another account's number is another number.
    give(&shop, "user-43", "credits", 50).await;
    let neighbour = Account::of(&shop, "user-43").debit("job-1", 50).await;
    assert_eq!(neighbour.body["balance_after"], 0);

    let balances = user.ask("GET", "balances", None).await;
    contract.covers("GET", &user.path("balances"), &balances);
    let expected = json!([{"kind": "credits", "balance": 950, "held": 0, "available": 950}]);
    assert_eq!(balances.body["data"], expected);
    let entries = shop.ask("GET", &user.path("entries"), VIEWER, None).await;
    contract.covers("GET", &user.path("entries"), &entries);
    assert_eq!(entries.body["data"][0], spent.body, "the newest first");
    assert_eq!(entries.body["data"][1]["quantity"], 1000);
    assert_eq!(entries.body["next_cursor"], json!(null));
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_come_in_pages() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let user = Account::of(&shop, "user-42");
    give(&shop, user.name, "credits", 100).await;
    for n in 0..6 {
        assert_eq!(user.debit(&format!("d{n}"), 1).await.status, 200);
    }
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = user
            .ask("GET", &format!("entries?limit=3{cursor}"), None)
            .await;
        assert_eq!(page.status, 200, "{}", page.body);
        let data = page.body["data"].as_array().expect("a list").clone();
        seen.extend(data.iter().map(|entry| entry["balance_after"].clone()));
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen, [94, 95, 96, 97, 98, 99, 100]);
    let made_up = user.ask("GET", "entries?cursor=ord_1", None).await;
    is_problem(&made_up, 422, "validation", "a made-up cursor");
}

/// An inference call whose price is known when it is done: whatever times out on the way is sent again.
#[tokio::test(flavor = "multi_thread")]
async fn a_metered_job_that_is_retried_is_charged_once_and_for_what_it_took() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let user = Account::of(&shop, "user-42");
    give(&shop, user.name, "credits", 100).await;

    user.hang_up_on(
        "holds",
        &json!({"hold_no": "job-1", "kind": "credits", "quantity": 80}),
    )
    .await;
    let held = user.hold("job-1", 80, 3600).await;
    contract.covers("POST", &user.path("holds"), &held);
    assert_eq!(
        (held.status, held.text("status")),
        (200, "HELD"),
        "{}",
        held.body
    );
    assert_eq!(user.numbers().await, (100, 80, 20));
    let other_time = user.hold("job-1", 80, 60).await;
    is_problem(&other_time, 422, "hold-conflict", "another time");
    is_problem(
        &user.debit("d1", 21).await,
        422,
        "insufficient-balance",
        "held",
    );
    is_problem(
        &user.hold("job-2", 21, 60).await,
        422,
        "insufficient-balance",
        "held",
    );

    let beyond = user.capture("job-1", 81).await;
    is_problem(&beyond, 422, "capture-exceeds-hold", "more than is held");
    contract.covers("POST", &user.path("holds/job-1/capture"), &beyond);
    user.hang_up_on("holds/job-1/capture", &json!({"quantity": 60}))
        .await;
    let captured = user.capture("job-1", 60).await;
    contract.covers("POST", &user.path("holds/job-1/capture"), &captured);
    assert_eq!(
        (captured.status, captured.text("status")),
        (200, "CAPTURED")
    );
    assert_eq!(captured.body["captured"], 60);
    assert_eq!(
        user.numbers().await,
        (40, 0, 40),
        "the rest is free at once"
    );
    assert_eq!(user.capture("job-1", 60).await.body, captured.body);
    is_problem(
        &user.capture("job-1", 20).await,
        422,
        "hold-conflict",
        "another part",
    );
    let released = user.release("job-1").await;
    is_problem(&released, 409, "hold-ended", "captured");
    contract.covers("POST", &user.path("holds/job-1/release"), &released);
    assert_eq!(
        user.hold("job-1", 80, 3600).await.text("status"),
        "CAPTURED"
    );
    assert_eq!(user.numbers().await, (40, 0, 40));
    assert_eq!(user.sources().await, ["hold:job-1", "order:gift"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_given_back_can_be_spent_again() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let contract = Contract::of(&shop).await;
    let name = "user-42";
    give(&shop, name, "credits", 100).await;
    assert_eq!(
        Account::of(&shop, name)
            .hold("job-1", 100, 3600)
            .await
            .status,
        200
    );
    shop.crash_and_start_again().await;
    let user = Account::of(&shop, name);
    is_problem(
        &user.debit("d1", 1).await,
        422,
        "insufficient-balance",
        "still held",
    );
    let released = user.release("job-1").await;
    contract.covers("POST", &user.path("holds/job-1/release"), &released);
    assert_eq!(
        (released.status, released.text("status")),
        (200, "RELEASED")
    );
    assert_eq!(user.release("job-1").await.body, released.body);
    is_problem(
        &user.capture("job-1", 1).await,
        409,
        "hold-ended",
        "released",
    );
    assert_eq!(user.debit("d1", 100).await.body["balance_after"], 0);
    let unknown = user.capture("job-9", 1).await;
    is_problem(&unknown, 404, "not-found", "no such hold");
    contract.covers("POST", &user.path("holds/job-9/capture"), &unknown);
    let body = json!({"hold_no": "x", "kind": "credits", "quantity": 1});
    for key in [VIEWER, crate::support::OPERATOR] {
        let refused = shop
            .ask("POST", &user.path("holds"), key, Some(&body))
            .await;
        is_problem(&refused, 403, "forbidden", "only a merchant spends");
        contract.covers("POST", &user.path("holds"), &refused);
    }
    assert_eq!(
        shop.ask("GET", &user.path("balances"), MERCHANT, None)
            .await
            .status,
        200
    );
}
