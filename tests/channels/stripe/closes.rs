//! Closing at Stripe: an intent is canceled, or says why it cannot be.

use super::stage::{beside, charge, word};
use crate::doubles::stripe::{StripeDouble, Trick, text};
use oncepay::domain::order::Answer;
use serde_json::json;

#[tokio::test]
async fn an_unpaid_intent_is_canceled_also_when_its_name_is_not_known() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    for (order_no, named) in [("named", true), ("unnamed", false)] {
        let mut call = charge(order_no);
        channel.submit(&call).await;
        call.channel_ref = named.then(|| text(&double.intent(order_no), "id"));
        assert_eq!(word(&channel.close(&call).await), "closed");
        assert_eq!(double.intent(order_no)["status"], "canceled");
        // The reply was lost, and it is closed again.
        assert_eq!(word(&channel.close(&call).await), "closed");
    }
    assert_eq!(channel.close(&charge("nobody")).await, Answer::NotFound);
}

#[tokio::test]
async fn a_close_that_comes_too_late_says_how_the_intent_stands() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let mut call = charge("late");
    channel.submit(&call).await;
    call.channel_ref = Some(text(&double.intent("late"), "id"));

    double.change_intent("late", &json!({"status": "processing"}));
    assert_eq!(channel.close(&call).await, Answer::CannotClose);
    // The debit failed: what was refused before is possible now, and is not answered from memory.
    double.change_intent("late", &json!({"status": "requires_payment_method"}));
    double.next("POST /v1/payment_intents/", Trick::DropBefore);
    assert_eq!(word(&channel.close(&call).await), "unknown: unavailable");
    assert_eq!(word(&channel.close(&call).await), "closed");
    double.pay("late");
    assert_eq!(word(&channel.close(&call).await), "paid");
}

#[tokio::test]
async fn a_refusal_that_does_not_show_the_intent_is_asked_about() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let mut call = charge("bare");
    channel.submit(&call).await;
    call.channel_ref = Some(text(&double.intent("bare"), "id"));
    let code = "payment_intent_unexpected_state";
    double.next(
        "POST /v1/payment_intents/",
        Trick::error(400, "invalid_request_error", code),
    );
    assert_eq!(channel.close(&call).await, Answer::CannotClose);
}
