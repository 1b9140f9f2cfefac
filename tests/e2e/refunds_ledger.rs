//! What a refund takes back of what was granted: in step with the money, once, and given again if it fails.

use crate::support::{MERCHANT, Processor, Shop, Stage, VIEWER, eventually, order, told};
use serde_json::{Value, json};

const ACCOUNT: &str = "user-42";

/// An order of `amount` that entitles to so many credits, paid.
async fn bought(shop: &Shop, order_no: &str, amount: i64, credits: i64, subject: &str) -> Value {
    let mut body = order(order_no, subject);
    body["amount"] = json!(amount);
    body["account"] = json!(ACCOUNT);
    body["entitlements"] = json!([{"kind": "credits", "quantity": credits}]);
    let paid = shop.create(&body).await;
    assert_eq!(paid.text("status"), "PAID", "{:?}", paid.body);
    paid.body
}

/// Balance and what is held of it.
async fn balance(shop: &Shop) -> (i64, i64) {
    let path = format!("/v1/accounts/{ACCOUNT}/balances");
    let answer = shop.ask("GET", &path, VIEWER, None).await;
    let first = &answer.body["data"][0];
    let number = |field: &str| first[field].as_i64().unwrap_or_default();
    (number("balance"), number("held"))
}

async fn balance_becomes(shop: &Shop, expected: (i64, i64)) {
    eventually(&format!("the balance becomes {expected:?}"), || async {
        let now = balance(shop).await;
        (now == expected)
            .then_some(())
            .ok_or_else(|| format!("{now:?}"))
    })
    .await;
}

/// Quantity and source of every entry, oldest first.
async fn entries(shop: &Shop) -> Vec<(i64, String)> {
    let path = format!("/v1/accounts/{ACCOUNT}/entries?limit=200");
    let answer = shop.ask("GET", &path, VIEWER, None).await;
    let data = answer.body["data"].as_array().cloned().unwrap_or_default();
    let entries = data.iter().rev().map(|entry| {
        let quantity = entry["quantity"].as_i64().expect("a number");
        (quantity, entry["source"].as_str().expect("text").to_owned())
    });
    entries.collect()
}

