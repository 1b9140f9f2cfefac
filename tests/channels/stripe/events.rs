//! Events of Stripe's: whose they are, and what is taken from them.

use super::stage::{beside, money, now};
use crate::doubles::stripe::{SECRET, SignedEvent, StripeDouble, event, sign};
use oncepay::channels::{Notice, RawNotice, Rejection, RejectionRule};
use oncepay::domain::order::{Answer, ChargeStatus, DisputePhase, RefundAnswer};
use serde_json::{Value, json};

fn hear(signed: &SignedEvent) -> Result<Notice, Rejection> {
    let double = StripeDouble::start();
    let headers = [("stripe-signature".to_owned(), signed.signature.clone())].into();
    let notice = RawNotice {
        headers: &headers,
        query: "",
        body: &signed.body,
    };
    beside(&double).verify(&notice, now())
}

fn signed(body: &Value) -> SignedEvent {
    sign(SECRET, now().0 / 1000, body.to_string().into_bytes())
}

fn heard(kind: &str, object: &Value) -> Result<Notice, Rejection> {
    hear(&signed(&event("evt_1", kind, object)))
}

fn intent(status: &str) -> Value {
    json!({"id": "pi_1", "object": "payment_intent", "amount": 1999, "amount_received": 1990,
        "currency": "usd", "status": status, "client_secret": "pi_1_secret_hush", "latest_charge": "ch_1",
        "metadata": {"out_trade_no": "o-1", "cart": "7"}})
}

fn refund(metadata: &Value) -> Value {
    json!({"id": "re_1", "object": "refund", "amount": 500, "currency": "usd", "status": "succeeded",
        "payment_intent": "pi_1", "charge": "ch_1", "metadata": metadata})
}

#[test]
fn an_intent_says_what_was_received_of_which_order() {
    let paid = heard("payment_intent.succeeded", &intent("succeeded")).unwrap();
    let Notice::Charge {
        key,
        status,
        order_no,
        answer: Answer::Charge(told),
    } = paid
    else {
        panic!("{paid:?}");
    };
    assert_eq!((&*key, &*status, &*order_no), ("evt_1", "succeeded", "o-1"));
    assert_eq!(told.status, ChargeStatus::Paid);
    // What was received, and not what was asked for.
    assert_eq!(told.money, Some(money(1990, "USD")));
    assert_eq!(told.reference.as_deref(), Some("pi_1"));
    for kind in [
        "created",
        "requires_action",
        "payment_failed",
        "processing",
        "canceled",
        "amount_capturable_updated",
        "partially_funded",
    ] {
        let notice = heard(&format!("payment_intent.{kind}"), &intent("processing"));
        assert!(
            matches!(notice, Ok(Notice::Charge { .. })),
            "{kind}: {notice:?}"
        );
    }
}

#[test]
fn an_intent_that_does_not_say_what_was_received_proves_no_payment() {
    let mut silent = intent("succeeded");
    silent["amount_received"] = json!(null);
    let notice = heard("payment_intent.succeeded", &silent).unwrap();
    let Notice::Charge {
        answer: Answer::Charge(told),
        ..
    } = notice
    else {
        panic!("{notice:?}");
    };
    assert_eq!(told.money, None);
}

#[test]
fn an_intent_that_is_not_ours_concerns_nobody() {
    let mut other = intent("succeeded");
    for metadata in [json!({}), json!(null), json!({"out_refund_no": "r-1"})] {
        other["metadata"] = metadata;
        let notice = heard("payment_intent.succeeded", &other).unwrap();
        assert!(matches!(notice, Notice::Unrelated { .. }), "{notice:?}");
    }
}

