//! What proof does, and the channel's other news about money.

use super::super::decision::{AlertKind, Severity};
use super::super::input::Source;
use super::super::refund::RefundSource;
use super::super::statement::Proof;
use super::super::status::Reason;
use super::Column;
use super::draft::Draft;
use super::gate::ask_first;
use super::refunds::{belied_by_refunds, give_back, given_back_already, trade_given_back};
use crate::domain::schedule::LateSuccess;

/// *Paid*, and everything compared agrees.
pub(super) fn paid(draft: &mut Draft<'_>, source: &Source, proof: &Proof) {
    if is_belied(draft, proof) {
        return;
    }
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

/// Whether the proof would pay by a trade whose own refunds say otherwise: then a person compares. It was told of with
/// other money before, so that this is a new episode.
fn is_belied(draft: &mut Draft<'_>, proof: &Proof) -> bool {
    let Some(reason) = belied_by_refunds(draft.before, proof) else {
        return false;
    };
    match draft.column {
        Column::Unpaid | Column::Processing | Column::Pending | Column::Unknown | Column::Ended => {
            draft.manual(reason, None)
        }
        Column::ManualOpen => draft.swap(reason, None),
        // It pays nothing there.
        Column::ManualHeld | Column::Paid => return false,
    }
    true
}

/// *Paid*, and given back in full: nothing is granted, whatever the policy.
pub(super) fn gone(draft: &mut Draft<'_>, source: &Source, proof: &Proof) {
    if is_belied(draft, proof) {
        return;
    }
    match draft.column {
        Column::Unpaid
        | Column::Processing
        | Column::Pending
        | Column::Unknown
        | Column::ManualOpen
        | Column::Ended => {
            given_back_already(draft, proof);
        }
        Column::ManualHeld => keep(draft, source, proof),
        Column::Paid => {
            if !trade_given_back(draft, proof) {
                note_unless_repeated(draft, source);
            }
        }
    }
}

/// *Paid*, and an unknown sum of it given back. What the order is worth now, nobody can say: the payment is kept, nothing is
/// granted by itself, and a person decides. Of a trade that has paid the order it is no news: its refunds are told of by
/// themselves.
pub(super) fn some_gone(draft: &mut Draft<'_>, source: &Source, proof: &Proof) {
    let unexplained = Reason::UnexplainedStatus;
    match draft.column {
        Column::Unpaid | Column::Processing | Column::Pending | Column::Unknown | Column::Ended => {
            draft.manual(unexplained, Some(proof));
        }
        Column::ManualOpen if draft.before.reason != Some(unexplained) => {
            draft.swap(unexplained, Some(proof));
        }
        Column::ManualOpen | Column::ManualHeld => keep(draft, source, proof),
        Column::Paid => paid(draft, source, proof),
    }
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
        LateSuccess::Refund => {
            give_back(draft, proof, RefundSource::Policy);
            let message = format!(
                "Order {} was {} and is paid after all; the money goes back.",
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
pub(super) fn ask_of_charge(draft: &mut Draft<'_>) {
    if draft.column == Column::Unpaid {
        ask_first(draft);
    } else {
        draft.ask();
    }
}
