//! `decide` over rows that no decision would leave, damaged or forged: it never panics, it means the same twice, and
//! what no row may talk it into it does not do.

use super::bytes::Bytes;
use super::happenings::happening;
use super::orders::{distort, now, own_account, rules};
use crate::scene::Scene;
use oncepay::domain::order::decide::{Context, decide};
use oncepay::domain::order::statement::Finding;
use oncepay::domain::order::{
    Answer, Decision, Effect, Input, Order, RefundStatus, ReviewDecision,
};
use std::collections::BTreeMap;

pub(crate) fn hold(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut scene = Scene::new();
    rules(&mut bytes, &mut scene.rules);
    own_account(&mut bytes, &mut scene.rules);
    distort(&mut bytes, &mut scene.order);
    scene.now = now(&mut bytes);
    if bytes.flag() {
        scene.open.push(1);
    }
    // What is sent has a row: the number of a send that is open is known.
    if bytes.flag() && scene.order.refund("r1").is_some() {
        scene.open_refunds.push("r1".to_owned());
    }
    for _ in 0..4 {
        let input = happening(&mut bytes, &scene.order);
        scene.decide_twice(&input);
        let context = Context {
            now: scene.now,
            rules: &scene.rules,
            open_submits: &scene.open,
            open_refunds: &scene.open_refunds,
            new_refund_id: "ref_new",
            successor: scene.successor,
        };
        if let Ok(decision) = decide(&scene.order, &input, &context) {
            examine(&scene.order, &input, &context, &decision);
            scene.order = decision.next;
        }
    }
}

fn examine(before: &Order, input: &Input, context: &Context<'_>, decision: &Decision) {
    let next = &decision.next;
    what_is_fixed_stays(before, next);
    let step = next.version - before.version;
    assert!(matches!(step, 0 | 1), "the version jumps by {step}");
    let decisive = before.status != next.status
        || before.submits != next.submits
        || before.payments != next.payments
        || before.next_check_at != next.next_check_at;
    assert!(
        !decisive || step == 1,
        "what decisions read moved, the version did not"
    );
    calls_pass_the_gate(before, context, decision);
    only_proof_or_a_person_pays(before, input, next);
    doubt_ends_nothing(before, input, next);
    no_payment_is_forgotten(before, next);
    no_more_goes_back_than_came(before, next);
    for posting in &decision.postings {
        let held = posting.held.filter(|held| held.after != held.before);
        assert!(
            posting.quantity != 0 || held.is_some(),
            "it moves nothing: {posting:?}"
        );
    }
}

fn what_is_fixed_stays(before: &Order, next: &Order) {
    let fixed = |order: &Order| {
        let names = (order.order_id.clone(), order.order_no.clone());
        let key = order.idempotency_key.clone();
        (
            names,
            key,
            order.money,
            order.fingerprint.clone(),
            order.expires_at,
        )
    };
    assert_eq!(fixed(before), fixed(next));
}

fn calls_pass_the_gate(before: &Order, context: &Context<'_>, decision: &Decision) {
    if decision.effects.is_empty() {
        return;
    }
    let same = context.rules.fingerprint.as_ref() == Some(&before.fingerprint);
    assert!(same, "a call under another account");
    for effect in &decision.effects {
        match effect {
            Effect::Submit { .. } => {
                assert!(context.open_submits.is_empty(), "an earlier call is open");
                assert!(context.now.wall < before.expires_at, "expired");
                assert!(before.close_requested_at.is_none(), "a close was asked for");
                assert!(!before.has_proof(), "proof is on record");
            }
            Effect::Refund { refund_no } => {
                assert!(context.rules.capabilities.refunds, "it makes no refunds");
                let open = context.open_refunds.contains(refund_no);
                assert!(!open, "an earlier send is open");
            }
            Effect::Query | Effect::Close | Effect::QueryRefund { .. } => {}
        }
    }
}

fn only_proof_or_a_person_pays(before: &Order, input: &Input, next: &Order) {
    if before.status.is_paid() {
        assert!(next.status.is_paid(), "PAID was undone by {input:?}");
        return;
    }
    if !next.status.is_paid() {
        return;
    }
    let proven = match input {
        Input::Answer { answer, .. } => {
            let found = answer.against(before);
            matches!(found, Finding::Paid(_) | Finding::PaidAndRefunded(_))
        }
        Input::Review(review) => {
            matches!(
                review.decision,
                ReviewDecision::Paid | ReviewDecision::Refund
            )
        }
        _ => false,
    };
    assert!(proven, "paid by {input:?}");
    if let Input::Answer {
        answer: Answer::Charge(statement),
        ..
    } = input
    {
        assert_eq!(statement.money, Some(before.money));
        assert_eq!(statement.order_no, before.order_no.0);
        let key = statement.idempotency_key.as_ref();
        assert!(key.is_none_or(|key| *key == before.idempotency_key));
        let merchant = statement.merchant.as_ref();
        assert!(merchant.is_none_or(|id| *id == before.fingerprint.merchant));
    }
}

/// A time-out, or an answer that does not count, is no *no*.
fn doubt_ends_nothing(before: &Order, input: &Input, next: &Order) {
    let doubt = match input {
        Input::SubmitTimedOut { .. } | Input::UiDeadlinePassed | Input::BillLine { .. } => true,
        Input::Answer { answer, .. } => {
            matches!(
                answer,
                Answer::Unknown(_) | Answer::Throttled { .. } | Answer::NotSent { .. }
            )
        }
        _ => false,
    };
    if doubt && !before.status.is_ended() {
        assert!(!next.status.is_ended(), "{} by {input:?}", next.status);
    }
}

fn no_payment_is_forgotten(before: &Order, next: &Order) {
    for kept in &before.payments {
        assert!(
            next.payment(&kept.trade_no).is_some(),
            "forgotten: {kept:?}"
        );
    }
}

/// Where the row held before, it holds after.
fn no_more_goes_back_than_came(before: &Order, next: &Order) {
    let fits = |order: &Order| -> bool {
        let mut sums: BTreeMap<&str, i128> = BTreeMap::new();
        let counted = order.refunds.iter();
        for refund in counted.filter(|refund| refund.status != RefundStatus::Failed) {
            *sums.entry(&refund.trade_no).or_default() += i128::from(refund.money.amount);
        }
        let negative = order.refunds.iter().any(|refund| refund.money.amount < 1);
        !negative
            && sums.iter().all(|(trade_no, sum)| {
                let paid = order.payment(trade_no).map_or(0, |paid| paid.money.amount);
                *sum <= i128::from(paid)
            })
    };
    assert!(
        !fits(before) || fits(next),
        "more goes back than came: {:?}",
        next.refunds
    );
}