#[test]
fn a_refund_of_ours_is_told_by_our_number() {
    for kind in [
        "refund.created",
        "refund.updated",
        "refund.failed",
        "charge.refund.updated",
    ] {
        let ours = refund(&json!({"out_trade_no": "o-1", "out_refund_no": "r-1"}));
        let Ok(Notice::Refund { order_no, news, .. }) = heard(kind, &ours) else {
            panic!("{kind}");
        };
        assert_eq!((&*order_no, &*news.refund_no), ("o-1", "r-1"));
        assert_eq!(news.trade_no.as_deref(), Some("pi_1"));
        assert!(!news.cumulative && news.ours_by_our_number);
        let RefundAnswer::Succeeded(told) = news.answer else {
            panic!("{kind}");
        };
        assert_eq!(told.amount, Some(500));
        assert_eq!(told.channel_refund_no.as_deref(), Some("re_1"));
    }
}

#[test]
fn a_refund_that_began_at_stripe_is_told_by_its_intent_and_stripes_number() {
    for metadata in [json!({}), json!(null)] {
        let notice = heard("refund.created", &refund(&metadata)).unwrap();
        let Notice::OfTrade { trade_no, about } = notice else {
            panic!("{notice:?}");
        };
        assert_eq!(trade_no, "pi_1");
        let Notice::Refund { order_no, news, .. } = about.about("o-9".to_owned()) else {
            panic!("about a refund");
        };
        assert_eq!((&*order_no, &*news.refund_no), ("o-9", "re_1"));
    }
    let mut bare = refund(&json!({}));
    bare["payment_intent"] = json!(null);
    let notice = heard("refund.created", &bare).unwrap();
    assert!(matches!(notice, Notice::Unrelated { .. }), "{notice:?}");
}

#[test]
fn a_dispute_is_told_by_its_intent_when_it_begins_and_when_it_has_ended() {
    let dispute = |status: &str| {
        json!({"id": "du_1", "object": "dispute", "amount": 1999, "currency": "usd", "charge": "ch_1",
            "payment_intent": "pi_1", "reason": "fraudulent", "status": status})
    };
    for (kind, status, expected) in [
        ("created", "needs_response", DisputePhase::Opened),
        ("created", "warning_needs_response", DisputePhase::Opened),
        ("closed", "won", DisputePhase::Won),
        ("closed", "warning_closed", DisputePhase::Won),
        ("closed", "lost", DisputePhase::Lost),
        // Given back before it became one; the first event may be the last.
        ("closed", "prevented", DisputePhase::Lost),
        ("created", "prevented", DisputePhase::Lost),
        ("created", "lost", DisputePhase::Lost),
        ("created", "something_new", DisputePhase::Opened),
        ("closed", "something_new", DisputePhase::Ended),
    ] {
        let notice = heard(&format!("charge.dispute.{kind}"), &dispute(status)).unwrap();
        let Notice::OfTrade { trade_no, about } = notice else {
            panic!("{notice:?}");
        };
        assert_eq!(trade_no, "pi_1");
        let Notice::Dispute {
            reference,
            phase,
            summary,
            ..
        } = *about
        else {
            panic!("about a dispute");
        };
        assert_eq!((&*reference, phase), ("du_1", expected));
        assert_eq!(summary, format!("{status}: fraudulent"));
    }
    for kind in ["updated", "funds_withdrawn", "funds_reinstated"] {
        let notice = heard(&format!("charge.dispute.{kind}"), &dispute("won")).unwrap();
        assert!(matches!(notice, Notice::Unrelated { .. }), "{notice:?}");
    }
}

#[test]
fn the_signature_is_over_the_bytes_as_they_came() {
    let written = concat!(
        "{ \"data\" : {\n\t\"object\": {\"x\":1.0, \"id\": \"pi_1\",\"object\":\"payment_intent\", \"amount\": 1999,\n",
        "\"amount_received\":1999 ,\"currency\":\"usd\",\"status\":\"succeeded\",\"metadata\":{\"out_trade_no\":\"o-1\"}}},\r\n",
        "\"livemode\":false,\"type\":\"payment_intent.succeeded\",\"object\":\"event\",   \"id\":\"evt_1\" }\n\n",
    );
    let event = sign(SECRET, now().0 / 1000, written.as_bytes().to_vec());
    let notice = hear(&event).unwrap();
    assert!(matches!(notice, Notice::Charge { ref order_no, .. } if order_no == "o-1"));
    for (from, to) in [("1.0", "1"), ("\r\n", "\n"), ("   ", " "), ("\n\n", "\n")] {
        let mut other = event.clone();
        other.body = written.replacen(from, to, 1).into_bytes();
        let rejection = hear(&other).unwrap_err();
        assert_eq!(rejection.rule, RejectionRule::Signature, "{from:?}");
    }
}