fn policy(on_refund: &str) -> Stage {
    Stage {
        more: format!("[ledger]\non_refund = \"{on_refund}\"\n"),
        ..Stage::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_spent_meanwhile_becomes_a_debt_that_somebody_is_told_of() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let paid = bought(&shop, "rl-1", 1000, 1000, "VIP #no-callback").await;
    balance_becomes(&shop, (1000, 0)).await;
    let debit = json!({"debit_no": "job-1", "kind": "credits", "quantity": 50});
    let path = format!("/v1/accounts/{ACCOUNT}/debits");
    let spent = shop.ask("POST", &path, MERCHANT, Some(&debit)).await;
    assert_eq!(spent.status, 200, "{:?}", spent.body);

    for (refund_no, amount, left) in [("r-1", 300, 650), ("r-2", 700, -50)] {
        let refunded = shop.refund(&paid, refund_no, amount).await;
        assert_eq!(refunded.text("status"), "SUCCEEDED", "{:?}", refunded.body);
        assert_eq!(balance(&shop).await, (left, 0), "in the same write");
        // Asked for again, and told of again, it takes nothing more.
        shop.refund(&paid, refund_no, amount).await;
        let trade_no = refunded.text("channel_trade_no");
        let notice = told("rl-1", trade_no, refund_no, amount, "SUCCEEDED");
        shop.hear(&processor, refund_no, &notice).await;
        assert_eq!(balance(&shop).await, (left, 0));
    }
    let expected = [
        (1000, "order:rl-1"),
        (-50, "debit:job-1"),
        (-300, "refund:rl-1:r-1"),
        (-700, "refund:rl-1:r-2"),
    ];
    let expected = expected.map(|(quantity, source)| (quantity, source.to_owned()));
    assert_eq!(entries(&shop).await, expected);
    let order = shop.get(paid["order_id"].as_str().expect("an id")).await;
    assert_eq!(order["entitlements"][0]["status"], "REVOKED", "{order}");
    let negative = eventually("somebody is told", || async {
        let alerts = shop.alerts().await;
        let negative: Vec<_> = alerts
            .iter()
            .filter(|alert| alert["kind"] == "balance_negative")
            .cloned()
            .collect();
        (!negative.is_empty())
            .then_some(negative)
            .ok_or_else(|| format!("{alerts:?}"))
    })
    .await;
    assert_eq!(negative.len(), 1, "{negative:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_round_down_and_the_whole_takes_all() {
    let processor = Processor::start().await;
    let mut shop = Shop::open(&processor, Stage::default()).await;
    let paid = bought(&shop, "rl-2", 3, 10, "VIP #no-callback").await;
    balance_becomes(&shop, (10, 0)).await;
    for (n, left) in [(1, 7), (2, 4), (3, 0)] {
        shop.refund(&paid, &format!("r-{n}"), 1).await;
        shop.crash_and_start_again().await;
        assert_eq!(balance(&shop).await, (left, 0), "after refund {n}");
    }
    let taken: Vec<i64> = entries(&shop).await.iter().map(|entry| entry.0).collect();
    assert_eq!(taken, [10, -3, -3, -4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_overtakes_the_grant_leaves_nothing() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    // Paid and refunded in the same breath, again and again: whichever is first, nothing is left over.
    for n in 0..5 {
        let paid = bought(&shop, &format!("rl-3-{n}"), 1000, 100, "VIP #no-callback").await;
        let refunded = shop.refund(&paid, "r-1", 1000).await;
        assert_eq!(refunded.text("status"), "SUCCEEDED", "{:?}", refunded.body);
        let order_id = paid["order_id"].as_str().expect("an id");
        eventually("nothing waits to be granted", || async {
            let order = shop.get(order_id).await;
            (order["entitlements"][0]["status"] == "REVOKED")
                .then_some(())
                .ok_or_else(|| order.to_string())
        })
        .await;
    }
    assert_eq!(balance(&shop).await, (0, 0));
    let sum: i64 = entries(&shop).await.iter().map(|entry| entry.0).sum();
    assert_eq!(sum, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_fails_after_it_had_succeeded_is_given_again() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    let paid = bought(
        &shop,
        "rl-4",
        1000,
        1000,
        "VIP #no-callback #refund=pending",
    )
    .await;
    balance_becomes(&shop, (1000, 0)).await;
    shop.refund(&paid, "r-1", 400).await;
    assert_eq!(balance(&shop).await, (1000, 0), "pending takes nothing");
    processor.settle_refund("rl-4", "r-1", "SUCCEEDED").await;
    balance_becomes(&shop, (600, 0)).await;
    processor.settle_refund("rl-4", "r-1", "FAILED").await;
    balance_becomes(&shop, (1000, 0)).await;
    let expected = [
        (1000, "order:rl-4"),
        (-400, "refund:rl-4:r-1"),
        (400, "refund:rl-4:r-1:reversed"),
    ];
    let expected = expected.map(|(quantity, source)| (quantity, source.to_owned()));
    assert_eq!(entries(&shop).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn by_policy_what_is_under_way_is_held_back() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, policy("hold")).await;
    let paid = bought(
        &shop,
        "rl-5",
        1000,
        1000,
        "VIP #no-callback #refund=pending",
    )
    .await;
    balance_becomes(&shop, (1000, 0)).await;
    shop.refund(&paid, "r-1", 400).await;
    assert_eq!(balance(&shop).await, (1000, 400));
    shop.refund(&paid, "r-2", 100).await;
    assert_eq!(balance(&shop).await, (1000, 500));
    processor.settle_refund("rl-5", "r-2", "FAILED").await;
    balance_becomes(&shop, (1000, 400)).await;
    processor.settle_refund("rl-5", "r-1", "SUCCEEDED").await;
    balance_becomes(&shop, (600, 0)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn by_policy_the_payer_keeps_what_was_granted() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, policy("keep")).await;
    let paid = bought(&shop, "rl-6", 1000, 1000, "VIP #no-callback").await;
    balance_becomes(&shop, (1000, 0)).await;
    let refunded = shop.refund(&paid, "r-1", 1000).await;
    assert_eq!(refunded.text("status"), "SUCCEEDED", "{:?}", refunded.body);
    assert_eq!(balance(&shop).await, (1000, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_that_began_at_the_channel_takes_its_share_too() {
    let processor = Processor::start().await;
    let shop = Shop::open(&processor, Stage::default()).await;
    bought(&shop, "rl-7", 1000, 1000, "VIP #no-callback").await;
    balance_becomes(&shop, (1000, 0)).await;
    processor.refund_by_hand("rl-7", "theirs-1", 250).await;
    balance_becomes(&shop, (750, 0)).await;
    let last = entries(&shop).await.pop().expect("entries");
    assert_eq!(last, (-250, "refund:rl-7:theirs-1".to_owned()));
}
