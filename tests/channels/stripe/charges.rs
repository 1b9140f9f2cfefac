//! Charging through Stripe: one order, one intent, whatever happens on the way.

use super::stage::{beside, channel_at, charge, money, told, word};
use crate::doubles::stripe::{StripeDouble, Trick, text};
use oncepay::domain::order::{Answer, ChargeStatus, NextAction};
use serde_json::json;
use std::time::Duration;

const CREATE: &str = "POST /v1/payment_intents";

#[tokio::test]
async fn an_order_becomes_an_intent_that_the_payer_confirms() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let call = charge("o-1");

    let statement = told(channel.submit(&call).await);

    let intent = double.intent("o-1");
    let id = text(&intent, "id");
    let action = NextAction {
        kind: "client_secret".to_owned(),
        value: text(&intent, "client_secret"),
    };
    let next_action = Some(action);
    assert_eq!(statement.status, ChargeStatus::Pending { next_action });
    assert_eq!(statement.order_no, "o-1");
    assert_eq!(statement.money, Some(money(1999, "USD")));
    assert_eq!(statement.reference.as_deref(), Some(id.as_str()));
    assert_eq!(statement.trade_no, statement.reference);
    let posts = double.posts();
    let post = &posts[0];
    assert_eq!((posts.len(), &*post.key), (1, "pay:order:o-1"));
    assert_eq!(post.version, "2026-10-28.endive");
    for (field, value) in [
        ("amount", "1999"),
        ("currency", "usd"),
        ("automatic_payment_methods[enabled]", "true"),
        ("metadata[out_trade_no]", "o-1"),
        ("description", "VIP+ 月卡"),
    ] {
        assert_eq!(post.field(field), Some(value), "{field}");
    }
}

#[tokio::test]
async fn an_amount_is_sent_in_stripes_own_unit_and_comes_back_in_ours() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    for (amount, code, sent) in [
        (10_000, "JPY", "10000"),
        (500, "ISK", "50000"),
        (12_300, "MGA", "123"),
        (5_120, "KWD", "5120"),
    ] {
        let mut call = charge(code);
        call.money = money(amount, code);
        let statement = told(channel.submit(&call).await);
        assert_eq!(statement.money, Some(call.money), "{code}");
        let posts = double.posts();
        assert_eq!(posts.last().unwrap().field("amount"), Some(sent), "{code}");
    }
    let mut odd = charge("odd");
    odd.money = money(5_124, "KWD");
    let refused = channel.submit(&odd).await;
    assert_eq!(word(&refused), "not sent", "{refused:?}");
    assert!(double.intents("odd").is_empty());
}

#[tokio::test]
async fn a_submit_whose_reply_was_lost_is_found_by_its_number_and_made_once() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let call = charge("lost");
    double.next(CREATE, Trick::DropAfter);

    let lost = channel.submit(&call).await;
    assert_eq!(word(&lost), "unknown: unavailable", "{lost:?}");
    let found = told(channel.query(&call).await);
    let again = told(channel.submit(&call).await);

    let id = text(&double.intent("lost"), "id");
    assert_eq!(found.reference.as_deref(), Some(id.as_str()));
    assert_eq!(again.reference.as_deref(), Some(id.as_str()));
}

#[tokio::test]
async fn a_submit_that_never_arrived_is_not_found_and_can_be_sent_again() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let call = charge("never");
    double.next(CREATE, Trick::DropBefore);
    assert_eq!(word(&channel.submit(&call).await), "unknown: unavailable");
    assert_eq!(channel.query(&call).await, Answer::NotFound);
    assert_eq!(word(&channel.submit(&call).await), "payable");
    double.intent("never");
}

#[tokio::test]
async fn a_replayed_answer_is_old_so_that_the_intent_is_asked_how_it_stands() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let call = charge("replayed");
    channel.submit(&call).await;
    double.pay("replayed");

    assert_eq!(word(&channel.submit(&call).await), "paid");

    double.next("GET /v1/payment_intents/", Trick::DropBefore);
    assert_eq!(word(&channel.submit(&call).await), "payable");
}

#[tokio::test]
async fn silence_is_never_a_failure() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let mut call = charge("slow");
    call.timeout = Duration::from_millis(300);
    double.next(CREATE, Trick::late(2));
    assert_eq!(word(&channel.submit(&call).await), "unknown: no answer");
    // It was charged all the same.
    double.intent("slow");

    let nobody = channel_at("http://127.0.0.1:1");
    let call = charge("nobody");
    assert_eq!(word(&nobody.submit(&call).await), "not sent");
    assert_eq!(word(&nobody.query(&call).await), "not sent");
    assert_eq!(word(&nobody.close(&call).await), "not sent");
}

#[tokio::test]
async fn what_is_not_stripes_own_word_says_nothing() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let call = charge("proxy");
    for (status, body) in [
        (404, "<html>not found</html>"),
        (404, "{}"),
        (200, "<html>welcome</html>"),
        (200, "[]"),
        (200, r#"{"id":"pi_1","status":"succeeded"}"#),
        (302, ""),
        (502, "<html>bad gateway</html>"),
    ] {
        for (what, call_of) in [(CREATE, true), ("GET /v1/payment_intents", false)] {
            let body = body.to_owned();
            double.next(what, Trick::Answer { status, body });
            let answer = if call_of {
                channel.submit(&call).await
            } else {
                channel.query(&call).await
            };
            assert!(word(&answer).starts_with("unknown"), "{status}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn an_intent_that_stripe_named_cannot_be_missing() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let mut call = charge("known");
    channel.submit(&call).await;
    call.channel_ref = Some(text(&double.intent("known"), "id"));
    double.pay("known");
    assert_eq!(word(&channel.query(&call).await), "paid");
    assert_eq!(double.gets("/v1/payment_intents"), 1);

    // As with the key of another account, or of the other mode.
    call.channel_ref = Some("pi_ofAnotherAccount".to_owned());
    assert_eq!(word(&channel.query(&call).await), "unknown: unreadable");
    assert_eq!(word(&channel.close(&call).await), "unknown: unreadable");
}

#[tokio::test]
async fn a_summary_holds_codes_and_nothing_of_the_payer() {
    let double = StripeDouble::start();
    let channel = beside(&double);
    let mut call = charge("declined");
    channel.submit(&call).await;
    double.change_intent(
        "declined",
        &json!({"last_payment_error": {"code": "card_declined", "decline_code": "insufficient_funds",
            "message": "Ann Lee's card was declined"}}),
    );
    call.channel_ref = Some(text(&double.intent("declined"), "id"));
    let statement = told(channel.query(&call).await);
    assert_eq!(
        statement.summary,
        "requires_payment_method: card_declined: insufficient_funds"
    );
    // Still payable: a decline ends an attempt of the payer's, not the intent.
    assert_eq!(word(&Answer::Charge(statement)), "payable");
}