#[test]
fn events_of_others_are_rejected_with_the_reason() {
    let mut connected = event("evt_1", "payment_intent.succeeded", &intent("succeeded"));
    connected["account"] = json!("acct_other");
    let mut live = event("evt_1", "payment_intent.succeeded", &intent("succeeded"));
    live["livemode"] = json!(true);
    let thin = json!({"id": "evt_1", "object": "v2.core.event", "type": "v1.billing.meter.error_report_triggered",
        "livemode": false, "related_object": {"id": "mtr_1"}});
    let mut modeless = event("evt_1", "payment_intent.succeeded", &intent("succeeded"));
    modeless["livemode"] = json!(null);
    for (body, rule, part) in [
        (connected, RejectionRule::OtherMerchant, "connected account"),
        (
            live,
            RejectionRule::OtherMode,
            "of live mode, and our secret_key of test mode",
        ),
        (thin, RejectionRule::Malformed, "snapshot events"),
        (modeless, RejectionRule::Malformed, "livemode"),
        (json!([]), RejectionRule::Malformed, "cannot be read"),
        (
            event("evt_1", "payment_intent.succeeded", &json!({})),
            RejectionRule::Malformed,
            "cannot be read",
        ),
        (
            event("", "payment_intent.succeeded", &intent("succeeded")),
            RejectionRule::Malformed,
            "id",
        ),
        (
            event("evt_1", "refund.updated", &json!(["re_1"])),
            RejectionRule::Malformed,
            "cannot be read",
        ),
    ] {
        let rejection = hear(&signed(&body)).unwrap_err();
        assert_eq!(rejection.rule, rule, "{rejection:?}");
        assert!(rejection.explanation.contains(part), "{rejection:?}");
        assert!(!rejection.explanation.contains('\n'));
    }
}

#[test]
fn a_field_that_comes_twice_is_not_chosen_from() {
    let body = event("evt_1", "payment_intent.succeeded", &intent("succeeded")).to_string();
    for (field, twice) in [
        (
            r#""status":"succeeded""#,
            r#""status":"processing","status":"succeeded""#,
        ),
        (
            r#""out_trade_no":"o-1""#,
            r#""out_trade_no":"o-2","out_trade_no":"o-1""#,
        ),
        (r#""livemode":false"#, r#""livemode":true,"livemode":false"#),
    ] {
        assert!(body.contains(field), "{field}");
        let body = body.replace(field, twice).into_bytes();
        let rejection = hear(&sign(SECRET, now().0 / 1000, body)).unwrap_err();
        assert_eq!(rejection.rule, RejectionRule::Malformed, "{rejection:?}");
    }
}

#[test]
fn types_that_concern_no_order_are_acknowledged() {
    for kind in [
        "charge.refunded",
        "charge.succeeded",
        "payout.paid",
        "customer.created",
        "refund.x",
    ] {
        let notice = heard(kind, &json!({"id": "x"})).unwrap();
        assert!(matches!(notice, Notice::Unrelated { .. }), "{kind}");
    }
}

#[test]
fn what_was_to_be_signed_is_shown_without_what_a_payer_pays_with() {
    let mut forged = signed(&event(
        "evt_1",
        "payment_intent.created",
        &intent("succeeded"),
    ));
    forged.signature = forged.signature.replace("v1=", "v1=0");
    let rejection = hear(&forged).unwrap_err();
    assert_eq!(rejection.rule, RejectionRule::Signature);
    let text = rejection.signed_text.unwrap();
    assert!(text.contains("pi_1_secret_…\""), "{text}");
    assert!(
        !text.contains("hush") && !text.contains("testOnly"),
        "{text}"
    );
}
