//! The rules that no path may break, held against every decision of every story and every random sequence.

use oncepay::domain::UnixMillis;
use oncepay::domain::order::decide::Context;
use oncepay::domain::order::statement::{Finding, Word};
use oncepay::domain::order::{
    Decision, Effect, Input, Order, OrderStatus, Reason, ReviewDecision, Source,
};
use std::collections::BTreeSet;

/// One decision and all that it was made from.
pub(crate) struct Step<'a> {
    pub(crate) before: &'a Order,
    pub(crate) input: &'a Input,
    pub(crate) context: &'a Context<'a>,
    /// Keys of alerts that were raised before.
    pub(crate) told: &'a BTreeSet<String>,
    pub(crate) decision: &'a Decision,
}

pub(crate) fn examine(step: &Step<'_>) {
    version_moves_with_what_decisions_read(step);
    a_submit_passes_every_gate(step);
    only_proof_or_a_review_pays(step);
    only_a_definite_no_ends(step);
    nothing_negative_undoes_paid(step);
    proof_is_never_denied(step);
    in_flight_has_a_timer_and_settled_has_none(step);
    people_are_told_once(step);
    history_is_complete(step);
}

fn version_moves_with_what_decisions_read(step: &Step<'_>) {
    let (before, next) = (step.before, &step.decision.next);
    let mut unread = next.clone();
    unread.version = before.version;
    unread.proposal.clone_from(&before.proposal);
    unread.refund_proposal.clone_from(&before.refund_proposal);
    for refund in &mut unread.refunds {
        if let Some(was) = before.refund(&refund.refund_no) {
            refund.proposal.clone_from(&was.proposal);
            refund.last_error.clone_from(&was.last_error);
            refund.updated_at = was.updated_at;
        }
    }
    unread.callback_count = before.callback_count;
    unread.event_seq = before.event_seq;
    unread.updated_at = before.updated_at;
    unread.last_error.clone_from(&before.last_error);
    let moved = unread != *before;
    assert_eq!(
        next.version,
        before.version + i64::from(moved),
        "{before:#?}\n{next:#?}"
    );
    assert_eq!(next.idempotency_key, format!("pay:order:{}", next.order_no));
    let fixed = |order: &Order| (order.money, order.fingerprint.clone(), order.expires_at);
    assert_eq!(fixed(before), fixed(next));
}

fn a_submit_passes_every_gate(step: &Step<'_>) {
    let (before, context) = (step.before, step.context);
    let rules = context.rules;
    if !step.decision.effects.is_empty() {
        let same = rules.fingerprint.as_ref() == Some(&before.fingerprint);
        assert!(same, "a call under another account");
    }
    for effect in &step.decision.effects {
        let Effect::Submit { n } = effect else {
            continue;
        };
        assert!(context.open_submits.is_empty(), "an earlier call is open");
        assert!(context.now.wall < before.expires_at, "expired");
        assert!(before.close_requested_at.is_none(), "a close was asked for");
        assert_eq!(step.decision.next.status, OrderStatus::Processing);
        assert_eq!(*n, before.submit_count() + 1);
        assert!(!before.has_proof(), "proof is on record");
        if let Some(first) = before.first_submit_at() {
            assert!(before.submit_count() < rules.max_submits + before.extra_submits);
            assert!(rules.capabilities.resubmits);
            let life = rules.capabilities.key_life_ms.unwrap_or(i64::MAX);
            assert!(context.now.wall.since(first) < life, "the key is dead");
            repeats_for_a_reason(step);
        }
    }
}

/// A repeat follows a *not found* that has proved itself, or shows the payer what a lost reply would have: the charge is
/// there then, and a repeat is no second one.
fn repeats_for_a_reason(step: &Step<'_>) {
    let able = &step.context.rules.capabilities;
    let lost = Finding::Word(Word::Pending { next_action: None });
    match found(step) {
        Some(Finding::Word(Word::NotFound)) => grace_has_passed(step),
        Some(found) if found == lost => {
            assert!(step.before.next_action.is_none(), "it was shown already");
            assert!(able.repeats_action, "a repeat shows nothing");
            assert!(able.one_charge_per_key, "a repeat may charge");
        }
        found => panic!("submitted again on {found:?}"),
    }
}

/// No unresolved submit of this run ended less than a grace ago.
fn grace_has_passed(step: &Step<'_>) {
    let (now, grace) = (step.context.now, step.context.rules.not_found_grace_ms);
    for submit in step.before.submits.iter().filter(|submit| !submit.resolved) {
        let ended = submit.ended.as_ref().unwrap_or(&submit.started);
        assert!(now.elapsed_since(ended) >= grace, "{submit:?} at {now:?}");
    }
}

fn found(step: &Step<'_>) -> Option<Finding> {
    if let Input::Answer { answer, .. } = step.input {
        Some(answer.against(step.before))
    } else {
        None
    }
}

