//! Finding an intent whose name nobody told: in the list of the order's time, and of any age by search.

use super::stage::{beside, charge, now, told, word};
use crate::doubles::stripe::{StripeDouble, Trick, text};
use oncepay::channels::ChargeCall;
use oncepay::domain::order::{Answer, ChargeStatus};
use serde_json::json;

const LIST: &str = "GET /v1/payment_intents";
const SEARCH: &str = "GET /v1/payment_intents/search";
const HOUR_MS: i64 = 3_600_000;

/// An order that was never submitted, as far as its row knows.
fn forgotten(order_no: &str) -> ChargeCall {
    let mut call = charge(order_no);
    call.first_submit_at = None;
    call
}

fn paid(order_no: &str) -> serde_json::Value {
    json!({"metadata": {"out_trade_no": order_no}, "amount": 1999, "amount_received": 1999, "status": "succeeded"})
}

#[tokio::test]
async fn an_intent_is_looked_for_in_every_page_and_only_where_it_can_be() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let mut call = charge("deep");
    channel.submit(&call).await;
    for n in 0..250 {
        // Other shops' orders, some of whose numbers begin as ours or contain it.
        double.add_intent(&json!({"metadata": {"out_trade_no": format!("deep{n}")}}));
    }
    double.add_intent(&json!({"metadata": {}}));
    assert_eq!(word(&channel.query(&call).await), "payable");
    // Three pages, and the intent itself.
    assert_eq!(double.gets("/v1/payment_intents"), 4);

    // A page that is missing leaves open whether there is one.
    let other = charge("nowhere");
    double.next(LIST, Trick::DropBefore);
    assert_eq!(word(&channel.query(&other).await), "unknown: unavailable");
    assert_eq!(channel.query(&other).await, Answer::NotFound);

    // Created two days before the order was first sent: that is another life of the number.
    call.first_submit_at = Some(now().plus(48 * HOUR_MS));
    assert_eq!(channel.query(&call).await, Answer::NotFound);
}

#[tokio::test]
async fn what_was_given_back_is_seen_although_lists_do_not_show_charges() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let call = charge("gone");
    channel.submit(&call).await;
    double.pay("gone");
    let charge = json!({"id": "ch_1", "object": "charge", "refunded": true});
    double.change_intent("gone", &json!({"latest_charge": charge}));
    assert_eq!(word(&channel.query(&call).await), "paid and refunded");
}

#[tokio::test]
async fn pages_that_are_too_large_are_asked_for_in_smaller_ones() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let call = charge("among-large");
    channel.submit(&call).await;
    // Fifty texts of five hundred characters may stand in an intent's metadata.
    let large = json!({"metadata": {"cart": "x".repeat(25_000)}});
    for _ in 0..90 {
        double.add_intent(&large);
    }
    assert_eq!(word(&channel.query(&call).await), "payable");
}

#[tokio::test]
async fn an_order_that_was_forgotten_finds_its_intent_however_old_it_is() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    for hours in [0, 1, 30, 24 * 29, 24 * 400] {
        let order_no = format!("forgotten-{hours}");
        double.shift_clock(-hours * HOUR_MS);
        double.add_intent(&paid(&order_no));
        let answer = channel.query(&forgotten(&order_no)).await;
        assert_eq!(word(&answer), "paid", "{hours} h: {answer:?}");
    }
    assert_eq!(channel.query(&forgotten("new")).await, Answer::NotFound);
    double.next(SEARCH, Trick::DropBefore);
    let unheard = channel.query(&forgotten("new")).await;
    assert_eq!(word(&unheard), "unknown: unavailable");
}

#[tokio::test]
async fn where_stripe_has_no_search_all_that_can_still_be_paid_is_listed() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    double.shift_clock(-24 * 29 * HOUR_MS);
    double.add_intent(&paid("in-india"));
    for (order_no, expected) in [("in-india", "paid"), ("new", "not found")] {
        double.next(SEARCH, Trick::error(400, "invalid_request_error", ""));
        let answer = channel.query(&forgotten(order_no)).await;
        assert_eq!(word(&answer), expected, "{answer:?}");
    }
}

#[tokio::test]
async fn two_intents_of_one_order_are_for_a_person_and_never_guessed_at() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let call = charge("twins");
    channel.submit(&call).await;
    double.forget_keys();
    channel.submit(&call).await;
    assert_eq!(double.intents("twins").len(), 2);

    let statement = told(channel.query(&call).await);
    assert!(matches!(statement.status, ChargeStatus::Unexplained(_)));
    assert!(statement.summary.contains("2 payment intents"));
    assert_eq!(word(&channel.close(&call).await), "unexplained");

    // One is in the list, and one is searched.
    double.shift_clock(-30 * HOUR_MS);
    double.add_intent(&paid("old-and-new"));
    double.shift_clock(0);
    let young = text(&double.add_intent(&paid("old-and-new")), "id");
    let statement = told(channel.query(&forgotten("old-and-new")).await);
    assert!(statement.summary.contains("2 payment intents"), "{young}");
}
