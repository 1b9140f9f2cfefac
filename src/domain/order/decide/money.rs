//! What proof does, and the channel's other news about money.

use super::super::decision::{AlertKind, Severity};
use super::super::input::Source;
use super::super::statement::Proof;
use super::super::status::{OrderStatus, Reason};
use super::Column;
use super::draft::Draft;
use super::gate::ask_first;
use crate::domain::schedule::LateSuccess;

/// *Paid*, and everything compared agrees.
pub(super) fn paid(draft: &mut Draft<'_>, source: &Source, proof: &Proof) {
    match draft.column {
        Column::Unpaid
        | Column::Processing
        | Column::Pending
        | Column::Unknown
        | Column::ManualOpen => draft.pay(proof, None),
        Column::ManualHeld => keep(draft, source, proof),
        Column::Paid => {
            if draft.before.payment(&proof.trade_no).is_some() {
                note_unless_repeated(draft, source);
            } else {
                second(draft, proof);
            }
        }
        Column::Ended => late(draft, proof),
    }
}

/// *Paid*, and given back in full: nothing is granted, whatever the policy.
pub(super) fn gone(draft: &mut Draft<'_>, source: &Source, proof: &Proof) {
    match draft.column {
        Column::Unpaid
        | Column::Processing
        | Column::Pending
        | Column::Unknown
        | Column::ManualOpen
        | Column::Ended => {
            draft.enter(OrderStatus::Refunded, None);
            draft.next.paid_at = Some(draft.context.now.wall);
            draft.keep_payment(proof, true);
            draft.next.amount_refunded = proof.money.amount;
            draft.withhold();
            let message = format!(
                "Order {} was paid and given back in full.",
                draft.before.order_no
            );
            // Where we had said that nothing was paid, a person compares.
            let severity = if draft.column == Column::Ended {
                Severity::Action
            } else {
                Severity::Info
            };
            draft.alert(
                AlertKind::ExternalRefund,
                severity,
                &proof.trade_no,
                message,
            );
        }
        Column::ManualHeld => keep(draft, source, proof),
        Column::Paid if gone_already(draft, proof) => note_unless_repeated(draft, source),
        Column::Paid => external_refund(draft, &proof.trade_no),
    }
}

/// That this trade was given back in full is on record.
fn gone_already(draft: &Draft<'_>, proof: &Proof) -> bool {
    let own = draft.before.payment(&proof.trade_no);
    draft.before.status == OrderStatus::Refunded && own.is_some_and(|kept| kept.own)
}

/// *Paid*, and the amount, currency, merchant or key is not the order's.
pub(super) fn paid_mismatch(draft: &mut Draft<'_>, source: &Source, proof: &Proof, reason: Reason) {
    match draft.column {
        Column::Unpaid | Column::Processing | Column::Pending | Column::Unknown => {
            draft.manual(reason, Some(proof));
        }
        Column::ManualOpen => draft.swap(reason, Some(proof)),
        Column::ManualHeld => keep(draft, source, proof),
        Column::Paid | Column::Ended if is_on_record(draft, proof) => {
            note_unless_repeated(draft, source);
        }
        Column::Paid | Column::Ended => {
            draft.note();
            draft.keep_payment(proof, false);
            let message = format!(
                "Order {} is {} for {}; the channel now says {} under trade {}.",
                draft.before.order_no,
                draft.before.status,
                draft.before.money,
                proof.money,
                proof.trade_no
            );
            draft.alert_of_trade(AlertKind::PaymentMismatch, &proof.trade_no, message);
        }
    }
}

/// This trade is kept with this very money.
fn is_on_record(draft: &Draft<'_>, proof: &Proof) -> bool {
    let kept = draft.before.payment(&proof.trade_no);
    kept.is_some_and(|kept| kept.money == proof.money && !kept.own)
}

/// Proof under a trade number that another order owns; the database refused to keep it.
pub(super) fn trade_taken(draft: &mut Draft<'_>, source: &Source, proof: &Proof) {
    count_callback(draft, source);
    if let Source::Reply { submit } = source {
        draft.end_submit(*submit);
    }
    let conflict = Reason::TradeNoConflict;
    match draft.column {
        Column::Unpaid | Column::Processing | Column::Pending | Column::Unknown => {
            draft.manual(conflict, Some(proof));
        }
        Column::ManualOpen => draft.swap(conflict, Some(proof)),
        Column::ManualHeld => {
            draft.note();
            draft.next.proof_in_conflict = true;
        }
        Column::Paid | Column::Ended => {
            draft.note();
            let message = format!(
                "The channel says that trade {} paid order {}; another order owns that trade.",
                proof.trade_no, draft.before.order_no
            );
            draft.alert_of_trade(AlertKind::TradeNoConflict, &proof.trade_no, message);
        }
    }
}