fn only_proof_or_a_review_pays(step: &Step<'_>) {
    let next = &step.decision.next;
    if step.before.status.is_paid() || !next.status.is_paid() {
        return;
    }
    let proven = matches!(
        found(step),
        Some(Finding::Paid(_) | Finding::PaidAndRefunded(_))
    );
    let gives = [ReviewDecision::Paid, ReviewDecision::Refund];
    let reviewed = matches!(step.input, Input::Review(review) if gives.contains(&review.decision));
    assert!(proven || reviewed, "PAID by {:?}", step.input);
    let own = next.payments.iter().filter(|payment| payment.own);
    assert_eq!(own.count(), 1);
}

fn only_a_definite_no_ends(step: &Step<'_>) {
    let (before, next) = (step.before, &step.decision.next);
    if before.status.is_ended() || !next.status.is_ended() || before.submits.is_empty() {
        return;
    }
    if let Input::Review(review) = step.input {
        return assert_eq!(review.decision, ReviewDecision::NotPaid);
    }
    let Input::Answer { source, .. } = step.input else {
        panic!("{} by {:?}", next.status, step.input);
    };
    let found = found(step).unwrap();
    let unpaid = matches!(found, Finding::Word(Word::Pending { .. } | Word::NotFound));
    let no = matches!(found, Finding::Word(Word::Declined | Word::Closed));
    let closed = next.status == OrderStatus::Closed;
    assert!(no || (unpaid && closed), "{} by {found:?}", next.status);
    if no && !matches!(source, Source::Query | Source::Close) {
        let newest = before.submit_count();
        let mut earlier = before.submits.iter().filter(|submit| submit.n != newest);
        assert!(earlier.all(|submit| submit.resolved));
        assert!(!matches!(source, Source::Reply { submit } if *submit != newest));
    }
}

fn nothing_negative_undoes_paid(step: &Step<'_>) {
    if step.before.status.is_paid() {
        assert!(step.decision.next.status.is_paid(), "{:?}", step.input);
    }
}

fn proof_is_never_denied(step: &Step<'_>) {
    let (before, next) = (step.before, &step.decision.next);
    if before.has_proof() && !before.status.is_ended() {
        assert!(!next.status.is_ended(), "denied by {:?}", step.input);
        assert!(!step.decision.effects.contains(&Effect::Close));
    }
    for kept in &before.payments {
        assert!(next.payment(&kept.trade_no).is_some(), "a payment was lost");
    }
}

fn in_flight_has_a_timer_and_settled_has_none(step: &Step<'_>) {
    let (before, next) = (step.before, &step.decision.next);
    let timeout = step.context.rules.submit_timeout_ms;
    let wake = next.payment_wake_at(timeout);
    if next.status.is_settled() {
        assert_eq!(
            (wake, next.next_check_at, next.ask_due),
            (None, None, false)
        );
        return;
    }
    if !next.status.is_in_flight() {
        assert!(!next.ask_due || next.next_check_at.is_some());
        return;
    }
    assert!(wake.is_some(), "nothing wakes {next:?}");
    let entered = before.status != next.status;
    let fired =
        *step.input == Input::Due && before.payment_wake_at(timeout) <= Some(step.context.now.wall);
    if entered || fired {
        assert!(wake > Some(step.context.now.wall), "it refires: {next:?}");
    }
}

fn people_are_told_once(step: &Step<'_>) {
    let (before, next) = (step.before, &step.decision.next);
    let keys: Vec<String> = step
        .decision
        .alerts
        .iter()
        .map(|alert| alert.key())
        .collect();
    let distinct: BTreeSet<&String> = keys.iter().collect();
    assert_eq!(distinct.len(), keys.len(), "{keys:?}");
    let manual = next.status == OrderStatus::Manual;
    if manual && (before.status, before.reason) != (next.status, next.reason) {
        let fresh = keys
            .iter()
            // A dispute and a refund tell of themselves, whatever becomes of the order.
            .filter(|key| {
                let aside = ["dispute", "refund_", "external_refund"]
                    .iter()
                    .any(|kind| key.starts_with(kind));
                !step.told.contains(*key) && !aside
            })
            .count();
        assert_eq!(fresh, 1, "{:?} is silent: {keys:?}", next.reason);
    }
    let left = before.status == OrderStatus::Manual && !manual;
    let swapped = before.status == OrderStatus::Manual && before.reason != next.reason;
    assert_eq!(step.decision.resolves_alerts, left || swapped);
}

fn history_is_complete(step: &Step<'_>) {
    let (before, decision) = (step.before, step.decision);
    let next = &decision.next;
    assert_eq!(
        next.event_seq,
        before.event_seq + u32::try_from(decision.events.len()).unwrap()
    );
    if before.status != next.status {
        assert_eq!(
            decision.events.last().map(|event| event.to),
            Some(next.status)
        );
    }
    let called = !decision.effects.is_empty() || !decision.alerts.is_empty();
    assert!(
        !called || !decision.events.is_empty(),
        "a call without a line of history"
    );
    assert!(next.reason != Some(Reason::Declined) || next.status != OrderStatus::Closed);
    assert!(next.updated_at >= UnixMillis(0));
    let counts = |order: &Order| {
        (
            order.submit_count(),
            order.callback_count,
            order.extra_submits,
        )
    };
    let (was, is) = (counts(before), counts(next));
    assert!(is.0 >= was.0 && is.1 >= was.1 && is.2 >= was.2);
}