/// Proof in a `MANUAL` that only a review leaves.
fn keep(draft: &mut Draft<'_>, source: &Source, proof: &Proof) {
    if draft.before.payment(&proof.trade_no).is_some() {
        return note_unless_repeated(draft, source);
    }
    if draft.before.has_proof() {
        return second(draft, proof);
    }
    draft.note();
    draft.keep_payment(proof, false);
}

/// The payer paid twice under one order: the second trade is kept and refundable by its number.
fn second(draft: &mut Draft<'_>, proof: &Proof) {
    draft.note();
    draft.keep_payment(proof, false);
    let message = format!(
        "A second payment arrived for order {}: trade {}, {}.",
        draft.before.order_no, proof.trade_no, proof.money
    );
    draft.alert_of_trade(AlertKind::SecondPayment, &proof.trade_no, message);
}

/// Proof after `FAILED` or `CLOSED`.
fn late(draft: &mut Draft<'_>, proof: &Proof) {
    match draft.context.rules.late_success {
        LateSuccess::Fulfil if draft.context.successor.is_none() => {
            draft.pay(proof, None);
            let message = format!(
                "Order {} was {} and is paid after all.",
                draft.before.order_no, draft.before.status
            );
            draft.alert(AlertKind::LateSuccess, Severity::Info, "first", message);
        }
        LateSuccess::Fulfil | LateSuccess::Manual => {
            draft.manual(Reason::LateSuccess, Some(proof));
        }
    }
}

/// A repeated notice is not news; a reply or a query that says it again is a line of the history.
fn note_unless_repeated(draft: &mut Draft<'_>, source: &Source) {
    match source {
        Source::Callback { .. } => {}
        Source::Reply { .. } | Source::Query | Source::Close => draft.note(),
    }
}

/// Every notice is counted, duplicates too.
pub(super) fn count_callback(draft: &mut Draft<'_>, source: &Source) {
    match source {
        Source::Callback { .. } => {
            draft.next.callback_count = draft.next.callback_count.saturating_add(1);
        }
        Source::Reply { .. } | Source::Query | Source::Close => {}
    }
}

/// News that names no charge: the channel is asked; and before the first submit it must have answered.
fn ask(draft: &mut Draft<'_>) {
    if draft.column == Column::Unpaid {
        ask_first(draft);
    } else {
        draft.ask();
    }
}

/// News of a refund; the same notice again is none.
pub(super) fn refund_told(draft: &mut Draft<'_>, source: &Source, reference: &str) {
    count_callback(draft, source);
    if !matches!(source, Source::Callback { repeat: true, .. }) {
        external_refund(draft, reference);
    }
}

/// The channel gave money back, and not at our request.
fn external_refund(draft: &mut Draft<'_>, reference: &str) {
    match draft.column {
        Column::Unpaid
        | Column::Processing
        | Column::Pending
        | Column::Unknown
        | Column::ManualOpen => ask(draft),
        Column::ManualHeld => draft.note(),
        Column::Paid | Column::Ended => {
            let message = format!(
                "The channel reports a refund of order {} that we did not ask for: {}.",
                draft.before.order_no, draft.event.detail.summary
            );
            draft.alert(
                AlertKind::ExternalRefund,
                Severity::Action,
                reference,
                message,
            );
            draft.note();
            if draft.column == Column::Ended {
                draft.ask();
            }
        }
    }
}

/// The payer disputes the payment at the channel.
pub(super) fn dispute(draft: &mut Draft<'_>, reference: &str, phase: &str) {
    let message = format!(
        "Dispute {reference} of order {}: {phase}.",
        draft.before.order_no
    );
    let episode = format!("{reference}:{phase}");
    draft.alert(AlertKind::Dispute, Severity::Action, &episode, message);
    match draft.column {
        Column::Unpaid | Column::Pending | Column::Unknown | Column::ManualOpen | Column::Ended => {
            ask(draft);
        }
        Column::Processing | Column::ManualHeld | Column::Paid => draft.note(),
    }
}

/// A bill is not authenticated: it asks, and never pays.
pub(super) fn bill_line(draft: &mut Draft<'_>) {
    match draft.column {
        Column::Unpaid | Column::Pending | Column::Unknown | Column::ManualOpen | Column::Ended => {
            ask(draft);
        }
        Column::Processing | Column::ManualHeld | Column::Paid => draft.note(),
    }
}
